#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "graph/types.h"

namespace ge {

class Shape {
 public:
  Shape() = default;
  explicit Shape(const std::vector<int64_t> &dims) : dims_(dims) {}
  std::vector<int64_t> GetDims() const { return dims_; }

 private:
  std::vector<int64_t> dims_;
};

class TensorDesc {
 public:
  TensorDesc() = default;
  explicit TensorDesc(Shape shape, Format format = FORMAT_ND, DataType type = DT_FLOAT)
      : shape_(std::move(shape)), format_(format), type_(type) {}
  Shape GetShape() const { return shape_; }
  DataType GetDataType() const { return type_; }
  void SetPlacement(Placement placement) { placement_ = placement; }
  Placement GetPlacement() const { return placement_; }

 private:
  Shape shape_;
  Format format_ = FORMAT_ND;
  DataType type_ = DT_UNDEFINED;
  Placement placement_ = kPlacementHost;
};

// Copies share the data, which the last one gives back.
class Tensor {
 public:
  using DeleteFunc = std::function<void(uint8_t *)>;

  Tensor() = default;
  explicit Tensor(const TensorDesc &desc) : desc_(desc) {}
  TensorDesc GetTensorDesc() const { return desc_; }
  uint8_t *GetData() { return data_.get(); }
  size_t GetSize() const { return size_; }

  graphStatus SetData(uint8_t *data, size_t size, const DeleteFunc &deleter) {
    data_ = std::shared_ptr<uint8_t>(data, deleter);
    size_ = size;
    return GRAPH_SUCCESS;
  }

 private:
  TensorDesc desc_;
  std::shared_ptr<uint8_t> data_;
  size_t size_ = 0;
};

}  // namespace ge
