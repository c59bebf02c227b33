/*
 * Mistakes that no call shows: the program itself uses memory that it must not. The word says which mistake it makes.
 */
#include "rules/calls.h"
#include <signal.h>

extern int aclmdlRICaptureBegin(Stream stream, int mode);
extern int aclmdlRICaptureEnd(Stream stream, void **graph);
extern int aclmdlRIExecuteAsync(void *graph, Stream stream);
extern int aclmdlRIDestroy(void *graph);
extern int aclrtFreeHost(void *memory);
extern int aclrtReserveMemAddress(void **address, size_t size, size_t alignment, void *expected, uint64_t flags);
extern int aclrtReleaseMemAddress(void *address);
extern int aclrtMallocPhysical(void **handle, size_t size, const void *properties, uint64_t flags);
extern int aclrtFreePhysical(void *handle);
extern int aclrtMapMem(void *address, size_t size, size_t offset, void *handle, uint64_t flags);
extern int aclrtMemMapNoAccess(void *address, size_t size, size_t offset, void *handle, uint64_t flags);
extern int aclrtMemSetAccess(void *address, size_t size, const void *accesses, size_t count);
extern int aclrtUnmapMem(void *address);

/* Physical memory: of the host (0), or of device 0 (1). */
struct Properties {
    uint32_t handle, allocation, attribute, device, kind;
    uint64_t reserved;
};
enum { PHYSICAL = 2 << 20 };

/* What may be done with a mapping from one place: nothing (0), or reads and writes (3). */
struct Access {
    uint32_t flags, place, kind;
    uint8_t reserved[12];
};

static void set_access(void *address, uint32_t flags)
{
    struct Access access = {.flags = flags};
    DO(aclrtMemSetAccess(address, PHYSICAL, &access, 1));
}

typedef int Map(void *address, size_t size, size_t offset, void *handle, uint64_t flags);

/* Addresses of twice the size, and memory in their first half. */
static char *mapped(uint32_t kind, void **handle, Map *map)
{
    struct Properties properties = {.attribute = 13, .kind = kind}; /* ACL_MEM_HUGE */
    void *address = NULL;
    DO(aclrtReserveMemAddress(&address, 2 * PHYSICAL, 0, NULL, 0));
    DO(aclrtMallocPhysical(handle, PHYSICAL, &properties, 0));
    if (map(address, PHYSICAL, 0, *handle, 0) != 0)
        printf("nothing was mapped\n");
    return address;
}

static volatile int seen;

static void look(const volatile char *place)
{
    seen = *place;
}

/* A host function that reads pinned memory when all is queued. */
static volatile int queued;

static void consume(void *memory)
{
    while (!queued)
        usleep(1000);
    look((char *)memory + 500);
}

/* Holds its stream up until it is let go. */
static volatile int let_go, held;

static void hold(void *nothing)
{
    (void)nothing;
    held = 1;
    while (!let_go)
        usleep(1000);
}

static pthread_barrier_t together;

static void *look_together(void *place)
{
    pthread_barrier_wait(&together);
    look(place);
    return NULL;
}

/* Threads that share the work on a result look at it at the same moment. */
static void look_with_threads(char *place)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, look_together, place + i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void finish(void *block)
{
    DO(aclrtFreeHost(block));
    printf("end\n");
    exit(0);
}

/* A handler of the program's own, which the simulator leaves in place. */
static void own(int number)
{
    (void)number;
    static const char text[] = "own handler\n";
    if (write(1, text, sizeof text - 1) < 0)
        _exit(8);
    _exit(7);
}

int main(int count, char *arguments[])
{
    const char *word = count > 1 ? arguments[1] : "";
    setvbuf(stdout, NULL, _IONBF, 0);
    if (strncmp(word, "own-", 4) == 0)
        signal(SIGSEGV, own);
    begin();
    Stream worker = stream();
    enum { ODD = 1000 };
    char *there = device(2 * SIZE), *here = pinned(2 * SIZE), *odd = pinned(ODD);
    char zeros[SIZE] = {0};
    DO(aclrtMemcpy(there, 2 * SIZE, zeros, SIZE, TO_DEVICE));
    memset(here, 1, 2 * SIZE);
    memset(odd, 1, ODD);
    DO(aclrtMemcpyAsync(odd, ODD, there, ODD, TO_HOST, worker));
    DO(aclrtMemcpyAsync(here, 2 * SIZE, there, SIZE, TO_HOST, worker));
    if (strcmp(word, "early-read") == 0 || strcmp(word, "own-early") == 0)
        look(odd + 500);
    if (strcmp(word, "early-threads") == 0) {
        look_with_threads(odd);
        DO(aclrtSynchronizeStream(worker));
        printf("went on\n");
        there[SIZE] = 1;
    }
    if (strcmp(word, "early-twice") == 0) {
        look(odd + 500);
        DO(aclrtSynchronizeStream(worker));
        DO(aclrtMemcpyAsync(odd, ODD, there, ODD, TO_HOST, worker));
        odd[5] = 1;
        DO(aclrtSynchronizeStream(worker));
        printf("went on\n");
        there[SIZE] = 1;
    }
    if (strcmp(word, "early-write") == 0)
        odd[5] = 1;
    if (strncmp(word, "callback", 8) == 0) {
        Stream other = stream();
        DO(aclrtSynchronizeStream(worker));
        DO(aclrtLaunchHostFunc(worker, consume, odd));
        /* On its own stream the copy begins when the function has returned. */
        int beside = strcmp(word, "callback-beside") == 0;
        DO(aclrtMemcpyAsync(odd, ODD, there, ODD, TO_HOST, beside ? other : worker));
        queued = 1;
        DO(aclrtSynchronizeStream(worker));
        DO(aclrtSynchronizeStream(other));
    }
    /* The function may read what its stream writes later. The program may not, also not after the function. */
    if (strncmp(word, "then-", 5) == 0) {
        DO(aclrtSynchronizeStream(worker));
        queued = 1;
        DO(aclrtLaunchHostFunc(worker, consume, odd));
        DO(aclrtLaunchHostFunc(worker, hold, NULL));
        DO(aclrtMemcpyAsync(odd, ODD, there, ODD, TO_HOST, worker));
        while (!held)
            usleep(1000);
        if (strcmp(word, "then-early") == 0)
            look(odd + 500);
        let_go = 1;
    }
    /* A replay whose function reads what the replay has copied, behind another copy to the same place. */
    if (strncmp(word, "replay", 6) == 0) {
        void *graph = NULL;
        DO(aclrtSynchronizeStream(worker));
        queued = 1;
        DO(aclmdlRICaptureBegin(worker, 0));
        DO(aclrtMemcpyAsync(odd, ODD, there, ODD, TO_HOST, worker));
        DO(aclrtLaunchHostFunc(worker, consume, odd));
        DO(aclmdlRICaptureEnd(worker, &graph));
        for (int i = 0; i < 2; i++) {
            DO(aclrtLaunchHostFunc(worker, hold, NULL));
            DO(aclrtMemcpyAsync(odd, ODD, there, ODD, TO_HOST, worker));
            DO(aclmdlRIExecuteAsync(graph, worker));
            if (i == 0 && strcmp(word, "replay-early") == 0)
                look(odd + 500);
            let_go = 1;
            DO(aclrtSynchronizeStream(worker));
        }
        let_go = 0;
        DO(aclrtLaunchHostFunc(worker, hold, NULL));
        DO(aclmdlRIExecuteAsync(graph, worker));
        if (strcmp(word, "replay-alone") == 0)
            look(odd + 500);
        let_go = 1;
        DO(aclrtSynchronizeStream(worker));
        DO(aclmdlRIDestroy(graph));
    }
    /* The copy does not reach this half. */
    if (strcmp(word, "other-half") == 0)
        look(here + SIZE + SIZE / 2);
    DO(aclrtSynchronizeStream(worker));
    look(odd);
    here[0] = 1;
    if (seen != 0)
        printf("the copy did not come\n");
    if (strcmp(word, "device-read") == 0 || strcmp(word, "own-handler") == 0)
        look(there + 1);
    if (strcmp(word, "device-write") == 0)
        there[SIZE] = 1;
    if (strcmp(word, "near") == 0)
        odd[ODD + 2] = 1;
    if (strcmp(word, "far") == 0)
        odd[ODD + 200] = 1;
    if (strcmp(word, "freed") == 0) {
        DO(aclrtFreeHost(here));
        look(here);
    }
    void *handle = NULL;
    char *virtual = mapped(1, &handle, aclrtMapMem);
    DO(aclrtMemcpy(virtual, PHYSICAL, "abc", 4, TO_DEVICE));
    DO(aclrtMemcpy(zeros, SIZE, virtual, 4, TO_HOST));
    if (strcmp(zeros, "abc") != 0)
        printf("the mapping has other bytes\n");
    if (strcmp(word, "mapped-read") == 0)
        look(virtual + 1);
    if (strcmp(word, "mapped-write") == 0)
        virtual[1] = 1;
    if (strcmp(word, "not-mapped") == 0)
        look(virtual + PHYSICAL);
    DO(aclrtUnmapMem(virtual));
    if (strcmp(word, "unmapped") == 0)
        look(virtual);
    DO(aclrtReleaseMemAddress(virtual));
    DO(aclrtFreePhysical(handle));
    /* Physical memory of the host is the program's as soon as it has access. */
    char *host = mapped(0, &handle, aclrtMemMapNoAccess);
    if (strcmp(word, "no-access-read") == 0)
        look(host + 1);
    if (strcmp(word, "no-access-write") == 0)
        host[1] = 1;
    set_access(host, 3);
    strcpy(host, "own");
    DO(aclrtMemcpyAsync(there, SIZE, host, 4, TO_DEVICE, worker));
    DO(aclrtMemcpyAsync(host + SIZE, SIZE, there, 4, TO_HOST, worker));
    DO(aclrtSynchronizeStream(worker));
    if (strcmp(host + SIZE, "own") != 0)
        printf("the memory of the host has other bytes\n");
    if (strcmp(word, "host-not-mapped") == 0)
        look(host + PHYSICAL);
    if (strcmp(word, "closed") == 0) {
        set_access(host, 0);
        look(host);
    }
    DO(aclrtUnmapMem(host));
    if (strcmp(word, "host-unmapped") == 0)
        look(host);
    DO(aclrtReleaseMemAddress(host));
    DO(aclrtFreePhysical(handle));
    if (strcmp(word, "null") == 0)
        look(NULL);
    finish(odd);
    return 0;
}
