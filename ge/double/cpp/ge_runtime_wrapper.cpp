// libge_runtime_wrapper.so of the double: the vendor's C functions over the double's classes.
//
// As the vendor's, it lets exceptions through, and calls an allocator's functions with a null object.

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ge/ge_api.h"

namespace {

using Options = std::map<ge::AscendString, ge::AscendString>;

Options options_of(char **keys, char **values, int size) {
  Options options;
  for (int i = 0; i < size; ++i) {
    options[keys[i]] = values[i];
  }
  return options;
}

struct Callbacks {
  void *(*malloc)(void *, size_t);
  void (*free)(void *, void *);
  void *(*get_addr)(void *);
  void (*on_destroy)(void *);
  void *handle;
};

class CallbackAllocator final : public ge::Allocator, public std::enable_shared_from_this<CallbackAllocator> {
 public:
  explicit CallbackAllocator(const Callbacks &callbacks) : callbacks_(callbacks) {}
  ~CallbackAllocator() override {
    if (callbacks_.on_destroy != nullptr) {
      callbacks_.on_destroy(callbacks_.handle);
    }
  }

  ge::MemBlock *Malloc(size_t size) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    void *block = callbacks_.malloc(nullptr, size);
    return block == nullptr ? nullptr : new Block(shared_from_this(), callbacks_.get_addr(block), size, block);
  }

  void Free(ge::MemBlock *block) override {
    auto *own = static_cast<Block *>(block);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      callbacks_.free(nullptr, own->callers);
    }
    // The last block may be all that keeps this object.
    const std::shared_ptr<CallbackAllocator> keeps = own->keeps;
    delete own;
  }

 private:
  struct Block final : ge::MemBlock {
    Block(std::shared_ptr<CallbackAllocator> allocator, void *address, size_t size, void *block)
        : ge::MemBlock(*allocator, address, size), keeps(std::move(allocator)), callers(block) {}
    std::shared_ptr<CallbackAllocator> keeps;
    void *callers;
  };

  std::mutex mutex_;
  const Callbacks callbacks_;
};

}  // namespace

extern "C" {

ge::Status GeApiWrapper_GEInitialize(char **keys, char **values, int size) {
  if (keys == nullptr || values == nullptr) {
    return ge::FAILED;
  }
  return ge::GEInitialize(options_of(keys, values, size));
}

ge::Status GeApiWrapper_GEFinalize() { return ge::GEFinalize(); }

const char *GeApiWrapper_GEGetErrorMsg() {
  static thread_local std::string text;
  text = ge::GEGetErrorMsgV2().GetString();
  return text.c_str();
}

ge::Session *GeApiWrapper_Session_CreateSession() { return new ge::Session(Options()); }

ge::Session *GeApiWrapper_Session_CreateSessionWithOptions(char **keys, char **values, int size) {
  return new ge::Session(options_of(keys, values, size));
}

ge::Status GeApiWrapper_Session_AddGraph(ge::Session *session, uint32_t id, ge::Graph *graph) {
  return session->AddGraph(id, *graph, Options());
}

ge::Status GeApiWrapper_Session_AddGraphWithOptions(ge::Session *session, uint32_t id, ge::Graph *graph, char **keys,
                                                    char **values, int size) {
  return session->AddGraph(id, *graph, options_of(keys, values, size));
}

ge::Status GeApiWrapper_Session_RemoveGraph(ge::Session *session, uint32_t id) { return session->RemoveGraph(id); }

ge::Status GeApiWrapper_Session_RunGraphWithStreamAsync(ge::Session *session, uint32_t id, void *stream, void **inputs,
                                                        int input_count, ge::Tensor ***outputs, size_t *tensor_num) {
  std::vector<ge::Tensor> given, made;
  for (int i = 0; i < input_count; ++i) {
    given.push_back(*static_cast<ge::Tensor *>(inputs[i]));
  }
  const ge::Status status = session->RunGraphWithStreamAsync(id, stream, given, made);
  if (status == ge::SUCCESS) {
    *outputs = new ge::Tensor *[made.size()];
    for (size_t i = 0; i < made.size(); ++i) {
      (*outputs)[i] = new ge::Tensor(made[i]);
    }
    *tensor_num = made.size();
  }
  return status;
}

ge::Status GeApiWrapper_Session_RegisterExternalAllocator(const ge::Session *session, const void *stream,
                                                          void *(*malloc)(void *, size_t), void (*free)(void *, void *),
                                                          void *(*get_addr)(void *), void (*on_destroy)(void *),
                                                          void *handle) {
  const Callbacks callbacks{malloc, free, get_addr, on_destroy, handle};
  return session->RegisterExternalAllocator(stream, std::make_shared<CallbackAllocator>(callbacks));
}

ge::Status GeApiWrapper_Session_UnregisterExternalAllocator(const ge::Session *session, const void *stream) {
  return session->UnregisterExternalAllocator(stream);
}

void GeApiWrapper_Session_DestroySession(const ge::Session *session) { delete session; }

}
