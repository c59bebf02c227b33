/*
 * What a binding for another language does: the library is opened by name, every function is looked up when it is first
 * used, and an argument that says "none" is null or zero. Virtual memory for a pool, copies of rows, a captured graph,
 * profiling, mistakes that are looked at and left.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TO_DEVICE = 1, TO_HOST = 2, DEFAULT = 4, HUGE_FIRST = 0, SIZE = 4096, RELAXED = 2 };

struct Location {
    uint32_t id;
    int32_t type;
};
struct Physical {
    int32_t handle_type, allocation_type, attribute;
    struct Location location;
    uint64_t reserve;
};

static void *library;

static void *find(const char *name)
{
    void *function = dlsym(library, name);
    if (function == NULL) {
        printf("FAILED %s is not in the library\n", name);
        exit(1);
    }
    return function;
}
/* Any function of the library that returns a code, by its name and the types of its arguments. */
#define CODE(name, types) (((int (*) types)find(name)))

static void check(int code, const char *call)
{
    if (code != 0) {
        const char *text = ((const char *(*)(void))find("aclGetRecentErrMsg"))();
        printf("FAILED %s: %d %s\n", call, code, text ? text : "(no text)");
        exit(1);
    }
}
#define CHECK(call) check((call), #call)

static void *device_memory(size_t size, int policy)
{
    void *memory = NULL;
    CHECK(CODE("aclrtMalloc", (void **, size_t, int))(&memory, size, policy));
    return memory;
}

static void release(void *memory)
{
    CHECK(CODE("aclrtFree", (void *))(memory));
}

static void copy(void *to, size_t room, const void *from, size_t count, int kind)
{
    CHECK(CODE("aclrtMemcpy", (void *, size_t, const void *, size_t, int))(to, room, from, count, kind));
}

static void policies(void)
{
    static const int known[] = {0, 1, 2, 3, 4, 5, 0x100, 0x200, 0x800, 0x1000};
    for (size_t index = 0; index < sizeof known / sizeof known[0]; index++) {
        release(device_memory(SIZE, known[index]));
    }
    printf("policies: %zu\n", sizeof known / sizeof known[0]);
}

static void pool(void)
{
    struct Physical property = {0, 0, 4, {0, 1}, 0}; /* ACL_HBM_MEM_HUGE */
    size_t grain = 0;
    void *base = NULL, *handle = NULL;
    char back[16] = "";

    CHECK(CODE("aclrtMemGetAllocationGranularity", (struct Physical *, int, size_t *))(&property, 1, &grain));
    CHECK(CODE("aclrtReserveMemAddress", (void **, size_t, size_t, void *, uint64_t))(&base, grain * 4, 0, NULL, 1));
    for (size_t part = 0; part < 2; part++) {
        CHECK(CODE("aclrtMallocPhysical", (void **, size_t, const struct Physical *, uint64_t))(&handle, grain,
                                                                                              &property, 0));
        CHECK(CODE("aclrtMapMem", (void *, size_t, size_t, void *, uint64_t))((char *)base + part * grain, grain, 0,
                                                                             handle, 0));
        copy((char *)base + part * grain, grain, "in the pool", 12, TO_DEVICE);
        copy(back, sizeof back, (char *)base + part * grain, 12, TO_HOST);
        printf("part %zu: %s\n", part, back);
        CHECK(CODE("aclrtUnmapMem", (void *))((char *)base + part * grain));
        CHECK(CODE("aclrtFreePhysical", (void *))(handle));
    }
    CHECK(CODE("aclrtReleaseMemAddress", (void *))(base));
}

static void copies(void)
{
    unsigned char rows[4][8], back[4][16];
    void *memory = device_memory(SIZE, HUGE_FIRST);
    memset(rows, 7, sizeof rows);
    memset(back, 0, sizeof back);
    CHECK(CODE("aclrtMemcpy2d", (void *, size_t, const void *, size_t, size_t, size_t, int))(memory, 32, rows, 8, 8, 4,
                                                                                         TO_DEVICE));
    CHECK(CODE("aclrtMemcpy2d", (void *, size_t, const void *, size_t, size_t, size_t, int))(back, 16, memory, 32, 8, 4,
                                                                                         TO_HOST));
    int sum = 0;
    for (size_t row = 0; row < 4; row++) {
        for (size_t column = 0; column < 16; column++) {
            sum += back[row][column];
        }
    }
    printf("rows: %d\n", sum);
    copy(memory, SIZE, rows, sizeof rows, DEFAULT);
    copy(back, sizeof back, memory, sizeof rows, DEFAULT);
    copy(memory, SIZE, rows, 0, TO_DEVICE);
    printf("default direction: %d\n", back[0][0]);
    release(memory);
}

static void graph(void)
{
    void *stream = NULL, *instance = NULL;
    unsigned char *memory = device_memory(SIZE, HUGE_FIRST), back[2] = {0, 0};
    int status = -1;
    CHECK(CODE("aclrtCreateStream", (void **))(&stream));
    CHECK(CODE("aclmdlRICaptureBegin", (void *, int))(stream, RELAXED));
    CHECK(CODE("aclmdlRICaptureGetInfo", (void *, int *, void **))(stream, &status, &instance));
    CHECK(CODE("aclrtMemsetAsync", (void *, size_t, int32_t, size_t, void *))(memory, SIZE, 3, SIZE, stream));
    CHECK(CODE("aclmdlRICaptureEnd", (void *, void **))(stream, &instance));
    for (int run = 0; run < 2; run++) {
        CHECK(CODE("aclrtMemset", (void *, size_t, int32_t, size_t))(memory, SIZE, 0, SIZE));
        CHECK(CODE("aclmdlRIExecuteAsync", (void *, void *))(instance, stream));
        CHECK(CODE("aclrtSynchronizeStream", (void *))(stream));
        copy(&back[run], 1, memory, 1, TO_HOST);
    }
    CHECK(CODE("aclmdlRIDestroy", (void *))(instance));
    CHECK(CODE("aclrtDestroyStream", (void *))(stream));
    release(memory);
    printf("graph: status %d, %d %d\n", status, back[0], back[1]);
}

static void profile(void)
{
    uint32_t device = 0;
    char folder[] = "prof-XXXXXX";
    if (mkdtemp(folder) == NULL) {
        exit(1);
    }
    CHECK(CODE("aclprofInit", (const char *, size_t))(folder, strlen(folder)));
    void *config = ((void *(*)(uint32_t *, uint32_t, int, const void *, uint64_t))find("aclprofCreateConfig"))(
        &device, 1, 0xFF, NULL, 3);
    CHECK(CODE("aclprofStart", (const void *))(config));
    release(device_memory(SIZE, HUGE_FIRST));
    CHECK(CODE("aclprofStop", (const void *))(config));
    CHECK(CODE("aclprofDestroyConfig", (const void *))(config));
    CHECK(CODE("aclprofFinalize", (void))());
    remove(folder);
    printf("profiled\n");
}

static void mistakes(void)
{
    void *memory = NULL, *event = NULL;
    const char *(*text)(void) = (const char *(*)(void))find("aclGetRecentErrMsg");
    while (text() != NULL) {
    }
    int code = CODE("aclrtMalloc", (void **, size_t, int))(&memory, 0, HUGE_FIRST);
    int told = text() != NULL, again = text() != NULL;
    printf("nothing asked for: %d, told %d, again %d\n", code, told, again);
    printf("flag 0: %d\n", CODE("aclrtCreateEventWithFlag", (void **, uint32_t))(&event, 0));
    printf("no such device: %d\n", CODE("aclrtSetDevice", (int32_t))(77));
    printf("no file: %d\n", CODE("aclmdlLoadFromFile", (const char *, uint32_t *))("missing.om", (uint32_t *)&code));
    printf("no such model: %d\n", CODE("aclmdlUnload", (uint32_t))(4711));
}

int main(void)
{
    int32_t major = -1, minor = -1, patch = -1, device = -1;
    size_t free = 0, total = 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    library = dlopen("libascendcl.so", RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        printf("FAILED %s\n", dlerror());
        return 1;
    }
    CHECK(CODE("aclInit", (const char *))(""));
    printf("again: %d\n", CODE("aclInit", (const char *))(NULL));
    CHECK(CODE("aclrtGetVersion", (int32_t *, int32_t *, int32_t *))(&major, &minor, &patch));
    printf("no device yet: %d\n", CODE("aclrtGetDevice", (int32_t *))(&device));
    CHECK(CODE("aclrtSetDevice", (int32_t))(0));
    CHECK(CODE("aclrtGetDevice", (int32_t *))(&device));
    CHECK(CODE("aclrtGetMemInfo", (int, size_t *, size_t *))(1, &free, &total));
    printf("device %d, memory %d\n", device, total >= free && free > 0);
    policies();
    pool();
    copies();
    graph();
    profile();
    mistakes();
    CHECK(CODE("aclrtSynchronizeDevice", (void))());
    CHECK(CODE("aclrtResetDeviceForce", (int32_t))(0));
    CHECK(CODE("aclFinalize", (void))());
    printf("finalised again: %d\ndone\n", CODE("aclFinalize", (void))());
    return 0;
}
