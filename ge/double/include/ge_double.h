// What tests ask of the double, beside the vendor's names.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

// Where the double finds the functions of AscendCL.
void ge_double_use(void *(*resolve)(const char *name));

// The next call of this name: 1 fails, 2 throws a std::exception, 3 throws something else, 4 (an execution) fails when it
// has queued its work.
void ge_double_upset(const char *call, int how);

// The call with this number, counted from the last reset, does so, whatever its name.
void ge_double_upset_at(size_t number, int how);

// 1: executions from now on begin when this is called with 0.
void ge_double_hold(int hold);

// "initialised", "sessions", "graphs", "allocators": how many there are. "calls": how many there were since the last reset.
size_t ge_double_count(const char *what);

// The calls since the last reset, one a line, each with its object's number; until the next call.
const char *ge_double_log();
void ge_double_reset();

// A ge::Graph of these bytes, and the ge::Tensors that programs of the vendor's wrapper handle. Memory stays the caller's.
void *ge_double_graph(const char *bytes, size_t count);
void ge_double_graph_free(void *graph);
void *ge_double_tensor(int element, const int64_t *dims, size_t rank, void *address, size_t bytes);
void *ge_double_tensor_address(void *tensor);
size_t ge_double_tensor_bytes(void *tensor);
void ge_double_tensor_free(void *tensor);
// What the wrapper has answered: the tensors, and their array.
void ge_double_tensors_free(void **tensors, size_t count);

}
