#include "control.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <stdexcept>

#include "acl.h"
#include "allocators.h"
#include "ge_double.h"

namespace control {
namespace {

std::mutex mutex;
std::condition_variable released;
std::string calls;
std::map<std::string, int> upset;
// By the number of the call since the last reset.
std::map<size_t, int> upset_at;
size_t begun = 0;
bool held = false;

void wait_for_release(void *) {
  std::unique_lock<std::mutex> lock(mutex);
  released.wait(lock, [] { return !held; });
}

int how_upset(const std::string &call) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto numbered = upset_at.find(++begun);
  if (numbered != upset_at.end()) {
    return numbered->second;
  }
  const auto found = upset.find(call);
  const int how = found == upset.end() ? 0 : found->second;
  upset.erase(call);
  return how;
}

}  // namespace

State &state() {
  static State state;
  return state;
}

void note(const std::string &call) {
  const std::lock_guard<std::mutex> lock(mutex);
  calls += call + "\n";
}

bool begins(const std::string &call, const std::string &object) {
  note(object.empty() ? call : call + " " + object);
  switch (how_upset(call)) {
    case 0:
      return true;
    case 2:
      throw std::runtime_error("the double was told to throw in " + call);
    case 3:
      throw 3;
    case 4:
      state().fails_after = true;
      return true;
    case 5:
      state().throws_after = true;
      return true;
    default:
      state().error = "the double was told to fail in " + call;
      return false;
  }
}

ge::Status fails(const std::string &why) {
  state().error = why;
  return ge::FAILED;
}

void wait_if_held(void *stream) {
  bool holds = false;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    holds = held;
  }
  if (holds) {
    acl::launch(stream, wait_for_release);
  }
}

}  // namespace control

extern "C" {

void ge_double_use(void *(*resolve)(const char *name)) { acl::use(resolve); }

void ge_double_upset(const char *call, int how) {
  const std::lock_guard<std::mutex> lock(control::mutex);
  control::upset[call] = how;
}

void ge_double_upset_at(size_t number, int how) {
  const std::lock_guard<std::mutex> lock(control::mutex);
  control::upset_at[number] = how;
}

void ge_double_hold(int hold) {
  const std::lock_guard<std::mutex> lock(control::mutex);
  control::held = hold != 0;
  control::released.notify_all();
}

size_t ge_double_count(const char *what) {
  const std::lock_guard<std::mutex> lock(control::mutex);
  const control::State &state = control::state();
  const std::map<std::string, size_t> counts = {{"initialised", state.initialised ? 1 : 0},
                                                {"sessions", state.sessions},
                                                {"graphs", state.graphs},
                                                {"allocators", state.allocators},
                                                {"calls", control::begun}};
  const auto found = counts.find(what);
  return found == counts.end() ? 0 : found->second;
}

const char *ge_double_log() {
  static thread_local std::string copy;
  const std::lock_guard<std::mutex> lock(control::mutex);
  copy = control::calls;
  return copy.c_str();
}

void ge_double_reset() {
  ge_double_hold(0);
  control::Allocators::all().forget();
  const std::lock_guard<std::mutex> lock(control::mutex);
  control::calls.clear();
  control::upset.clear();
  control::upset_at.clear();
  control::begun = 0;
  control::state().fails_after = false;
  control::state().throws_after = false;
}

}
