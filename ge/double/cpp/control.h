// What tests see of the double, and what they make it do.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "graph/types.h"

namespace control {

struct State {
  std::atomic<bool> initialised{false};
  std::atomic<size_t> sessions{0};
  std::atomic<size_t> graphs{0};
  std::atomic<size_t> allocators{0};
  // The call that has begun answers a failure when it has done its work.
  std::atomic<bool> fails_after{false};
  // The call that has begun throws when it has done its work.
  std::atomic<bool> throws_after{false};
  // The device that the engine has set for itself, or -1.
  std::atomic<int> device{-1};
  // What the engine says about its last failure.
  std::string error;
};

State &state();

void note(const std::string &call);

// Notes the call, and does with it what a test has asked for: false when it is to fail.
bool begins(const std::string &call, const std::string &object = "");

ge::Status fails(const std::string &why);

// If tests hold executions, queues a task on the stream that ends when they no longer do.
void wait_if_held(void *stream);

}  // namespace control
