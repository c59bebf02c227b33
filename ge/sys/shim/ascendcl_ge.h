/* The graph engine's session API as plain C, for programs that cannot call C++.
 *
 * Every function that answers with an ascendcl_ge_status answers ASCENDCL_GE_SUCCESS, the engine's own code, or
 * ASCENDCL_GE_EXCEPTION; what the engine or the exception says is ascendcl_ge_last_error() on the same thread until its
 * next call. No exception crosses.
 *
 * Ownership. A pointer parameter is read during the call and not kept, unless it says otherwise here:
 *   - ascendcl_ge_session *      made by session_create; the caller's until session_destroy, which ends it.
 *   - ascendcl_ge_allocator *    made by register_allocator; the caller's until allocator_close, which ends it.
 *   - ascendcl_ge_calls.object   the caller's. It has to stay in place until allocator_close has returned, and while a
 *                                block of its is out. The functions are called on any thread, one `allocate` at a time.
 *   - blocks                     made by `allocate`, given back by `free` exactly once, also after allocator_close.
 *   - ascendcl_ge_outputs *      made by execute and run; the caller's until outputs_release, which gives the blocks of
 *                                the tensors back. What outputs_get answers points into it.
 *   - device memory              of inputs and memory bases is the caller's: until the stream was synchronised, and
 *                                until the graph was removed.
 *   - strings that are answered  valid until this thread's next call. */
#ifndef ASCENDCL_GE_H
#define ASCENDCL_GE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define ASCENDCL_GE_NOEXCEPT noexcept
extern "C" {
#else
#define ASCENDCL_GE_NOEXCEPT
#endif

#define ASCENDCL_GE_ABI 2u

typedef uint32_t ascendcl_ge_status;
#define ASCENDCL_GE_SUCCESS 0u
/* Neither the engine nor its error classes use this number. */
#define ASCENDCL_GE_EXCEPTION 0xFFFFFF00u

typedef struct ascendcl_ge_session ascendcl_ge_session;
typedef struct ascendcl_ge_allocator ascendcl_ge_allocator;
typedef struct ascendcl_ge_outputs ascendcl_ge_outputs;

/* `count` pairs of terminated strings. */
typedef struct {
  const char *const *keys;
  const char *const *values;
  size_t count;
} ascendcl_ge_options;

/* Where a graph comes from: a file, for ONNX also memory, or a ge::Graph. */
typedef enum {
  ASCENDCL_GE_ONNX_FILE = 0,
  ASCENDCL_GE_ONNX_MEMORY = 1,
  ASCENDCL_GE_AIR_FILE = 2,
  ASCENDCL_GE_GRAPH = 3
} ascendcl_ge_format;

/* `path` for files; `start` and `bytes` for memory; `start` for a ge::Graph. */
typedef struct {
  int32_t format;
  const char *path;
  const void *start;
  size_t bytes;
} ascendcl_ge_source;

/* What compiling found out. Sizes in bytes; those of a graph that is not static are 0. */
typedef struct {
  int32_t is_static;
  int32_t feature_memory_is_refreshable;
  size_t const_bytes;
  size_t feature_bytes;
} ascendcl_ge_summary;

/* As many sizes the executor's shapes have room for. */
#define ASCENDCL_GE_MAX_RANK 25u

/* A device tensor: `dims` has `rank` sizes, `element` is the vendor's number of the data type. */
typedef struct {
  int32_t element;
  const int64_t *dims;
  size_t rank;
  void *address;
  size_t bytes;
} ascendcl_ge_tensor;

/* The caller's allocator. `allocate` answers a block or null; `advise` the same, near an address if possible;
 * `address_of` the device address of a block that is out. None of them may unwind or call the engine. */
typedef struct {
  void *object;
  void *(*allocate)(void *object, size_t bytes);
  void *(*advise)(void *object, size_t bytes, void *near);
  void (*free)(void *object, void *block);
  void *(*address_of)(void *block);
} ascendcl_ge_calls;

/* ASCENDCL_GE_ABI of the library that was loaded. */
uint32_t ascendcl_ge_abi(void) ASCENDCL_GE_NOEXCEPT;
const char *ascendcl_ge_last_error(void) ASCENDCL_GE_NOEXCEPT;

ascendcl_ge_status ascendcl_ge_initialize(const ascendcl_ge_options *options) ASCENDCL_GE_NOEXCEPT;
ascendcl_ge_status ascendcl_ge_finalize(void) ASCENDCL_GE_NOEXCEPT;

/* Every call of a session, this one and its end too, may leave another context current on the thread. */
ascendcl_ge_status ascendcl_ge_session_create(const ascendcl_ge_options *options,
                                              ascendcl_ge_session **session) ASCENDCL_GE_NOEXCEPT;
/* Every stream that the session's graphs ran on was synchronised. The session is gone, whatever the answer. */
ascendcl_ge_status ascendcl_ge_session_destroy(ascendcl_ge_session *session) ASCENDCL_GE_NOEXCEPT;

/* Reads a graph and adds it under an id that the session does not have. */
ascendcl_ge_status ascendcl_ge_add_graph(ascendcl_ge_session *session, uint32_t id, const ascendcl_ge_source *source,
                                         const ascendcl_ge_options *options) ASCENDCL_GE_NOEXCEPT;
ascendcl_ge_status ascendcl_ge_remove_graph(ascendcl_ge_session *session, uint32_t id) ASCENDCL_GE_NOEXCEPT;
ascendcl_ge_status ascendcl_ge_compile_graph(ascendcl_ge_session *session, uint32_t id) ASCENDCL_GE_NOEXCEPT;
ascendcl_ge_status ascendcl_ge_graph_summary(ascendcl_ge_session *session, uint32_t id,
                                             ascendcl_ge_summary *summary) ASCENDCL_GE_NOEXCEPT;
/* Whether the graph has become stale: it has to be removed, added and compiled again. */
ascendcl_ge_status ascendcl_ge_needs_rebuild(ascendcl_ge_session *session, uint32_t id,
                                             int32_t *answer) ASCENDCL_GE_NOEXCEPT;

ascendcl_ge_status ascendcl_ge_set_const_memory(ascendcl_ge_session *session, uint32_t id, const void *start,
                                                size_t bytes) ASCENDCL_GE_NOEXCEPT;
ascendcl_ge_status ascendcl_ge_set_feature_memory(ascendcl_ge_session *session, uint32_t id, const void *start,
                                                  size_t bytes) ASCENDCL_GE_NOEXCEPT;

ascendcl_ge_status ascendcl_ge_register_allocator(ascendcl_ge_session *session, void *stream,
                                                  const ascendcl_ge_calls *calls,
                                                  ascendcl_ge_allocator **allocator) ASCENDCL_GE_NOEXCEPT;
ascendcl_ge_status ascendcl_ge_unregister_allocator(ascendcl_ge_session *session, void *stream) ASCENDCL_GE_NOEXCEPT;
/* Waits for an `allocate` that is under way. From then on the engine is told that there is no memory. */
void ascendcl_ge_allocator_close(ascendcl_ge_allocator *allocator) ASCENDCL_GE_NOEXCEPT;

ascendcl_ge_status ascendcl_ge_load_graph(ascendcl_ge_session *session, uint32_t id, const ascendcl_ge_options *options,
                                          void *stream) ASCENDCL_GE_NOEXCEPT;
/* ExecuteGraphWithStreamAsync: after compile and load. An input with more sizes than ASCENDCL_GE_MAX_RANK is refused before
 * the engine is called. The engine allocates the outputs. They are the caller's to release after a failure, too, unless
 * the pointer is null: work that was queued all the same may write to them. Then their count is 0. */
ascendcl_ge_status ascendcl_ge_execute_graph(ascendcl_ge_session *session, uint32_t id, void *stream,
                                             const ascendcl_ge_tensor *inputs, size_t count,
                                             ascendcl_ge_outputs **outputs) ASCENDCL_GE_NOEXCEPT;
/* RunGraphWithStreamAsync: without a load of its own. */
ascendcl_ge_status ascendcl_ge_run_graph(ascendcl_ge_session *session, uint32_t id, void *stream,
                                         const ascendcl_ge_tensor *inputs, size_t count,
                                         ascendcl_ge_outputs **outputs) ASCENDCL_GE_NOEXCEPT;

size_t ascendcl_ge_outputs_count(const ascendcl_ge_outputs *outputs) ASCENDCL_GE_NOEXCEPT;
/* Leaves `tensor` as it is when there is no such output. */
void ascendcl_ge_outputs_get(const ascendcl_ge_outputs *outputs, size_t index,
                             ascendcl_ge_tensor *tensor) ASCENDCL_GE_NOEXCEPT;
void ascendcl_ge_outputs_release(ascendcl_ge_outputs *outputs) ASCENDCL_GE_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
