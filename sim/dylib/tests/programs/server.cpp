// A server of the usual kind: workers that share one context and have a stream each, a thread that processes reports
// until it is told to stop, callbacks behind every batch of work, events for the time it took. It ends without taking
// everything down, as servers do.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <thread>
#include <vector>

extern "C" {
int aclInit(const char *);
int aclFinalize();
const char *aclGetRecentErrMsg();
int aclrtSetDevice(int32_t);
int aclrtResetDevice(int32_t);
int aclrtGetCurrentContext(void **);
int aclrtSetCurrentContext(void *);
int aclrtCreateStreamWithConfig(void **, uint32_t, uint32_t);
int aclrtDestroyStream(void *);
int aclrtSynchronizeStream(void *);
int aclrtSynchronizeStreamWithTimeout(void *, int32_t);
int aclrtStreamQuery(void *, int *);
int aclrtSubscribeReport(uint64_t, void *);
int aclrtUnSubscribeReport(uint64_t, void *);
int aclrtProcessReport(int32_t);
int aclrtLaunchCallback(void (*)(void *), void *, int, void *);
int aclrtCreateEvent(void **);
int aclrtCreateEventWithFlag(void **, uint32_t);
int aclrtCreateEventExWithFlag(void **, uint32_t);
int aclrtDestroyEvent(void *);
int aclrtRecordEvent(void *, void *);
int aclrtResetEvent(void *, void *);
int aclrtStreamWaitEvent(void *, void *);
int aclrtSynchronizeEvent(void *);
int aclrtQueryEventStatus(void *, int *);
int aclrtEventElapsedTime(float *, void *, void *);
int aclrtMalloc(void **, size_t, int);
int aclrtFree(void *);
int aclrtMallocHost(void **, size_t);
int aclrtFreeHost(void *);
int aclrtMemcpyAsync(void *, size_t, const void *, size_t, int, void *);
int aclrtMemsetAsync(void *, size_t, int32_t, size_t, void *);
int aclrtSetOpWaitTimeout(uint32_t);
int aclrtSetDeviceSatMode(int);
int aclrtSetStreamFailureMode(void *, uint64_t);
}

namespace {
enum { DEVICE_TO_HOST = 2, NO_BLOCK = 0, BLOCK = 1, TIMED = 8, SYNC = 1, FAST = 3 };
constexpr int WORKERS = 4, REQUESTS = 25;
constexpr size_t SIZE = 1 << 16;
std::atomic<bool> stop{false};
std::atomic<int> answered{0};
std::atomic<int> right{0};

void check(int code, const char *call) {
    if (code != 0) {
        const char *text = aclGetRecentErrMsg();
        std::printf("FAILED %s: %d %s\n", call, code, text ? text : "(no text)");
        std::exit(1);
    }
}
#define CHECK(call) check((call), #call)

struct Request {
    unsigned char *host;
    unsigned char value;
    std::atomic<bool> done;
};

void answer(void *data) {
    auto *request = static_cast<Request *>(data);
    bool good = true;
    for (size_t index = 0; index < SIZE; index++) {
        good = good && request->host[index] == request->value;
    }
    right += good;
    answered++;
    request->done = true;
}

struct Reporter {
    void *context;
    std::atomic<uint64_t> id{0};
};

void *report(void *argument) {
    auto *reporter = static_cast<Reporter *>(argument);
    CHECK(aclrtSetCurrentContext(reporter->context));
    reporter->id = static_cast<uint64_t>(pthread_self());
    while (!stop) {
        aclrtProcessReport(20); // no subscription yet and no report in time are part of the loop
    }
    return nullptr;
}

void work(void *context, uint64_t reporter, int worker) {
    CHECK(aclrtSetCurrentContext(context));
    void *stream = nullptr, *other = nullptr, *begin = nullptr, *end = nullptr, *ready = nullptr;
    CHECK(aclrtCreateStreamWithConfig(&stream, 0, FAST));
    CHECK(aclrtCreateStreamWithConfig(&other, 0, FAST));
    CHECK(aclrtSetStreamFailureMode(stream, 0));
    CHECK(aclrtCreateEventWithFlag(&begin, TIMED));
    CHECK(aclrtCreateEventWithFlag(&end, TIMED));
    CHECK(aclrtCreateEvent(&ready));
    CHECK(aclrtSubscribeReport(reporter, stream));
    void *device = nullptr, *host = nullptr;
    CHECK(aclrtMalloc(&device, SIZE, 0));
    CHECK(aclrtMallocHost(&host, SIZE));
    Request request{static_cast<unsigned char *>(host), 0, {false}};
    for (int number = 0; number < REQUESTS; number++) {
        request.value = static_cast<unsigned char>(worker * REQUESTS + number);
        request.done = false;
        CHECK(aclrtRecordEvent(begin, stream));
        CHECK(aclrtMemsetAsync(device, SIZE, request.value, SIZE, other));
        CHECK(aclrtRecordEvent(ready, other));
        CHECK(aclrtStreamWaitEvent(stream, ready));
        CHECK(aclrtResetEvent(ready, stream));
        CHECK(aclrtMemcpyAsync(host, SIZE, device, SIZE, DEVICE_TO_HOST, stream));
        CHECK(aclrtLaunchCallback(answer, &request, number % 2 == 0 ? BLOCK : NO_BLOCK, stream));
        CHECK(aclrtRecordEvent(end, stream));
        CHECK(aclrtSynchronizeStreamWithTimeout(stream, 20000));
        while (!request.done) {
            std::this_thread::yield(); // the stream does not wait for a callback that does not block
        }
        int status = -1, query = -1;
        CHECK(aclrtQueryEventStatus(end, &status));
        CHECK(aclrtStreamQuery(stream, &query));
        float milliseconds = -1;
        CHECK(aclrtEventElapsedTime(&milliseconds, begin, end));
        if (status != 1 || query != 0 || milliseconds < 0) {
            std::printf("FAILED worker %d: status %d, query %d, %f ms\n", worker, status, query, milliseconds);
            std::exit(1);
        }
    }
    CHECK(aclrtUnSubscribeReport(reporter, stream));
    CHECK(aclrtFreeHost(host));
    CHECK(aclrtFree(device));
    CHECK(aclrtDestroyEvent(begin));
    CHECK(aclrtDestroyEvent(end));
    CHECK(aclrtDestroyEvent(ready));
    CHECK(aclrtDestroyStream(other));
    CHECK(aclrtDestroyStream(stream));
}
} // namespace

int main() {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    CHECK(aclInit(nullptr));
    std::printf("initialised twice: %d\n", aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtSetOpWaitTimeout(600));
    CHECK(aclrtSetDeviceSatMode(1));
    Reporter reporter{};
    CHECK(aclrtGetCurrentContext(&reporter.context));
    pthread_t thread;
    pthread_create(&thread, nullptr, report, &reporter);
    while (reporter.id == 0) {
        std::this_thread::yield();
    }
    std::vector<std::thread> workers;
    for (int worker = 0; worker < WORKERS; worker++) {
        workers.emplace_back(work, reporter.context, reporter.id.load(), worker);
    }
    for (auto &worker : workers) {
        worker.join();
    }
    stop = true;
    pthread_join(thread, nullptr);
    std::printf("answered %d, right %d\n", answered.load(), right.load());
    // A stream, an event and memory are still there.
    void *left = nullptr;
    CHECK(aclrtCreateStreamWithConfig(&left, 0, FAST));
    CHECK(aclrtCreateEventExWithFlag(&left, SYNC));
    CHECK(aclrtMalloc(&left, SIZE, 0));
    CHECK(aclFinalize());
    std::printf("done\n");
    return 0;
}
