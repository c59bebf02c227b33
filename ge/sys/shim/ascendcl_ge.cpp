// The graph engine's C++ session API behind the C functions of ascendcl_ge.h, which says who owns what.

#include "ascendcl_ge.h"

#include <exception>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "callers_allocator.h"
#include "exe_graph/runtime/tensor.h"
#include "ge/ge_api.h"
#include "graph/ascend_string.h"
#include "graph/graph.h"
#include "graph/tensor.h"
#if __has_include("parser/onnx_parser.h")
#include "parser/onnx_parser.h"
#else
#include "onnx_parser.h"
#endif

namespace {

using Options = std::map<ge::AscendString, ge::AscendString>;

thread_local std::string last_error;

void remember(const char *text) noexcept {
  try {
    last_error = text == nullptr ? "" : text;
  } catch (...) {
    last_error.clear();
  }
}

// Runs `call`, which answers with the engine's status, and turns exceptions into one.
template <typename Call>
ascendcl_ge_status guarded(Call call) noexcept {
  try {
    last_error.clear();
    const ascendcl_ge_status status = call();
    if (status != ASCENDCL_GE_SUCCESS && last_error.empty()) {
      remember(ge::GEGetErrorMsgV2().GetString());
    }
    return status;
  } catch (const std::exception &exception) {
    remember(exception.what());
  } catch (...) {
    remember("an exception that is not a std::exception");
  }
  return ASCENDCL_GE_EXCEPTION;
}

ascendcl_ge_status refused(const char *why) {
  remember(why);
  return ge::FAILED;
}

Options options_of(const ascendcl_ge_options *options) {
  Options map;
  for (size_t i = 0; options != nullptr && i < options->count; ++i) {
    map[ge::AscendString(options->keys[i])] = ge::AscendString(options->values[i]);
  }
  return map;
}

// Whether a shape of the executor has room for the sizes. It checks nothing itself.
bool has_room(const ascendcl_ge_tensor &tensor) { return tensor.rank <= ASCENDCL_GE_MAX_RANK; }

static_assert(gert::Shape::kMaxDimNum >= ASCENDCL_GE_MAX_RANK, "the executor's shapes have less room");

// The caller's memory as a tensor of the executor, whose shape has room for it. Without a manager, the tensor does not own
// the memory.
void describe(const ascendcl_ge_tensor &from, gert::Tensor &to) {
  for (gert::Shape *shape : {&to.MutableOriginShape(), &to.MutableStorageShape()}) {
    shape->SetDimNum(from.rank);
    for (size_t i = 0; i < from.rank; ++i) {
      shape->SetDim(i, from.dims[i]);
    }
  }
  to.SetDataType(static_cast<ge::DataType>(from.element));
  to.SetOriginFormat(ge::FORMAT_ND);
  to.SetStorageFormat(ge::FORMAT_ND);
  to.MutableTensorData() = gert::TensorData(from.address, nullptr, from.bytes, gert::kOnDeviceHbm);
}

// The same, as a tensor of the session.
ge::Tensor described(const ascendcl_ge_tensor &from) {
  ge::TensorDesc desc(ge::Shape(std::vector<int64_t>(from.dims, from.dims + from.rank)), ge::FORMAT_ND,
                      static_cast<ge::DataType>(from.element));
  desc.SetPlacement(ge::kPlacementDevice);
  ge::Tensor tensor(desc);
  tensor.SetData(static_cast<uint8_t *>(from.address), from.bytes, [](uint8_t *) {});
  return tensor;
}

ge::graphStatus read(const ascendcl_ge_source &source, ge::Graph &graph) {
  switch (source.format) {
    case ASCENDCL_GE_ONNX_FILE:
      return ge::aclgrphParseONNX(source.path, Options(), graph);
    case ASCENDCL_GE_ONNX_MEMORY:
      return ge::aclgrphParseONNXFromMem(static_cast<const char *>(source.start), source.bytes, Options(), graph);
    case ASCENDCL_GE_AIR_FILE:
      return graph.LoadFromFile(source.path);
    case ASCENDCL_GE_GRAPH:
      graph = *static_cast<const ge::Graph *>(source.start);
      return ge::GRAPH_SUCCESS;
    default:
      return refused("a graph of an unknown format");
  }
}

}  // namespace

struct ascendcl_ge_session {
  explicit ascendcl_ge_session(const Options &options) : engine(options) {}
  ge::Session engine;
};

struct ascendcl_ge_allocator {
  std::shared_ptr<CallersAllocator> allocator;
};

namespace {

// Closes the allocator when it ends, unless the caller has got the handle by then.
struct ClosesUnlessKept {
  const std::unique_ptr<ascendcl_ge_allocator> &handle;
  ~ClosesUnlessKept() {
    if (handle != nullptr) {
      handle->allocator->close();
    }
  }
};

}  // namespace

struct ascendcl_ge_outputs {
  // One of the two has the tensors, and with them their blocks.
  std::vector<gert::Tensor> executed;
  std::vector<ge::Tensor> ran;
  struct Seen {
    int32_t element;
    std::vector<int64_t> dims;
    void *address;
    size_t bytes;
  };
  std::vector<Seen> seen;
};

namespace {

void look_at_executed(ascendcl_ge_outputs &outputs) {
  for (const gert::Tensor &tensor : outputs.executed) {
    const gert::Shape &shape = tensor.GetStorageShape();
    std::vector<int64_t> dims(shape.GetDimNum());
    for (size_t i = 0; i < dims.size(); ++i) {
      dims[i] = shape.GetDim(i);
    }
    const gert::TensorData &data = tensor.GetTensorData();
    outputs.seen.push_back(
        {static_cast<int32_t>(tensor.GetDataType()), std::move(dims), data.GetAddr(), data.GetSize()});
  }
}

void look_at_ran(ascendcl_ge_outputs &outputs) {
  for (ge::Tensor &tensor : outputs.ran) {
    const ge::TensorDesc desc = tensor.GetTensorDesc();
    outputs.seen.push_back(
        {static_cast<int32_t>(desc.GetDataType()), desc.GetShape().GetDims(), tensor.GetData(), tensor.GetSize()});
  }
}

}  // namespace

extern "C" {

uint32_t ascendcl_ge_abi(void) noexcept { return ASCENDCL_GE_ABI; }

const char *ascendcl_ge_last_error(void) noexcept { return last_error.c_str(); }

ascendcl_ge_status ascendcl_ge_initialize(const ascendcl_ge_options *options) noexcept {
  return guarded([&] { return ge::GEInitialize(options_of(options)); });
}

ascendcl_ge_status ascendcl_ge_finalize(void) noexcept {
  return guarded([] { return ge::GEFinalize(); });
}

ascendcl_ge_status ascendcl_ge_session_create(const ascendcl_ge_options *options,
                                              ascendcl_ge_session **session) noexcept {
  return guarded([&]() -> ge::Status {
    const Options given = options_of(options);
    // The constructor does not say whether it failed. A session that the engine could not make has the id 0, which is
    // also that of the first one, and a call with it would reach that one. So no session with the id 0 is ever kept.
    for (int attempt = 0; attempt < 2; ++attempt) {
      auto made = std::make_unique<ascendcl_ge_session>(given);
      if (made->engine.GetSessionId() != 0) {
        *session = made.release();
        last_error.clear();
        return ge::SUCCESS;
      }
      // The engine's text has to be read before the next call. A second attempt without a text leaves that of the first.
      const ge::AscendString said = ge::GEGetErrorMsgV2();
      if (said.GetString() != nullptr && *said.GetString() != '\0') {
        remember(said.GetString());
      }
    }
    return last_error.empty() ? refused("the engine could not make the session, and does not say why") : ge::FAILED;
  });
}

ascendcl_ge_status ascendcl_ge_session_destroy(ascendcl_ge_session *session) noexcept {
  return guarded([&] {
    delete session;
    return ge::SUCCESS;
  });
}

ascendcl_ge_status ascendcl_ge_add_graph(ascendcl_ge_session *session, uint32_t id, const ascendcl_ge_source *source,
                                         const ascendcl_ge_options *options) noexcept {
  return guarded([&]() -> ge::Status {
    // A fresh object each time: the session changes the graph that it is given.
    ge::Graph graph("graph");
    const ge::graphStatus status = read(*source, graph);
    return status == ge::GRAPH_SUCCESS ? session->engine.AddGraph(id, graph, options_of(options)) : status;
  });
}

ascendcl_ge_status ascendcl_ge_remove_graph(ascendcl_ge_session *session, uint32_t id) noexcept {
  return guarded([&] { return session->engine.RemoveGraph(id); });
}

ascendcl_ge_status ascendcl_ge_compile_graph(ascendcl_ge_session *session, uint32_t id) noexcept {
  return guarded([&] { return session->engine.CompileGraph(id); });
}

ascendcl_ge_status ascendcl_ge_graph_summary(ascendcl_ge_session *session, uint32_t id,
                                             ascendcl_ge_summary *summary) noexcept {
  return guarded([&]() -> ge::Status {
    const ge::CompiledGraphSummaryPtr found = session->engine.GetCompiledGraphSummary(id);
    if (found == nullptr) {
      return refused("the graph has no summary: it is not compiled");
    }
    ascendcl_ge_summary answer{};
    answer.is_static = found->IsStatic() ? 1 : 0;
    if (found->IsStatic()) {
      bool refreshable = false;
      for (const ge::Status status : {found->GetConstMemorySize(answer.const_bytes),
                                      found->GetFeatureMemorySize(answer.feature_bytes),
                                      found->GetFeatureMemoryBaseRefreshable(refreshable)}) {
        if (status != ge::SUCCESS) {
          return status;
        }
      }
      answer.feature_memory_is_refreshable = refreshable ? 1 : 0;
    }
    *summary = answer;
    return ge::SUCCESS;
  });
}

ascendcl_ge_status ascendcl_ge_needs_rebuild(ascendcl_ge_session *session, uint32_t id, int32_t *answer) noexcept {
  return guarded([&] {
    *answer = session->engine.IsGraphNeedRebuild(id) ? 1 : 0;
    return ge::SUCCESS;
  });
}

ascendcl_ge_status ascendcl_ge_set_const_memory(ascendcl_ge_session *session, uint32_t id, const void *start,
                                                size_t bytes) noexcept {
  return guarded([&] { return session->engine.SetGraphConstMemoryBase(id, start, bytes); });
}

ascendcl_ge_status ascendcl_ge_set_feature_memory(ascendcl_ge_session *session, uint32_t id, const void *start,
                                                  size_t bytes) noexcept {
  return guarded([&] { return session->engine.UpdateGraphFeatureMemoryBase(id, start, bytes); });
}

ascendcl_ge_status ascendcl_ge_register_allocator(ascendcl_ge_session *session, void *stream,
                                                  const ascendcl_ge_calls *calls,
                                                  ascendcl_ge_allocator **allocator) noexcept {
  return guarded([&] {
    auto handle = std::make_unique<ascendcl_ge_allocator>();
    handle->allocator = std::make_shared<CallersAllocator>(*calls);
    // After a failure or an exception the engine may know the allocator all the same. It gets no more memory from it.
    const ClosesUnlessKept closes{handle};
    const ge::Status status = session->engine.RegisterExternalAllocator(stream, handle->allocator);
    if (status == ge::SUCCESS) {
      *allocator = handle.release();
    }
    return status;
  });
}

ascendcl_ge_status ascendcl_ge_unregister_allocator(ascendcl_ge_session *session, void *stream) noexcept {
  return guarded([&] { return session->engine.UnregisterExternalAllocator(stream); });
}

void ascendcl_ge_allocator_close(ascendcl_ge_allocator *allocator) noexcept {
  if (allocator != nullptr) {
    allocator->allocator->close();
    delete allocator;
  }
}

ascendcl_ge_status ascendcl_ge_load_graph(ascendcl_ge_session *session, uint32_t id, const ascendcl_ge_options *options,
                                          void *stream) noexcept {
  return guarded([&] { return session->engine.LoadGraph(id, options_of(options), stream); });
}

ascendcl_ge_status ascendcl_ge_execute_graph(ascendcl_ge_session *session, uint32_t id, void *stream,
                                             const ascendcl_ge_tensor *inputs, size_t count,
                                             ascendcl_ge_outputs **outputs) noexcept {
  return guarded([&]() -> ge::Status {
    std::vector<gert::Tensor> given(count);
    for (size_t i = 0; i < count; ++i) {
      if (!has_room(inputs[i])) {
        return refused("an input has more sizes than the engine's shapes have room for");
      }
      describe(inputs[i], given[i]);
    }
    // The caller's, whatever the engine answers or throws: work that it has queued all the same writes to them.
    auto *made = *outputs = new ascendcl_ge_outputs();
    const ge::Status status = session->engine.ExecuteGraphWithStreamAsync(id, stream, given, made->executed);
    if (status == ge::SUCCESS) {
      look_at_executed(*made);
    }
    return status;
  });
}

ascendcl_ge_status ascendcl_ge_run_graph(ascendcl_ge_session *session, uint32_t id, void *stream,
                                         const ascendcl_ge_tensor *inputs, size_t count,
                                         ascendcl_ge_outputs **outputs) noexcept {
  return guarded([&] {
    std::vector<ge::Tensor> given;
    for (size_t i = 0; i < count; ++i) {
      given.push_back(described(inputs[i]));
    }
    // The caller's, as those of an execution.
    auto *made = *outputs = new ascendcl_ge_outputs();
    const ge::Status status = session->engine.RunGraphWithStreamAsync(id, stream, given, made->ran);
    if (status == ge::SUCCESS) {
      look_at_ran(*made);
    }
    return status;
  });
}

size_t ascendcl_ge_outputs_count(const ascendcl_ge_outputs *outputs) noexcept { return outputs->seen.size(); }

void ascendcl_ge_outputs_get(const ascendcl_ge_outputs *outputs, size_t index, ascendcl_ge_tensor *tensor) noexcept {
  if (index < outputs->seen.size()) {
    const auto &seen = outputs->seen[index];
    *tensor = {seen.element, seen.dims.data(), seen.dims.size(), seen.address, seen.bytes};
  }
}

void ascendcl_ge_outputs_release(ascendcl_ge_outputs *outputs) noexcept { delete outputs; }

}  // extern "C"
