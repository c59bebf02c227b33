// The engine's kind of allocator over the C functions of a caller.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "ascendcl_ge.h"
#include "ge/ge_allocator.h"

// For the one file that includes it.
namespace {

class CallersAllocator;

// A block of the caller's, as the engine knows it. While it is out it keeps its allocator.
class Block final : public ge::MemBlock {
 public:
  Block(std::shared_ptr<CallersAllocator> keeps, ge::Allocator &allocator, void *address, size_t bytes, void *callers)
      : ge::MemBlock(allocator, address, bytes), keeps_(std::move(keeps)), callers_(callers) {}

  void *callers() const { return callers_; }
  std::shared_ptr<CallersAllocator> keeps() const { return keeps_; }

 private:
  std::shared_ptr<CallersAllocator> keeps_;
  void *callers_;
};

// The engine's kind of allocator over the caller's C functions.
class CallersAllocator final : public ge::Allocator, public std::enable_shared_from_this<CallersAllocator> {
 public:
  explicit CallersAllocator(const ascendcl_ge_calls &calls) : calls_(calls) {}

  ge::MemBlock *Malloc(size_t bytes) override {
    return hand_out(bytes, [&] { return calls_.allocate(calls_.object, bytes); });
  }

  ge::MemBlock *MallocAdvise(size_t bytes, void *near) override {
    return hand_out(bytes, [&] { return calls_.advise(calls_.object, bytes, near); });
  }

  void Free(ge::MemBlock *block) override {
    auto *own = static_cast<Block *>(block);
    if (own == nullptr) {
      return;
    }
    // The last block may be all that keeps this object.
    const auto keeps = own->keeps();
    calls_.free(calls_.object, own->callers());
    delete own;
  }

  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = false;
  }

 private:
  // Null when there is none: the engine is not a caller that catches.
  template <typename Ask>
  ge::MemBlock *hand_out(size_t bytes, Ask ask) noexcept {
    void *callers = nullptr;
    try {
      const std::lock_guard<std::mutex> lock(mutex_);
      callers = open_ ? ask() : nullptr;
      if (callers == nullptr) {
        return nullptr;
      }
      return new Block(shared_from_this(), *this, calls_.address_of(callers), bytes, callers);
    } catch (...) {
      if (callers != nullptr) {
        calls_.free(calls_.object, callers);
      }
      return nullptr;
    }
  }

  std::mutex mutex_;
  bool open_ = true;
  const ascendcl_ge_calls calls_;
};

}  // namespace
