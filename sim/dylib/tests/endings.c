/* A mistake, a call that is not simulated, and then an end that is none in order: the word says which. */
#include "rules/calls.h"
#include <signal.h>

extern int aclrtGetDevicesTopo(uint32_t device, uint32_t other, uint64_t *value);

int main(int count, char *arguments[])
{
    const char *word = count > 1 ? arguments[1] : "";
    begin();
    Stream worker = stream();
    void *there = device(SIZE);
    DO(aclrtMemsetAsync(there, SIZE, 0, SIZE, worker));
    DO(aclrtFree(there));
    uint64_t value = 0;
    (void)aclrtGetDevicesTopo(0, 1, &value);
    if (strcmp(word, "segv") == 0)
        *(volatile int *)(uintptr_t)16 = 1;
    if (strcmp(word, "abort") == 0)
        abort();
    if (strcmp(word, "term") == 0)
        kill(getpid(), SIGTERM);
    if (strcmp(word, "_exit") == 0)
        _exit(3);
    pause();
    return 0;
}
