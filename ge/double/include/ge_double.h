// What tests ask of the double, beside the vendor's names.
#pragma once

#include <cstddef>

extern "C" {

// Where the double finds the functions of AscendCL.
void ge_double_use(void *(*resolve)(const char *name));

// The next call of this name: 1 fails, 2 throws a std::exception, 3 throws something else.
void ge_double_upset(const char *call, int how);

// 1: executions from now on begin when this is called with 0.
void ge_double_hold(int hold);

// "initialised", "sessions", "graphs", "allocators": how many there are.
size_t ge_double_count(const char *what);

// The calls since the last reset, one a line, each with its object's number; until the next call.
const char *ge_double_log();
void ge_double_reset();

}
