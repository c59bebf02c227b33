#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "graph/types.h"

namespace gert {

using TensorAddress = void *;
enum TensorPlacement : int32_t { kOnDeviceHbm, kOnHost, kFollowing, kOnDeviceP2p, kTensorPlacementEnd };
enum TensorOperateType : int32_t { kGetTensorAddress, kFreeTensor, kPlusShareCount };
using TensorAddrManager = ge::graphStatus (*)(TensorAddress, TensorOperateType, void **);

// Memory, and who manages it: nobody, or a function that translates, frees and counts.
class TensorData {
 public:
  explicit TensorData(TensorAddress address = nullptr, TensorAddrManager manager = nullptr) noexcept
      : TensorData(address, manager, 0, kTensorPlacementEnd) {}
  TensorData(TensorAddress address, TensorAddrManager manager, size_t size, TensorPlacement placement) noexcept
      : address_(address), manager_(manager), size_(size), placement_(placement) {}
  TensorData(const TensorData &) = delete;
  TensorData &operator=(const TensorData &) = delete;
  TensorData(TensorData &&other) noexcept { *this = static_cast<TensorData &&>(other); }
  TensorData &operator=(TensorData &&other) noexcept {
    if (this != &other) {
      Free();
      address_ = other.address_;
      manager_ = other.manager_;
      size_ = other.size_;
      placement_ = other.placement_;
      other.address_ = nullptr;
      other.manager_ = nullptr;
    }
    return *this;
  }
  ~TensorData() { Free(); }

  TensorAddress GetAddr() const {
    void *found = address_;
    if (manager_ != nullptr && address_ != nullptr && manager_(address_, kGetTensorAddress, &found) != ge::SUCCESS) {
      return nullptr;
    }
    return found;
  }
  size_t GetSize() const { return size_; }
  TensorPlacement GetPlacement() const { return placement_; }
  void Free() {
    if (manager_ != nullptr && address_ != nullptr) {
      manager_(address_, kFreeTensor, nullptr);
    }
    address_ = nullptr;
    manager_ = nullptr;
  }

 private:
  TensorAddress address_ = nullptr;
  TensorAddrManager manager_ = nullptr;
  size_t size_ = 0;
  TensorPlacement placement_ = kTensorPlacementEnd;
};

class Shape {
 public:
  static constexpr size_t kMaxDimNum = 25;

  size_t GetDimNum() const { return count_; }
  void SetDimNum(size_t count) { count_ = count; }
  int64_t GetDim(size_t index) const { return dims_[inside(index)]; }
  void SetDim(size_t index, int64_t size) { dims_[inside(index)] = size; }

 private:
  // The vendor's checks nothing, and writes beyond its array.
  static size_t inside(size_t index) {
    if (index >= kMaxDimNum) {
      std::abort();
    }
    return index;
  }

  size_t count_ = 0;
  int64_t dims_[kMaxDimNum] = {};
};

class Tensor {
 public:
  Shape &MutableOriginShape() { return origin_; }
  Shape &MutableStorageShape() { return storage_; }
  const Shape &GetStorageShape() const { return storage_; }
  ge::DataType GetDataType() const { return type_; }
  void SetDataType(ge::DataType type) { type_ = type; }
  void SetOriginFormat(ge::Format) {}
  void SetStorageFormat(ge::Format) {}
  const TensorData &GetTensorData() const { return data_; }
  TensorData &MutableTensorData() { return data_; }

 private:
  Shape origin_;
  Shape storage_;
  ge::DataType type_ = ge::DT_UNDEFINED;
  TensorData data_;
};

}  // namespace gert
