// The allocators by the streams that they serve. The engine has one table for all sessions, and a registration stays when
// its stream ends.
#pragma once

#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "control.h"
#include "ge/ge_api.h"

namespace control {

struct Allocators {
  std::mutex mutex;
  std::map<const void *, std::pair<const void *, ge::AllocatorPtr>> of;

  static Allocators &all() {
    static Allocators allocators;
    return allocators;
  }

  void insert(const void *session, const void *stream, ge::AllocatorPtr allocator) {
    const std::lock_guard<std::mutex> lock(mutex);
    of[stream] = {session, std::move(allocator)};
    state().allocators = of.size();
  }

  ge::AllocatorPtr find(const void *stream) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = of.find(stream);
    return found == of.end() ? nullptr : found->second.second;
  }

  void erase(const void *stream) {
    const std::lock_guard<std::mutex> lock(mutex);
    of.erase(stream);
    state().allocators = of.size();
  }

  // Those of a session that is destroyed.
  void erase_of(const void *session) {
    const std::lock_guard<std::mutex> lock(mutex);
    for (auto entry = of.begin(); entry != of.end();) {
      entry = entry->second.first == session ? of.erase(entry) : std::next(entry);
    }
    state().allocators = of.size();
  }
};

}  // namespace control
