/* An AscendCL library that does nothing, as fast as it can: what is left to measure is the caller. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef int aclError;
typedef void *handle;

static _Thread_local handle current;
static uintptr_t next = 0x1000;

static handle fresh(void) { return (handle)(__atomic_fetch_add(&next, 0x40, __ATOMIC_RELAXED)); }

aclError aclInit(const char *path) { (void)path; return 0; }
aclError aclFinalizeReference(uint64_t *count) { *count = 0; return 0; }
const char *aclGetRecentErrMsg(void) { return NULL; }
aclError aclrtGetRunMode(unsigned *mode) { *mode = 1; return 0; }
aclError aclrtGetDeviceCount(uint32_t *count) { *count = 1; return 0; }
/* Makes the device's default context current, as the vendor's does. */
static char defaults[64];
aclError aclrtSetDevice(int32_t id) { current = &defaults[id & 63]; return 0; }
aclError aclrtResetDevice(int32_t id) { (void)id; return 0; }
aclError aclrtCreateContext(handle *context, int32_t id) { (void)id; *context = current = fresh(); return 0; }
aclError aclrtDestroyContext(handle context) { (void)context; return 0; }
aclError aclrtSetCurrentContext(handle context) { current = context; return 0; }
aclError aclrtGetCurrentContext(handle *context) { *context = current; return current ? 0 : 107002; }
aclError aclrtCreateStream(handle *stream) { *stream = fresh(); return 0; }
aclError aclrtDestroyStream(handle stream) { (void)stream; return 0; }
aclError aclrtSynchronizeStream(handle stream) { (void)stream; return 0; }
aclError aclrtSynchronizeStreamWithTimeout(handle stream, int32_t timeout) { (void)stream; (void)timeout; return 0; }

/* Device memory begins behind its size. The last freed block of a thread is given out again at once: how long `malloc`
   takes depends on the blocks that there are, and would hide what is counted. */
struct block { _Alignas(64) size_t size; };
static _Thread_local struct block *spare;
aclError aclrtMalloc(void **start, size_t size, unsigned policy) {
    struct block *block = spare;
    (void)policy;
    if (block && block->size >= size) {
        spare = NULL;
    } else {
        block = aligned_alloc(64, sizeof *block + (size + 63) / 64 * 64);
        block->size = (size + 63) / 64 * 64;
    }
    *start = block + 1;
    return 0;
}
aclError aclrtFree(void *start) {
    struct block *block = start ? (struct block *)start - 1 : NULL;
    if (block && !spare) spare = block; else free(block);
    return 0;
}
aclError aclrtMallocHost(void **start, size_t size) { *start = malloc(size); return 0; }
aclError aclrtFreeHost(void *start) { free(start); return 0; }
aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t count, unsigned kind) {
    (void)to; (void)room; (void)from; (void)count; (void)kind;
    return 0;
}
aclError aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t count, unsigned kind, handle stream) {
    (void)to; (void)room; (void)from; (void)count; (void)kind; (void)stream;
    return 0;
}

aclError aclrtMemsetAsync(void *start, size_t room, int32_t value, size_t count, handle stream) {
    (void)start; (void)room; (void)value; (void)count; (void)stream;
    return 0;
}
/* A callback runs when somebody asks whether its stream is done. */
static void (*called_back)(void *);
static void *called_with;
aclError aclrtLaunchHostFunc(handle stream, void (*callback)(void *), void *argument) {
    (void)stream;
    called_back = callback;
    called_with = argument;
    return 0;
}
aclError aclrtStreamQuery(handle stream, unsigned *status) {
    void (*callback)(void *) = called_back;
    (void)stream;
    called_back = NULL;
    if (callback) callback(called_with);
    *status = 0;
    return 0;
}

/* The last allocator that was registered. `null_round_trip` does what the library does with it for an operator that needs
   memory of its own. */
typedef struct {
    void *object;
    void *(*allocate)(void *, size_t);
    void (*release)(void *, void *);
    void *(*advise)(void *, size_t, void *);
    void *(*address)(void *);
} allocator;
static allocator registered;
allocator *aclrtAllocatorCreateDesc(void) { return calloc(1, sizeof(allocator)); }
aclError aclrtAllocatorDestroyDesc(allocator *desc) { free(desc); return 0; }
aclError aclrtAllocatorSetObjToDesc(allocator *desc, void *object) { desc->object = object; return 0; }
aclError aclrtAllocatorSetAllocFuncToDesc(allocator *desc, void *(*f)(void *, size_t)) { desc->allocate = f; return 0; }
aclError aclrtAllocatorSetFreeFuncToDesc(allocator *desc, void (*f)(void *, void *)) { desc->release = f; return 0; }
aclError aclrtAllocatorSetAllocAdviseFuncToDesc(allocator *desc, void *(*f)(void *, size_t, void *)) {
    desc->advise = f;
    return 0;
}
aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(allocator *desc, void *(*f)(void *)) { desc->address = f; return 0; }
aclError aclrtAllocatorRegister(handle stream, allocator *desc) { (void)stream; registered = *desc; return 0; }
aclError aclrtAllocatorUnregister(handle stream) { (void)stream; return 0; }
void *null_round_trip(size_t size) {
    void *block = registered.allocate(registered.object, size);
    void *address = registered.address(block);
    registered.release(registered.object, block);
    return address;
}

aclError aclrtCreateEvent(handle *event) { *event = fresh(); return 0; }
aclError aclrtDestroyEvent(handle event) { (void)event; return 0; }
aclError aclrtRecordEvent(handle event, handle stream) { (void)event; (void)stream; return 0; }
aclError aclrtStreamWaitEvent(handle stream, handle event) { (void)stream; (void)event; return 0; }
aclError aclrtSynchronizeEvent(handle event) { (void)event; return 0; }
aclError aclrtSynchronizeEventWithTimeout(handle event, int32_t timeout) { (void)event; (void)timeout; return 0; }
aclError aclrtQueryEventStatus(handle event, unsigned *status) { (void)event; *status = 1; return 0; }

/* Captures that keep nothing. */
aclError aclrtCreateEventExWithFlag(handle *event, uint32_t flag) { (void)flag; *event = fresh(); return 0; }
aclError aclmdlRICaptureBegin(handle stream, unsigned mode) { (void)stream; (void)mode; return 0; }
aclError aclmdlRICaptureEnd(handle stream, handle *graph) { (void)stream; *graph = fresh(); return 0; }
aclError aclmdlRICaptureGetInfo(handle stream, unsigned *status, handle *graph) {
    (void)stream;
    *status = 0;
    *graph = NULL;
    return 0;
}
aclError aclmdlRIExecuteAsync(handle graph, handle stream) { (void)graph; (void)stream; return 0; }
aclError aclmdlRIDestroy(handle graph) { (void)graph; return 0; }

/* A model without inputs and outputs. */
aclError aclmdlLoadFromFile(const char *path, uint32_t *id) { (void)path; *id = 1; return 0; }
aclError aclmdlUnload(uint32_t id) { (void)id; return 0; }
handle aclmdlCreateDesc(void) { return fresh(); }
aclError aclmdlGetDesc(handle desc, uint32_t id) { (void)desc; (void)id; return 0; }
aclError aclmdlDestroyDesc(handle desc) { (void)desc; return 0; }
size_t aclmdlGetNumInputs(handle desc) { (void)desc; return 0; }
size_t aclmdlGetNumOutputs(handle desc) { (void)desc; return 0; }
handle aclmdlCreateDataset(void) { return fresh(); }
aclError aclmdlDestroyDataset(handle dataset) { (void)dataset; return 0; }
aclError aclmdlExecuteAsync(uint32_t id, handle input, handle output, handle stream) {
    (void)id; (void)input; (void)output; (void)stream;
    return 0;
}
aclError aclmdlExecute(uint32_t id, handle input, handle output) { (void)id; (void)input; (void)output; return 0; }
