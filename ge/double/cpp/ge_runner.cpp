// libge_runner.so of the double: the few session calls that the shim uses, over AscendCL's model engine.
//
// It answers as the vendor's documentation says; where that says "undefined" it fails. A static graph takes its constant
// and its feature memory when it is loaded; every execution takes its outputs and a piece that it frees at once.

#include "ge/ge_api.h"

#include <stdexcept>
#include <string>

#include "acl.h"
#include "control.h"
#include "session.h"

namespace {

using control::begins;

ge::graphStatus manage(gert::TensorAddress address, gert::TensorOperateType operation, void **out) {
  auto *block = static_cast<ge::MemBlock *>(address);
  switch (operation) {
    case gert::kGetTensorAddress:
      *out = block->GetAddr();
      break;
    case gert::kFreeTensor:
      block->Free();
      break;
    case gert::kPlusShareCount:
      block->AddCount();
      break;
  }
  return ge::GRAPH_SUCCESS;
}

}  // namespace

namespace ge {

// The device that the options of the engine name, or -1. The engine sets it, and resets it at its end.
int device_of(const std::map<AscendString, AscendString> &options) {
  const auto mode = options.find("ge.graphRunMode");
  const auto device = options.find("ge.exec.deviceId");
  if (device != options.end()) {
    return std::stoi(device->second.GetString());
  }
  return mode == options.end() || std::string(mode->second.GetString()) == "0" ? -1 : 0;
}

Status GEInitialize(const std::map<AscendString, AscendString> &options) {
  if (!begins("GEInitialize")) {
    return FAILED;
  }
  if (state().initialised) {
    return fails("the engine is initialised already");
  }
  state().device = device_of(options);
  if (state().device >= 0 && !acl::set_device(state().device)) {
    return fails("the device cannot be set");
  }
  Sessions::all().next = 0;
  state().initialised = true;
  return SUCCESS;
}

Status GEFinalize() {
  if (!begins("GEFinalize")) {
    return FAILED;
  }
  if (state().sessions != 0) {
    return fails("a session is left");
  }
  state().initialised = false;
  if (state().device >= 0 && !acl::reset_device(state().device)) {
    return fails("the device cannot be reset");
  }
  return SUCCESS;
}

AscendString GEGetErrorMsgV2() { return AscendString(state().error.c_str()); }

Session::Session(const std::map<AscendString, AscendString> &options) : inside_(std::make_shared<Inside>()) {
  // Without the option it is on the engine's own device.
  const auto device = options.find("ge.session_device_id");
  const std::string on = device == options.end() ? "" : device->second.GetString();
  const bool refuses = options.count("") != 0 || options.count("ge.autoTuneMode") != 0;
  const bool works = begins("Session", on) && state().initialised && !refuses;
  Sessions &all = Sessions::all();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (!works) {
    if (refuses) {
      fails("an option that the engine does not know");
    }
    const auto first = all.of.find(0);
    inside_ = first == all.of.end() ? inside_ : first->second;
    return;
  }
  id_ = all.next++;
  all.of[id_] = inside_;
  inside_->exists = true;
  inside_->context = acl::create_context(on.empty() ? 0 : std::stoi(on));
  inside_->on_a_thread = options.count("double.allocate_on_a_thread") != 0;
  inside_->shares_outputs = options.count("double.share_outputs") != 0;
  ++state().sessions;
}

// It ends the session that has its number.
Session::~Session() {
  control::note("~Session");
  Sessions &all = Sessions::all();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (all.of.erase(id_) == 0) {
    return;
  }
  inside_->exists = false;
  inside_->graphs.clear();
  acl::make_current(inside_->context);
  acl::destroy_context(inside_->context);
  --state().sessions;
}

Status Session::AddGraph(uint32_t id, const Graph &graph, const std::map<AscendString, AscendString> &options) {
  const auto device = options.find("ge.session_device_id");
  const std::string on = device == options.end() ? "" : std::string(" on ") + device->second.GetString();
  if (!begins("AddGraph", std::to_string(id) + on)) {
    return FAILED;
  }
  if (!inside_->exists) {
    return fails("there is no such session");
  }
  // A second graph under an id is dropped without a word.
  if (inside_->graphs.count(id) == 0) {
    const std::string &bytes = graph.bytes();
    inside_->graphs[id] = std::make_unique<LiveGraph>(std::vector<char>(bytes.begin(), bytes.end()));
  }
  return inside_->leaves(SUCCESS);
}

Status Session::RemoveGraph(uint32_t id) {
  if (!begins("RemoveGraph", std::to_string(id))) {
    return FAILED;
  }
  return inside_->graphs.erase(id) == 1 ? inside_->leaves(SUCCESS) : fails("there is no such graph");
}

Status Session::CompileGraph(uint32_t id) {
  if (!begins("CompileGraph", std::to_string(id))) {
    return FAILED;
  }
  const auto found = inside_->graphs.find(id);
  if (found == inside_->graphs.end()) {
    return fails("there is no such graph");
  }
  try {
    found->second->model = std::make_unique<acl::Model>(found->second->file);
    return inside_->leaves(SUCCESS);
  } catch (const std::runtime_error &exception) {
    return fails(exception.what());
  }
}

CompiledGraphSummaryPtr Session::GetCompiledGraphSummary(uint32_t id) {
  const LiveGraph *graph = begins("GetCompiledGraphSummary") ? inside_->compiled(id) : nullptr;
  if (graph == nullptr) {
    return nullptr;
  }
  const acl::Model &model = *graph->model;
  return std::make_shared<CompiledGraphSummary>(model.is_static(), model.const_bytes(), model.feature_bytes());
}

bool Session::IsGraphNeedRebuild(uint32_t id) { return !begins("IsGraphNeedRebuild", std::to_string(id)); }

Status Session::SetGraphConstMemoryBase(uint32_t id, const void *const memory, size_t size) {
  LiveGraph *graph = begins("SetGraphConstMemoryBase", std::to_string(id)) ? inside_->compiled(id) : nullptr;
  if (graph == nullptr || !graph->model->is_static() || graph->loaded || graph->const_is_set || memory == nullptr ||
      size < graph->model->const_bytes()) {
    return fails("constant memory is set once, between compile and load of a static graph, and holds its constants");
  }
  graph->const_is_set = true;
  return SUCCESS;
}

Status Session::UpdateGraphFeatureMemoryBase(uint32_t id, const void *const memory, size_t size) {
  LiveGraph *graph = begins("UpdateGraphFeatureMemoryBase", std::to_string(id)) ? inside_->compiled(id) : nullptr;
  if (graph == nullptr || !graph->model->is_static() || graph->feature_is_set || memory == nullptr ||
      size < graph->model->feature_bytes()) {
    return fails("feature memory of a graph that is not refreshable is set once, and holds what the graph needs");
  }
  graph->feature_is_set = true;
  return SUCCESS;
}

Status Session::RegisterExternalAllocator(const void *const stream, AllocatorPtr allocator) const {
  if (!begins("RegisterExternalAllocator")) {
    return FAILED;
  }
  if (stream == nullptr || allocator == nullptr) {
    return fails("a null stream or allocator");
  }
  if (!inside_->exists) {
    return fails("there is no such session");
  }
  control::Allocators::all().insert(stream, std::move(allocator));
  if (state().throws_after.exchange(false)) {
    throw std::runtime_error("the double was told to throw after RegisterExternalAllocator");
  }
  return SUCCESS;
}

Status Session::UnregisterExternalAllocator(const void *const stream) const {
  if (!begins("UnregisterExternalAllocator")) {
    return FAILED;
  }
  if (stream == nullptr) {
    return fails("a null stream");
  }
  control::Allocators::all().erase(stream);
  return SUCCESS;
}

Status Session::LoadGraph(uint32_t id, const std::map<AscendString, AscendString> &, void *stream) const {
  LiveGraph *graph = begins("LoadGraph", std::to_string(id)) ? inside_->compiled(id) : nullptr;
  if (graph == nullptr || graph->loaded) {
    return fails("only a compiled graph is loaded, and once");
  }
  // From now on, whatever is registered later.
  graph->allocator = inside_->allocator_of(stream);
  const bool own = !graph->const_is_set && !graph->feature_is_set;
  if (graph->model->is_static() && own) {
    MemBlock *constants = graph->allocator->Malloc(graph->model->const_bytes());
    MemBlock *features = graph->allocator->Malloc(graph->model->feature_bytes());
    if (constants == nullptr || features == nullptr) {
      for (MemBlock *block : {constants, features}) {
        if (block != nullptr) {
          block->Free();
        }
      }
      return fails("the allocator has no memory");
    }
    graph->held = {constants, features};
  }
  if (!own) {
    graph->allocator = inside_->built_in;
  }
  graph->loaded = true;
  graph->stream = stream;
  return inside_->leaves(SUCCESS);
}

Status Session::ExecuteGraphWithStreamAsync(uint32_t id, void *stream, const std::vector<gert::Tensor> &inputs,
                                            std::vector<gert::Tensor> &outputs) {
  LiveGraph *graph = begins("ExecuteGraphWithStreamAsync", std::to_string(id)) ? inside_->compiled(id) : nullptr;
  if (graph == nullptr || !graph->loaded) {
    return fails("only a loaded graph is executed");
  }
  if (stream != graph->stream) {
    return fails("the graph was loaded on another stream, which may be at work on it still");
  }
  std::vector<acl::Tensor> from;
  for (const gert::Tensor &input : inputs) {
    if (input.GetTensorData().GetPlacement() != gert::kOnDeviceHbm) {
      return fails("an input that is not on the device");
    }
    from.push_back(acl::of(input));
  }
  state().error.clear();
  std::vector<acl::Tensor> to;
  std::vector<MemBlock *> blocks;
  if (inside_->execute(*graph, *graph->allocator, stream, from, to, blocks) != SUCCESS) {
    return FAILED;
  }
  outputs = std::vector<gert::Tensor>(to.size());
  for (size_t i = 0; i < to.size(); ++i) {
    gert::Shape &shape = outputs[i].MutableStorageShape();
    shape.SetDimNum(to[i].dims.size());
    for (size_t j = 0; j < to[i].dims.size(); ++j) {
      shape.SetDim(j, to[i].dims[j]);
    }
    outputs[i].SetDataType(static_cast<DataType>(to[i].element));
    outputs[i].MutableTensorData() = gert::TensorData(blocks[i], manage, to[i].bytes, gert::kOnDeviceHbm);
  }
  if (state().fails_after.exchange(false)) {
    return fails("the double was told to fail after ExecuteGraphWithStreamAsync");
  }
  return inside_->leaves(SUCCESS);
}

Status Session::RunGraphWithStreamAsync(uint32_t id, void *stream, const std::vector<Tensor> &inputs,
                                        std::vector<Tensor> &outputs) {
  const auto found = inside_->graphs.find(id);
  if (!begins("RunGraphWithStreamAsync", std::to_string(id)) || found == inside_->graphs.end()) {
    return fails("there is no such graph");
  }
  LiveGraph &graph = *found->second;
  if (graph.model == nullptr) {
    graph.model = std::make_unique<acl::Model>(graph.file);
  }
  std::vector<acl::Tensor> from;
  for (const Tensor &input : inputs) {
    Tensor shared = input;
    const TensorDesc desc = shared.GetTensorDesc();
    from.push_back({static_cast<int32_t>(desc.GetDataType()), desc.GetShape().GetDims(), shared.GetData(),
                    shared.GetSize()});
  }
  state().error.clear();
  std::vector<acl::Tensor> to;
  std::vector<MemBlock *> blocks;
  if (inside_->execute(graph, *inside_->allocator_of(stream), stream, from, to, blocks) != SUCCESS) {
    return FAILED;
  }
  for (size_t i = 0; i < to.size(); ++i) {
    Tensor output(TensorDesc(Shape(to[i].dims), FORMAT_ND, static_cast<DataType>(to[i].element)));
    MemBlock *block = blocks[i];
    output.SetData(static_cast<uint8_t *>(block->GetAddr()), to[i].bytes, [block](uint8_t *) { block->Free(); });
    outputs.push_back(output);
  }
  return inside_->leaves(SUCCESS);
}

}  // namespace ge

