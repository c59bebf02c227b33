// What the double's sessions have: graphs, allocators, and the context that the engine makes current.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "acl.h"
#include "allocators.h"
#include "control.h"
#include "ge/ge_api.h"

namespace control {

// The engine's own allocator.
class BuiltIn final : public ge::Allocator {
 public:
  ge::MemBlock *Malloc(size_t bytes) override { return new ge::MemBlock(*this, acl::allocate(bytes), bytes); }
  void Free(ge::MemBlock *block) override {
    acl::free(block->GetAddr());
    delete block;
  }
};

struct LiveGraph {
  explicit LiveGraph(std::vector<char> bytes) : file(std::move(bytes)) { ++state().graphs; }
  ~LiveGraph() {
    for (ge::MemBlock *block : held) {
      block->Free();
    }
    --state().graphs;
  }
  LiveGraph(const LiveGraph &) = delete;
  LiveGraph &operator=(const LiveGraph &) = delete;

  std::vector<char> file;
  std::unique_ptr<acl::Model> model;
  ge::AllocatorPtr allocator;
  bool loaded = false;
  /// Where it was loaded.
  void *stream = nullptr;
  bool const_is_set = false;
  bool feature_is_set = false;
  std::vector<ge::MemBlock *> held;
  std::vector<void *> last;
};

}  // namespace control

namespace ge {

using control::BuiltIn;
using control::fails;
using control::LiveGraph;
using control::state;

// The numbers of sessions begin with 0, and a session that could not be made has the number 0, too.
struct Sessions {
  std::mutex mutex;
  std::map<uint64_t, std::shared_ptr<Session::Inside>> of;
  uint64_t next = 0;

  static Sessions &all() {
    static Sessions sessions;
    return sessions;
  }
};

struct Session::Inside {
  // False when the engine has none under the number, or no longer.
  bool exists = false;
  // A context that the engine owns. It makes it current in its calls, and leaves it so.
  void *context = nullptr;
  std::map<uint32_t, std::unique_ptr<LiveGraph>> graphs;
  AllocatorPtr built_in = std::make_shared<BuiltIn>();
  bool on_a_thread = false;
  bool shares_outputs = false;

  LiveGraph *compiled(uint32_t id) {
    const auto found = graphs.find(id);
    return found == graphs.end() || found->second->model == nullptr ? nullptr : found->second.get();
  }

  AllocatorPtr allocator_of(const void *stream) {
    const AllocatorPtr found = control::Allocators::all().find(stream);
    return found == nullptr ? built_in : found;
  }

  // Ends a call of the session.
  Status leaves(Status status) const {
    acl::make_current(context);
    return status;
  }

  // The session's option decides which thread it is that calls the allocator.
  template <typename Call>
  void on_its_thread(Call call) {
    if (on_a_thread) {
      std::thread(call).join();
    } else {
      call();
    }
  }

  Status execute(LiveGraph &graph, Allocator &allocator, void *stream, const std::vector<acl::Tensor> &inputs,
                 std::vector<acl::Tensor> &outputs, std::vector<MemBlock *> &blocks) {
    outputs = graph.model->outputs(inputs);
    MemBlock *scratch = nullptr;
    on_its_thread([&] {
      scratch = allocator.Malloc(1024);
      for (size_t i = 0; i < outputs.size(); ++i) {
        void *near = i < graph.last.size() ? graph.last[i] : nullptr;
        const size_t bytes = outputs[i].bytes;
        blocks.push_back(near == nullptr ? allocator.Malloc(bytes) : allocator.MallocAdvise(bytes, near));
      }
    });
    bool complete = scratch != nullptr;
    graph.last.clear();
    for (size_t i = 0; i < blocks.size(); ++i) {
      complete = complete && blocks[i] != nullptr;
      outputs[i].address = blocks[i] == nullptr ? nullptr : blocks[i]->GetAddr();
      graph.last.push_back(outputs[i].address);
    }
    try {
      if (complete) {
        control::wait_if_held(stream);
        graph.model->execute(stream, inputs, outputs);
      }
    } catch (const std::exception &exception) {
      complete = false;
      state().error = exception.what();
    }
    if (scratch != nullptr) {
      scratch->Free();
    }
    if (complete) {
      for (MemBlock *block : blocks) {
        if (shares_outputs) {
          block->AddCount();
          graph.held.push_back(block);
        }
      }
      return SUCCESS;
    }
    for (MemBlock *block : blocks) {
      if (block != nullptr) {
        block->Free();
      }
    }
    blocks.clear();
    graph.last.clear();
    return state().error.empty() ? fails("the allocator has no memory") : FAILED;
  }
};

}  // namespace ge
