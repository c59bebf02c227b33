/*
 * The calls that the page of aclrtAllocatorRegister asks for, in its order: a descriptor, its object and three functions,
 * the registration, an operator, a synchronise, and everything back.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *aclrtStream;
typedef void *aclrtAllocatorDesc;

extern int aclInit(const char *config);
extern int aclFinalize(void);
extern int aclrtSetDevice(int32_t device);
extern int aclrtResetDevice(int32_t device);
extern int aclrtCreateStream(aclrtStream *stream);
extern int aclrtDestroyStream(aclrtStream stream);
extern int aclrtSynchronizeStream(aclrtStream stream);
extern int aclrtMalloc(void **memory, size_t size, int policy);
extern int aclrtFree(void *memory);
extern int aclrtMemcpy(void *to, size_t room, const void *from, size_t size, int kind);
extern aclrtAllocatorDesc aclrtAllocatorCreateDesc(void);
extern int aclrtAllocatorDestroyDesc(aclrtAllocatorDesc desc);
extern int aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc desc, void *object);
extern int aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc desc, void *(*allocate)(void *, size_t));
extern int aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc desc, void *(*address)(void *));
extern int aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc desc, void (*release)(void *, void *));
extern int aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc desc);
extern int aclrtAllocatorUnregister(aclrtStream stream);
extern void *aclCreateTensorDesc(int type, int dimensions, const int64_t *sizes, int format);
extern void aclDestroyTensorDesc(const void *desc);
extern void *aclCreateDataBuffer(void *memory, size_t size);
extern int aclDestroyDataBuffer(const void *buffer);
extern void *aclopCreateAttr(void);
extern void aclopDestroyAttr(const void *attributes);
extern int aclopCompile(const char *name, int inputs, const void *const in[], int outputs, const void *const out[],
                        const void *attributes, int engine, int kind, const char *path);
extern int aclopExecuteV2(const char *name, int inputs, void *in[], void *in_data[], int outputs, void *out[],
                          void *out_data[], void *attributes, aclrtStream stream);

enum { TYPE_FLOAT = 0, FORMAT_ND = 2, TO_DEVICE = 1, TO_HOST = 2, COUNT = 4, ROOM = 1 << 16 };

/* One piece of device memory, given out from its start. A free function is called while work is queued, so it gives
 * nothing to the system: it only counts. */
struct pool {
    char *memory;
    size_t used;
    int given, back;
};

static void *allocate(void *object, size_t size)
{
    struct pool *pool = object;
    size_t rounded = (size + 511) / 512 * 512;
    if (pool->used + rounded > ROOM) return NULL;
    void *block = pool->memory + pool->used;
    pool->used += rounded;
    pool->given++;
    return block;
}

static void *address(void *block)
{
    return block;
}

static void release(void *object, void *block)
{
    (void)block;
    ((struct pool *)object)->back++;
}

static void check(int code, const char *call)
{
    if (code != 0) {
        printf("FAILED %s: %d\n", call, code);
        exit(1);
    }
}
#define CHECK(call) check((call), #call)

static void relu(aclrtStream stream)
{
    int64_t sizes[] = {COUNT};
    float from[COUNT] = {-1, 2, -3, 4}, to[COUNT] = {0};
    void *x = NULL, *y = NULL, *attributes = aclopCreateAttr();
    CHECK(aclrtMalloc(&x, sizeof from, 0));
    CHECK(aclrtMalloc(&y, sizeof to, 0));
    CHECK(aclrtMemcpy(x, sizeof from, from, sizeof from, TO_DEVICE));
    void *desc[] = {aclCreateTensorDesc(TYPE_FLOAT, 1, sizes, FORMAT_ND)};
    void *in[] = {aclCreateDataBuffer(x, sizeof from)}, *out[] = {aclCreateDataBuffer(y, sizeof to)};
    const void *types[] = {desc[0]};
    CHECK(aclopCompile("Relu", 1, types, 1, types, attributes, 0, 0, NULL));
    CHECK(aclopExecuteV2("Relu", 1, desc, in, 1, desc, out, attributes, stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(to, sizeof to, y, sizeof to, TO_HOST));
    printf("relu: %g %g %g %g\n", to[0], to[1], to[2], to[3]);
    aclDestroyDataBuffer(in[0]);
    aclDestroyDataBuffer(out[0]);
    aclDestroyTensorDesc(desc[0]);
    aclopDestroyAttr(attributes);
    CHECK(aclrtFree(x));
    CHECK(aclrtFree(y));
}

int main(void)
{
    aclrtStream stream = NULL;
    struct pool pool = {0};
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtMalloc((void **)&pool.memory, ROOM, 0));
    // ANCHOR: program
    aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
    CHECK(aclrtAllocatorSetObjToDesc(desc, &pool));
    CHECK(aclrtAllocatorSetAllocFuncToDesc(desc, allocate));
    CHECK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address));
    CHECK(aclrtAllocatorSetFreeFuncToDesc(desc, release));
    CHECK(aclrtAllocatorRegister(stream, desc)); /* before the first execution on this stream */
    CHECK(aclrtAllocatorDestroyDesc(desc));      /* the registration has copied it */
    relu(stream);                                /* executes an operator and synchronises */
    CHECK(aclrtAllocatorUnregister(stream));     /* before the allocator ends */
    // ANCHOR_END: program
    printf("the pool was asked: %d, and has everything back: %d\n", pool.given > 0, pool.given == pool.back);
    printf("on the default stream: %d\n", aclrtAllocatorRegister(NULL, desc));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtFree(pool.memory));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
