/* Programs that end what they have when the process exits, and processes that are forked. The word says which. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

typedef void *Stream;
extern "C" {
int aclInit(const char *config);
int aclFinalize();
int aclrtGetDevice(int *device);
int aclrtCreateContext(void **context, int device);
int aclrtDestroyContext(void *context);
int aclrtSetDevice(int device);
int aclrtResetDevice(int device);
int aclrtGetDeviceCount(unsigned *count);
int aclrtCreateStream(Stream *stream);
int aclrtDestroyStream(Stream stream);
int aclrtSynchronizeStream(Stream stream);
int aclrtMalloc(void **memory, size_t size, unsigned policy);
int aclrtFree(void *memory);
int aclrtMemsetAsync(void *memory, size_t room, int value, size_t size, Stream stream);
int aclprofRangePop();
}

static void check(const char *what, int code)
{
    if (code != 0)
        std::printf("%s: %d\n", what, code);
}
#define CHECK(call) check(#call, call)

struct Resources {
    Stream stream = nullptr;
    void *memory = nullptr;
    /* A context of its own is current until the exit. */
    void *context = nullptr;
    bool forgets = false;

    void take()
    {
        CHECK(aclInit(nullptr));
        CHECK(aclrtSetDevice(0));
        CHECK(aclrtCreateStream(&stream));
        CHECK(aclrtMalloc(&memory, 4096, 0));
        CHECK(aclrtMemsetAsync(memory, 4096, 1, 4096, stream));
    }

    ~Resources()
    {
        if (stream == nullptr)
            return;
        CHECK(aclrtSynchronizeStream(stream));
        CHECK(aclrtDestroyStream(stream));
        CHECK(aclrtFree(memory));
        (void)aclprofRangePop();
        if (context != nullptr)
            CHECK(aclrtDestroyContext(context));
        if (!forgets)
            CHECK(aclrtResetDevice(0));
        CHECK(aclFinalize());
        std::puts("given back");
        std::fflush(stdout);
    }
};

/* It is made before the library is used, so it ends behind what the library registers for the exit of the process. */
static Resources resources;

/* What the child's process ends with. */
static int child(bool calls)
{
    std::fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        resources.stream = nullptr;
        if (calls) {
            void *memory = nullptr;
            CHECK(aclrtFree(memory));
            int device = 0;
            (void)aclrtGetDevice(&device);
        }
        std::exit(3);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int count, char *arguments[])
{
    const char *word = count > 1 ? arguments[1] : "";
    if (std::strncmp(word, "inherits", 8) == 0) {
        /* The library is initialised before the fork; with "-work" it has threads, too. */
        if (std::strcmp(word, "inherits-work") == 0) {
            resources.take();
        } else {
            CHECK(aclInit(nullptr));
            CHECK(aclrtSetDevice(0));
        }
        std::printf("the child's status: %d\n", child(true));
        if (resources.stream == nullptr) {
            CHECK(aclrtResetDevice(0));
            CHECK(aclFinalize());
        }
        return 0;
    }
    if (std::strcmp(word, "child") == 0 || std::strcmp(word, "calling") == 0) {
        unsigned devices = 0;
        CHECK(aclrtGetDeviceCount(&devices));
        if (std::strcmp(word, "child") == 0)
            resources.take();
        std::printf("the child's status: %d\n", child(std::strcmp(word, "calling") == 0));
        return 0;
    }
    if (std::strcmp(word, "context") == 0) {
        CHECK(aclInit(nullptr));
        CHECK(aclrtSetDevice(0));
        CHECK(aclrtCreateContext(&resources.context, 0));
        CHECK(aclrtCreateStream(&resources.stream));
        CHECK(aclrtMalloc(&resources.memory, 64, 0));
        return 0;
    }
    resources.take();
    resources.forgets = std::strcmp(word, "forgets") == 0;
    return 0;
}
