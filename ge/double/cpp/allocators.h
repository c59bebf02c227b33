// The allocators by the addresses of the streams that they serve. There is one table in the process: a registration stays
// when its stream or its session ends.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "control.h"
#include "ge/ge_api.h"

namespace control {

struct Allocators {
  std::mutex mutex;
  std::map<const void *, ge::AllocatorPtr> of;

  static Allocators &all() {
    static Allocators allocators;
    return allocators;
  }

  void insert(const void *stream, ge::AllocatorPtr allocator) {
    const std::lock_guard<std::mutex> lock(mutex);
    of[stream] = std::move(allocator);
    state().allocators = of.size();
  }

  ge::AllocatorPtr find(const void *stream) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = of.find(stream);
    return found == of.end() ? nullptr : found->second;
  }

  // As the end of the process does.
  void forget() {
    std::map<const void *, ge::AllocatorPtr> gone;
    const std::lock_guard<std::mutex> lock(mutex);
    gone.swap(of);
    state().allocators = 0;
  }

  void erase(const void *stream) {
    const std::lock_guard<std::mutex> lock(mutex);
    of.erase(stream);
    state().allocators = of.size();
  }
};

}  // namespace control
