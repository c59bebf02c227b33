/*
 * Two processes record one event and wait for it. The first makes it, the second opens it; they talk through pipes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void *Stream, *Event;

struct Handle {
    char reserved[64];
};

extern int aclInit(const char *config);
extern int aclFinalize(void);
extern const char *aclGetRecentErrMsg(void);
extern int aclrtSetDevice(int device);
extern int aclrtResetDevice(int device);
extern int aclrtCreateStream(Stream *stream);
extern int aclrtDestroyStream(Stream stream);
extern int aclrtSynchronizeStream(Stream stream);
extern int aclrtSynchronizeStreamWithTimeout(Stream stream, int milliseconds);
extern int aclrtCreateEventExWithFlag(Event *event, unsigned flags);
extern int aclrtDestroyEvent(Event event);
extern int aclrtRecordEvent(Event event, Stream stream);
extern int aclrtStreamWaitEvent(Stream stream, Event event);
extern int aclrtQueryEventStatus(Event event, int *status);
extern int aclrtSynchronizeEvent(Event event);
extern int aclrtIpcGetEventHandle(Event event, struct Handle *handle);
extern int aclrtIpcOpenEventHandle(struct Handle handle, Event *event);
extern int aclrtLaunchHostFunc(Stream stream, void (*function)(void *), void *argument);

enum { SHARED = 0x40, COMPLETE = 1 };

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

static void give(int pipe)
{
    char byte = 0;
    if (write(pipe, &byte, 1) != 1)
        exit(2);
}

static void take(int pipe)
{
    char byte;
    if (read(pipe, &byte, 1) != 1)
        exit(3);
}

static int in;

/* Keeps the stream until the other process says so. */
static void until_told(void *unused)
{
    (void)unused;
    take(in);
}

static void start(const char *name, Stream *stream)
{
    who = name;
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(60);
    DO(aclInit(NULL));
    DO(aclrtSetDevice(0));
    DO(aclrtCreateStream(stream));
}

static void end(Stream stream, Event event)
{
    DO(aclrtDestroyEvent(event));
    DO(aclrtDestroyStream(stream));
    DO(aclrtResetDevice(0));
    DO(aclFinalize());
    exit(0);
}

static void first(int out)
{
    Stream stream = NULL;
    Event event = NULL;
    struct Handle handle;
    start("first", &stream);
    DO(aclrtCreateEventExWithFlag(&event, SHARED));
    DO(aclrtIpcGetEventHandle(event, &handle));
    DO(aclrtLaunchHostFunc(stream, until_told, NULL));
    DO(aclrtRecordEvent(event, stream));
    if (write(out, &handle, sizeof handle) != sizeof handle)
        exit(2);
    DO(aclrtSynchronizeStream(stream));
    /* The other process records it now. */
    take(in);
    DO(aclrtStreamWaitEvent(stream, event));
    DO(aclrtSynchronizeStream(stream));
    int status = 9;
    DO(aclrtQueryEventStatus(event, &status));
    printf("first: after the other's record it is %s\n", status == COMPLETE ? "complete" : "pending");
    end(stream, event);
}

static void second(int out)
{
    Stream stream = NULL;
    Event event = NULL, again = NULL;
    struct Handle handle;
    start("second", &stream);
    if (read(in, &handle, sizeof handle) != sizeof handle)
        exit(3);
    DO(aclrtIpcOpenEventHandle(handle, &event));
    DO(aclrtStreamWaitEvent(stream, event));
    int status = 9;
    DO(aclrtQueryEventStatus(event, &status));
    int code = aclrtSynchronizeStreamWithTimeout(stream, 100);
    printf("second: the event is %s, and the wait answers %d\n", status == COMPLETE ? "complete" : "pending", code);
    give(out);
    DO(aclrtSynchronizeStream(stream));
    DO(aclrtRecordEvent(event, stream));
    DO(aclrtSynchronizeEvent(event));
    give(out);
    /* Its key is bytes that another process may have got wrong. */
    handle.reserved[0] ^= 1;
    printf("second: a wrong handle answers %d\n", aclrtIpcOpenEventHandle(handle, &again));
    end(stream, event);
}

int main(void)
{
    int to_first[2], to_second[2];
    if (pipe(to_first) || pipe(to_second))
        return 4;
    if (fork() == 0) {
        in = to_second[0];
        second(to_first[1]);
    }
    if (fork() == 0) {
        in = to_first[0];
        first(to_second[1]);
    }
    int failed = 0, status;
    while (wait(&status) > 0)
        failed |= status;
    return failed != 0;
}
