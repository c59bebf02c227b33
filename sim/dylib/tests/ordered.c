/*
 * A program for ThreadSanitizer: a callback writes what the program reads after it has waited, on two streams that an event
 * orders, and the program writes what a queued copy has read. With a word it forgets to wait.
 */
#include "rules/calls.h"

extern int aclrtSynchronizeEvent(Event event);
extern int aclrtDestroyEvent(Event event);
extern int aclrtFreeHost(void *memory);

static int written[2];

static void first(void *argument)
{
    (void)argument;
    written[0]++;
}

static void second(void *argument)
{
    (void)argument;
    written[1] = written[0] + 1;
}

static void *other(void *argument)
{
    Stream *streams = argument;
    for (int turn = 0; turn < 50; turn++) {
        DO(aclrtSetDevice(0));
        DO(aclrtSynchronizeStream(streams[2]));
    }
    return NULL;
}

int main(int count, char *arguments[])
{
    int forgets = count > 1 && strcmp(arguments[1], "forgets") == 0;
    begin();
    Stream streams[] = {stream(), stream(), stream()};
    char *there = device(SIZE), *here = pinned(SIZE);
    pthread_t thread;
    if (pthread_create(&thread, NULL, other, streams))
        return 3;
    long sum = 0;
    for (int turn = 0; turn < 50; turn++) {
        Event event = NULL;
        DO(aclrtCreateEvent(&event));
        written[0] = turn;
        memset(here, turn, SIZE);
        DO(aclrtLaunchHostFunc(streams[0], first, NULL));
        DO(aclrtRecordEvent(event, streams[0]));
        DO(aclrtStreamWaitEvent(streams[1], event));
        DO(aclrtLaunchHostFunc(streams[1], second, NULL));
        DO(aclrtMemcpyAsync(there, SIZE, here, SIZE, TO_DEVICE, streams[0]));
        if (forgets)
            sum += written[1];
        DO(aclrtSynchronizeStream(streams[0]));
        DO(aclrtSynchronizeStream(streams[1]));
        sum += written[1];
        DO(aclrtMemcpy(here, SIZE, there, SIZE, TO_HOST));
        sum += here[0] - turn;
        DO(aclrtDestroyEvent(event));
    }
    pthread_join(thread, NULL);
    printf("%s\n", forgets ? "forgets" : sum == 49 * 25 + 2 * 50 ? "right" : "wrong");
    return 0;
}
