#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "exe_graph/runtime/tensor.h"
#include "ge/ge_allocator.h"
#include "graph/ascend_string.h"
#include "graph/graph.h"
#include "graph/tensor.h"

namespace ge {

Status GEInitialize(const std::map<AscendString, AscendString> &options);
Status GEFinalize();
AscendString GEGetErrorMsgV2();

class CompiledGraphSummary {
 public:
  CompiledGraphSummary(bool is_static, size_t const_bytes, size_t feature_bytes)
      : is_static_(is_static), const_bytes_(const_bytes), feature_bytes_(feature_bytes) {}
  bool IsStatic() const { return is_static_; }
  Status GetConstMemorySize(size_t &size) const { return answer(const_bytes_, size); }
  Status GetFeatureMemorySize(size_t &size) const { return answer(feature_bytes_, size); }
  Status GetFeatureMemoryBaseRefreshable(bool &refreshable) const {
    refreshable = false;
    return is_static_ ? SUCCESS : FAILED;
  }

 private:
  Status answer(size_t known, size_t &size) const {
    size = known;
    return is_static_ ? SUCCESS : FAILED;
  }

  bool is_static_;
  size_t const_bytes_;
  size_t feature_bytes_;
};

using CompiledGraphSummaryPtr = std::shared_ptr<CompiledGraphSummary>;

class Session {
 public:
  explicit Session(const std::map<AscendString, AscendString> &options);
  ~Session();

  // 0 also for a session that the engine could not make.
  uint64_t GetSessionId() const { return id_; }

  Status AddGraph(uint32_t id, const Graph &graph, const std::map<AscendString, AscendString> &options);
  Status RemoveGraph(uint32_t id);
  Status CompileGraph(uint32_t id);
  CompiledGraphSummaryPtr GetCompiledGraphSummary(uint32_t id);
  bool IsGraphNeedRebuild(uint32_t id);
  Status SetGraphConstMemoryBase(uint32_t id, const void *const memory, size_t size);
  Status UpdateGraphFeatureMemoryBase(uint32_t id, const void *const memory, size_t size);
  Status RegisterExternalAllocator(const void *const stream, AllocatorPtr allocator) const;
  Status UnregisterExternalAllocator(const void *const stream) const;
  Status LoadGraph(uint32_t id, const std::map<AscendString, AscendString> &options, void *stream) const;
  Status ExecuteGraphWithStreamAsync(uint32_t id, void *stream, const std::vector<gert::Tensor> &inputs,
                                     std::vector<gert::Tensor> &outputs);
  Status RunGraphWithStreamAsync(uint32_t id, void *stream, const std::vector<Tensor> &inputs,
                                 std::vector<Tensor> &outputs);

  // Of the double only.
  struct Inside;

 private:
  uint64_t id_ = 0;
  std::shared_ptr<Inside> inside_;
};

}  // namespace ge
