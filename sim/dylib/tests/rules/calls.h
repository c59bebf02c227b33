#pragma once
/*
 * What the programs of this folder share: the vendor's C functions that they call, declared here so that no header is
 * needed, and a macro that prints what a call answers.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void *Stream, *Context, *Event, *Allocator, *Descriptor, *Dataset, *DataBuffer, *Description;

enum { TO_DEVICE = 1, TO_HOST = 2, HUGE_FIRST = 0, SIZE = 4096, FLOAT = 0, PLAIN = 2 };

extern int aclInit(const char *config);
extern int aclFinalize(void);
extern int aclrtSetDevice(int device);
extern int aclrtResetDevice(int device);
extern int aclrtCreateContext(Context *context, int device);
extern int aclrtDestroyContext(Context context);
extern int aclrtSetCurrentContext(Context context);
extern int aclrtGetCurrentContext(Context *context);
extern int aclrtCreateStream(Stream *stream);
extern int aclrtDestroyStream(Stream stream);
extern int aclrtSynchronizeStream(Stream stream);
extern int aclrtCreateEvent(Event *event);
extern int aclrtRecordEvent(Event event, Stream stream);
extern int aclrtStreamWaitEvent(Stream stream, Event event);
extern int aclrtMalloc(void **memory, size_t size, unsigned policy);
extern int aclrtFree(void *memory);
extern int aclrtMallocHost(void **memory, size_t size);
extern int aclrtMemcpy(void *to, size_t room, const void *from, size_t size, unsigned direction);
extern int aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t size, unsigned direction, Stream stream);
extern int aclrtMemsetAsync(void *memory, size_t room, int value, size_t size, Stream stream);
extern int aclrtLaunchHostFunc(Stream stream, void (*function)(void *), void *argument);
extern Descriptor aclrtAllocatorCreateDesc(void);
extern int aclrtAllocatorDestroyDesc(Descriptor descriptor);
extern int aclrtAllocatorSetObjToDesc(Descriptor descriptor, Allocator allocator);
extern int aclrtAllocatorSetAllocFuncToDesc(Descriptor descriptor, void *(*allocate)(Allocator, size_t));
extern int aclrtAllocatorSetFreeFuncToDesc(Descriptor descriptor, void (*release)(Allocator, void *));
extern int aclrtAllocatorSetGetAddrFromBlockFuncToDesc(Descriptor descriptor, void *(*address)(void *));
extern int aclrtAllocatorSetAllocAdviseFuncToDesc(Descriptor descriptor, void *(*near)(Allocator, size_t, void *));
extern int aclrtAllocatorRegister(Stream stream, Descriptor descriptor);
extern int aclrtAllocatorUnregister(Stream stream);
extern int aclopCompileAndExecuteV2(const char *name, int inputs, void *shapes[], void *memory[], int outputs,
                                    void *made[], void *results[], void *attributes, int engine, int compile,
                                    const char *path, Stream stream);
extern void *aclopCreateAttr(void);
extern void *aclCreateTensorDesc(int type, int dimensions, const int64_t *sizes, int format);
extern DataBuffer aclCreateDataBuffer(void *memory, size_t size);
extern int aclUpdateDataBuffer(DataBuffer buffer, void *memory, size_t size);
extern int aclmdlLoadFromFile(const char *path, uint32_t *model);
extern int aclmdlLoadFromFileWithMem(const char *path, uint32_t *model, void *workspace, size_t size, void *weights,
                                     size_t bytes);
extern int aclmdlQuerySize(const char *path, size_t *workspace, size_t *weights);
extern int aclmdlUnload(uint32_t model);
extern Description aclmdlCreateDesc(void);
extern int aclmdlGetDesc(Description description, uint32_t model);
extern size_t aclmdlGetInputSizeByIndex(Description description, size_t index);
extern size_t aclmdlGetOutputSizeByIndex(Description description, size_t index);
extern size_t aclmdlGetNumOutputs(Description description);
extern Dataset aclmdlCreateDataset(void);
extern int aclmdlAddDatasetBuffer(Dataset dataset, DataBuffer buffer);
extern int aclmdlSetDatasetTensorDesc(Dataset dataset, void *description, size_t index);
extern DataBuffer aclmdlGetDatasetBuffer(Dataset dataset, size_t index);
extern int aclmdlExecute(uint32_t model, Dataset inputs, Dataset outputs);
extern int aclmdlExecuteAsync(uint32_t model, Dataset inputs, Dataset outputs, Stream stream);

/* Calls, and prints what the call answers. */
#define SAY(call) printf("%s answers %d\n", #call, (call))

/* A call that is not the point of the program: it has to succeed. */
#define DO(call) \
    do { \
        int code = (call); \
        if (code != 0) { \
            printf("%s answers %d\n", #call, code); \
            exit(1); \
        } \
    } while (0)

static inline void begin(void)
{
    DO(aclInit(NULL));
    DO(aclrtSetDevice(0));
}

static inline Stream stream(void)
{
    Stream made = NULL;
    DO(aclrtCreateStream(&made));
    return made;
}

static inline void *device(size_t size)
{
    void *made = NULL;
    DO(aclrtMalloc(&made, size, HUGE_FIRST));
    return made;
}

static inline void *pinned(size_t size)
{
    void *made = NULL;
    DO(aclrtMallocHost(&made, size));
    return made;
}
