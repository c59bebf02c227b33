// A program in C++: every thread has a context, a stream and an event of its own, and works on its own memory. It is linked
// with the newer library's name alone, and finds the operator compiler by another file's name.
//
// No header of the vendor's is here, so what is used is declared.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <thread>
#include <vector>

extern "C" {
typedef int aclError;
typedef void *aclrtContext;
typedef void *aclrtStream;
typedef void *aclrtEvent;
typedef void *aclmdlRI;
aclError aclInit(const char *config);
aclError aclFinalize();
aclError aclrtSetDevice(int32_t device);
aclError aclrtResetDevice(int32_t device);
aclError aclrtCreateContext(aclrtContext *context, int32_t device);
aclError aclrtDestroyContext(aclrtContext context);
aclError aclrtCreateStream(aclrtStream *stream);
aclError aclrtDestroyStream(aclrtStream stream);
aclError aclrtSynchronizeStream(aclrtStream stream);
aclError aclrtCreateEvent(aclrtEvent *event);
aclError aclrtDestroyEvent(aclrtEvent event);
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);
aclError aclrtMalloc(void **place, size_t size, int policy);
aclError aclrtFree(void *place);
aclError aclrtMemsetAsync(void *place, size_t room, int32_t value, size_t count, aclrtStream stream);
aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t count, int kind);
aclError aclmdlRICaptureBegin(aclrtStream stream, int mode);
aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *instance);
aclError aclmdlRIExecuteAsync(aclmdlRI instance, aclrtStream stream);
aclError aclmdlRIDestroy(aclmdlRI instance);
aclError aclrtBinaryLoadFromData(const void *data, size_t length, const void *options, void **binary);
const char *aclGetRecentErrMsg();
const char *aclrtGetSocName();
}

namespace {
constexpr int DEVICE_TO_HOST = 2;
constexpr int CAPTURE_THREAD_LOCAL = 1;
constexpr size_t SIZE = 4096;

struct Failed {
    std::string what;
};

void ok(aclError code, const char *call) {
    if (code == 0) {
        return;
    }
    const char *text = aclGetRecentErrMsg();
    throw Failed{std::string(call) + ": " + std::to_string(code) + " " + (text != nullptr ? text : "")};
}

// Work of one thread; answers how many bytes are as they should be.
size_t work(int number) {
    aclrtContext context;
    aclrtStream first, second;
    aclrtEvent event;
    void *place;
    ok(aclrtCreateContext(&context, number % 2), "aclrtCreateContext");
    ok(aclrtCreateStream(&first), "aclrtCreateStream");
    ok(aclrtCreateStream(&second), "aclrtCreateStream");
    ok(aclrtCreateEvent(&event), "aclrtCreateEvent");
    ok(aclrtMalloc(&place, SIZE, 0), "aclrtMalloc");

    ok(aclrtMemsetAsync(place, SIZE, number, SIZE, first), "aclrtMemsetAsync");
    ok(aclrtRecordEvent(event, first), "aclrtRecordEvent");
    ok(aclrtStreamWaitEvent(second, event), "aclrtStreamWaitEvent");
    aclmdlRI instance;
    ok(aclmdlRICaptureBegin(first, CAPTURE_THREAD_LOCAL), "aclmdlRICaptureBegin");
    ok(aclrtMemsetAsync(place, SIZE, number + 100, SIZE / 2, first), "aclrtMemsetAsync");
    ok(aclmdlRICaptureEnd(first, &instance), "aclmdlRICaptureEnd");
    ok(aclmdlRIExecuteAsync(instance, second), "aclmdlRIExecuteAsync");
    ok(aclrtSynchronizeStream(second), "aclrtSynchronizeStream");

    std::vector<unsigned char> bytes(SIZE);
    ok(aclrtMemcpy(bytes.data(), SIZE, place, SIZE, DEVICE_TO_HOST), "aclrtMemcpy");
    size_t right = 0;
    for (size_t at = 0; at < SIZE; at++) {
        right += bytes[at] == (at < SIZE / 2 ? number + 100 : number);
    }
    ok(aclmdlRIDestroy(instance), "aclmdlRIDestroy");
    ok(aclrtFree(place), "aclrtFree");
    ok(aclrtDestroyEvent(event), "aclrtDestroyEvent");
    ok(aclrtDestroyStream(second), "aclrtDestroyStream");
    ok(aclrtDestroyStream(first), "aclrtDestroyStream");
    ok(aclrtDestroyContext(context), "aclrtDestroyContext");
    return right;
}

// What a program sees that asks for something the simulator does not have.
void load_kernels() {
    int64_t given = 0;
    void *binary = nullptr;
    aclError code = aclrtBinaryLoadFromData(&given, sizeof given, nullptr, &binary);
    const char *text = aclGetRecentErrMsg();
    std::printf("kernels: code %d, %s\n", code, text != nullptr ? text : "(no text)");
}

// The compiler's options by way of another file: it has to be the same library, with the same state.
void ask_the_compiler() {
    void *file = dlopen("libacl_op_compiler.so", RTLD_NOW);
    void *name = file != nullptr ? dlsym(file, "aclrtGetSocName") : nullptr;
    bool same = name == reinterpret_cast<void *>(&aclrtGetSocName);
    std::printf("libacl_op_compiler.so: %s\n", same ? "the same library" : "another library");
}
} // namespace

int main() {
    constexpr int THREADS = 8;
    try {
        ok(aclInit(nullptr), "aclInit");
        ok(aclrtSetDevice(0), "aclrtSetDevice");
        std::printf("running on %s\n", aclrtGetSocName());
        std::vector<size_t> right(THREADS);
        std::vector<std::string> failures(THREADS);
        std::vector<std::thread> threads;
        for (int number = 0; number < THREADS; number++) {
            threads.emplace_back([&, number] {
                try {
                    right[number] = work(number + 1);
                } catch (const Failed &failed) {
                    failures[number] = failed.what;
                }
            });
        }
        size_t sum = 0;
        for (int number = 0; number < THREADS; number++) {
            threads[number].join();
            sum += right[number];
            if (!failures[number].empty()) {
                throw Failed{failures[number]};
            }
        }
        std::printf("bytes as they should be: %zu of %zu\n", sum, THREADS * SIZE);
        load_kernels();
        ask_the_compiler();
        ok(aclrtResetDevice(0), "aclrtResetDevice");
        ok(aclFinalize(), "aclFinalize");
    } catch (const Failed &failed) {
        std::printf("failed: %s\n", failed.what.c_str());
        return 1;
    }
    return 0;
}
