#pragma once
/*
 * An allocator that counts what it was asked for, and an operator that asks for memory: for the programs about
 * allocators.
 */
#include "calls.h"

struct Counting {
    int asked;
};

static inline void *allocate(Allocator allocator, size_t size)
{
    ((struct Counting *)allocator)->asked++;
    return device(size);
}

static inline void release(Allocator allocator, void *block)
{
    (void)allocator;
    (void)block; /* It keeps its memory until the end of the program. */
}

static inline void *address(void *block)
{
    return block;
}

static inline void *near(Allocator allocator, size_t size, void *there)
{
    (void)there;
    return allocate(allocator, size);
}

static inline Descriptor describe(struct Counting *allocator)
{
    Descriptor made = aclrtAllocatorCreateDesc();
    DO(aclrtAllocatorSetObjToDesc(made, allocator));
    DO(aclrtAllocatorSetAllocFuncToDesc(made, allocate));
    DO(aclrtAllocatorSetFreeFuncToDesc(made, release));
    DO(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(made, address));
    DO(aclrtAllocatorSetAllocAdviseFuncToDesc(made, near));
    return made;
}

/* Queues `Relu` of four numbers, which takes working memory from the stream's allocator. */
static inline int operate(Stream stream)
{
    const int64_t sizes[] = {4};
    void *shape[] = {aclCreateTensorDesc(FLOAT, 1, sizes, PLAIN)}, *made[] = {aclCreateTensorDesc(FLOAT, 1, sizes, PLAIN)};
    void *input[] = {aclCreateDataBuffer(device(16), 16)}, *output[] = {aclCreateDataBuffer(device(16), 16)};
    void *attributes = aclopCreateAttr();
    return aclopCompileAndExecuteV2("Relu", 1, shape, input, 1, made, output, attributes, 0, 0, NULL, stream);
}
