/*
 * Two processes share a block of device memory, physical memory, and a notify; a third, which is not on the list, gets
 * nothing. The first process makes what is shared, the second uses it. They talk through pipes.
 */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void *Stream, *Notify, *Handle;

struct Location {
    uint32_t id, kind;
};
struct Properties {
    uint32_t handle, allocation, attribute;
    struct Location location;
    uint64_t reserved;
};

extern int aclInit(const char *config);
extern int aclFinalize(void);
extern const char *aclGetRecentErrMsg(void);
extern int aclrtSetDevice(int device);
extern int aclrtResetDevice(int device);
extern int aclrtCreateStream(Stream *stream);
extern int aclrtDestroyStream(Stream stream);
extern int aclrtSynchronizeStream(Stream stream);
extern int aclrtMalloc(void **memory, size_t size, int policy);
extern int aclrtFree(void *memory);
extern int aclrtMemcpy(void *to, size_t room, const void *from, size_t size, int direction);
extern int aclrtMemset(void *memory, size_t room, int value, size_t size);
extern int aclrtMemsetAsync(void *memory, size_t room, int value, size_t size, Stream stream);
extern int aclrtDeviceGetBareTgid(int32_t *process);
extern int aclrtIpcMemGetExportKey(void *memory, size_t size, char *key, size_t room, uint64_t flags);
extern int aclrtIpcMemSetImportPid(const char *key, int32_t *processes, size_t count);
extern int aclrtIpcMemImportByKey(void **memory, const char *key, uint64_t flags);
extern int aclrtIpcMemClose(const char *key);
extern int aclrtCreateNotify(Notify *notify, uint64_t flags);
extern int aclrtDestroyNotify(Notify notify);
extern int aclrtRecordNotify(Notify notify, Stream stream);
extern int aclrtWaitAndResetNotify(Notify notify, Stream stream, uint32_t seconds);
extern int aclrtNotifyGetExportKey(Notify notify, char *key, size_t room, uint64_t flags);
extern int aclrtNotifySetImportPid(Notify notify, int32_t *processes, size_t count);
extern int aclrtNotifyImportByKey(Notify *notify, const char *key, uint64_t flags);
extern int aclrtMallocPhysical(Handle *handle, size_t size, const struct Properties *properties, uint64_t flags);
extern int aclrtFreePhysical(Handle handle);
extern int aclrtReserveMemAddress(void **address, size_t size, size_t alignment, void *expected, uint64_t flags);
extern int aclrtReleaseMemAddress(void *address);
extern int aclrtMapMem(void *address, size_t size, size_t offset, Handle handle, uint64_t flags);
extern int aclrtUnmapMem(void *address);
extern int aclrtMemExportToShareableHandle(Handle handle, uint32_t kind, uint64_t flags, uint64_t *number);
extern int aclrtMemSetPidToShareableHandle(uint64_t number, int32_t *processes, size_t count);
extern int aclrtMemImportFromShareableHandle(uint64_t number, int32_t device, Handle *handle);

enum { TO_HOST = 2, BLOCK = 1000, PHYSICAL = 2 << 20, KEY = 65 };

/* What the first process tells the second. */
struct Keys {
    char block[KEY], notify[KEY];
    uint64_t physical;
};

static const char *who;

static void check(int code, const char *call)
{
    if (code != 0) {
        const char *text = aclGetRecentErrMsg();
        printf("%s: %s answers %d (%s)\n", who, call, code, text ? text : "no text");
        exit(1);
    }
}
#define DO(call) check((call), #call)

/* A call that is refused: its code. */
#define REFUSED(call) printf("%s: %s answers %d\n", who, #call, (call))

static void give(int pipe, const void *what, size_t size)
{
    if (write(pipe, what, size) != (ssize_t)size)
        exit(2);
}

static void take(int pipe, void *what, size_t size)
{
    if (read(pipe, what, size) != (ssize_t)size)
        exit(3);
}

static void start(const char *name)
{
    who = name;
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(60);
    DO(aclInit(NULL));
    DO(aclrtSetDevice(0));
}

static void end(void)
{
    DO(aclrtResetDevice(0));
    DO(aclFinalize());
    exit(0);
}

static int byte_of(const void *memory, size_t at)
{
    unsigned char byte = 0;
    DO(aclrtMemcpy(&byte, 1, (const char *)memory + at, 1, TO_HOST));
    return byte;
}

static void first(int in, int out, int to_third)
{
    start("first");
    struct Keys keys = {0};
    Stream stream = NULL;
    Notify notify = NULL;
    void *before = NULL, *block = NULL, *address = NULL;
    Handle handle = NULL;
    struct Properties properties = {.attribute = 4, .location = {.id = 0, .kind = 1}}; /* ACL_HBM_MEM_HUGE */
    DO(aclrtCreateStream(&stream));
    /* The block does not begin where a page does. */
    DO(aclrtMalloc(&before, 100, 0));
    DO(aclrtMalloc(&block, BLOCK, 0));
    DO(aclrtMemset(block, BLOCK, 1, BLOCK));
    DO(aclrtIpcMemGetExportKey(block, BLOCK, keys.block, KEY, 0));
    DO(aclrtCreateNotify(&notify, 0));
    DO(aclrtMallocPhysical(&handle, PHYSICAL, &properties, 0));
    DO(aclrtReserveMemAddress(&address, PHYSICAL, 0, NULL, 0));
    DO(aclrtMapMem(address, PHYSICAL, 0, handle, 0));
    DO(aclrtMemset(address, PHYSICAL, 2, PHYSICAL));
    DO(aclrtMemExportToShareableHandle(handle, 0, 0, &keys.physical));
    void *own = NULL;
    REFUSED(aclrtIpcMemImportByKey(&own, keys.block, 0));
    REFUSED(aclrtIpcMemGetExportKey(block, 2 * BLOCK, keys.notify, KEY, 0));

    /* The wait begins before the notify is shared. */
    DO(aclrtWaitAndResetNotify(notify, stream, 0));
    DO(aclrtMemsetAsync(block, 1, 9, 1, stream));
    DO(aclrtNotifyGetExportKey(notify, keys.notify, KEY, 0));

    int32_t other = 0;
    take(in, &other, sizeof other);
    DO(aclrtIpcMemSetImportPid(keys.block, &other, 1));
    DO(aclrtNotifySetImportPid(notify, &other, 1));
    DO(aclrtMemSetPidToShareableHandle(keys.physical, &other, 1));
    give(to_third, &keys, sizeof keys);
    give(out, &keys, sizeof keys);

    DO(aclrtSynchronizeStream(stream));
    printf("first: the block begins with %d, goes on with %d, ends with %d\n", byte_of(block, 0), byte_of(block, 1),
           byte_of(block, BLOCK - 1));
    printf("first: the physical memory begins with %d\n", byte_of(address, 0));
    char done = 0;
    give(out, &done, 1);
    /* One record satisfies one wait. */
    DO(aclrtWaitAndResetNotify(notify, stream, 1));
    REFUSED(aclrtSynchronizeStream(stream));

    take(in, &done, 1);
    DO(aclrtIpcMemClose(keys.block));
    REFUSED(aclrtIpcMemClose(keys.block));
    DO(aclrtFree(block));
    DO(aclrtFree(before));
    DO(aclrtUnmapMem(address));
    DO(aclrtReleaseMemAddress(address));
    DO(aclrtFreePhysical(handle));
    DO(aclrtDestroyNotify(notify));
    DO(aclrtDestroyStream(stream));
    give(out, &done, 1);
    end();
}

static void second(int in, int out)
{
    start("second");
    Stream stream = NULL;
    DO(aclrtCreateStream(&stream));
    int32_t process = 0;
    DO(aclrtDeviceGetBareTgid(&process));
    give(out, &process, sizeof process);
    struct Keys keys;
    take(in, &keys, sizeof keys);

    void *block = NULL, *again = NULL, *address = NULL;
    Notify notify = NULL;
    Handle handle = NULL;
    DO(aclrtIpcMemImportByKey(&block, keys.block, 0));
    DO(aclrtNotifyImportByKey(&notify, keys.notify, 0));
    DO(aclrtMemImportFromShareableHandle(keys.physical, 0, &handle));
    DO(aclrtReserveMemAddress(&address, PHYSICAL, 0, NULL, 0));
    DO(aclrtMapMem(address, PHYSICAL, 0, handle, 0));
    printf("second: the block ends with %d, the physical memory with %d\n", byte_of(block, BLOCK - 1),
           byte_of(address, PHYSICAL - 1));
    REFUSED(aclrtIpcMemImportByKey(&again, keys.block, 0));
    REFUSED(aclrtMemset((char *)block + 1, BLOCK, 0, BLOCK));
    REFUSED(aclrtWaitAndResetNotify(notify, stream, 0));

    /* Longer than a wait lasts that nobody can end. */
    sleep(3);
    DO(aclrtMemset(block, BLOCK, 3, BLOCK));
    DO(aclrtMemset(address, PHYSICAL, 4, PHYSICAL));
    DO(aclrtRecordNotify(notify, stream));
    DO(aclrtSynchronizeStream(stream));
    char done = 0;
    take(in, &done, 1);

    DO(aclrtIpcMemClose(keys.block));
    REFUSED(aclrtIpcMemClose(keys.block));
    REFUSED(aclrtMemset(block, BLOCK, 0, BLOCK));
    DO(aclrtUnmapMem(address));
    DO(aclrtReleaseMemAddress(address));
    DO(aclrtFreePhysical(handle));
    DO(aclrtDestroyNotify(notify));
    give(out, &done, 1);
    take(in, &done, 1);
    REFUSED(aclrtIpcMemImportByKey(&block, keys.block, 0));
    REFUSED(aclrtNotifyImportByKey(&notify, keys.notify, 0));
    REFUSED(aclrtMemImportFromShareableHandle(keys.physical, 0, &handle));
    REFUSED(aclrtIpcMemImportByKey(&block, "name", 0));
    DO(aclrtDestroyStream(stream));
    end();
}

static void third(int in)
{
    start("third");
    struct Keys keys;
    take(in, &keys, sizeof keys);
    void *block = NULL;
    Notify notify = NULL;
    Handle handle = NULL;
    REFUSED(aclrtIpcMemImportByKey(&block, keys.block, 0));
    REFUSED(aclrtNotifyImportByKey(&notify, keys.notify, 0));
    REFUSED(aclrtMemImportFromShareableHandle(keys.physical, 0, &handle));
    end();
}

int main(void)
{
    int to_first[2], to_second[2], to_third[2];
    if (pipe(to_first) || pipe(to_second) || pipe(to_third))
        return 4;
    signal(SIGPIPE, SIG_IGN);
    pid_t children[3];
    for (int child = 0; child < 3; child++) {
        children[child] = fork();
        if (children[child] == 0) {
            if (child == 0)
                first(to_first[0], to_second[1], to_third[1]);
            else if (child == 1)
                second(to_second[0], to_first[1]);
            else
                third(to_third[0]);
        }
    }
    int failed = 0;
    for (int child = 0; child < 3; child++) {
        int status = 0;
        waitpid(children[child], &status, 0);
        failed |= status;
        if (status) {
            fprintf(stderr, "process %d ended with status %#x\n", child + 1, status);
            for (int other = 0; other < 3; other++)
                kill(children[other], SIGTERM);
        }
    }
    return failed != 0;
}
