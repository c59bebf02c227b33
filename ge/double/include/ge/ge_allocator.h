#pragma once

#include <cstddef>
#include <memory>

namespace ge {

class MemBlock;

class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual MemBlock *Malloc(size_t size) = 0;
  virtual void Free(MemBlock *block) = 0;
  virtual MemBlock *MallocAdvise(size_t size, void *) { return Malloc(size); }
};

class MemBlock {
 public:
  MemBlock(Allocator &allocator, void *address, size_t size)
      : allocator_(allocator), address_(address), size_(size) {}
  virtual ~MemBlock() = default;
  void *GetAddr() { return address_; }
  const void *GetAddr() const { return address_; }
  size_t GetSize() const { return size_; }
  void SetSize(size_t size) { size_ = size; }
  size_t GetCount() const { return count_; }
  size_t AddCount() { return ++count_; }
  size_t SubCount() { return --count_; }
  void Free() {
    if (count_ > 0 && SubCount() == 0) {
      allocator_.Free(this);
    }
  }

 private:
  Allocator &allocator_;
  void *address_;
  size_t size_;
  size_t count_ = 1;
};

using AllocatorPtr = std::shared_ptr<Allocator>;

}  // namespace ge
