/* CB-01: a callback waits for the stream that waits for the callback. The simulator finds: CB-01. */
#include "calls.h"

/* It allocates device memory: a call of the library inside a callback. */
static void ask(void *argument)
{
    (void)argument;
    void *memory = NULL;
    SAY(aclrtSetDevice(0));
    SAY(aclrtMalloc(&memory, SIZE, HUGE_FIRST));
}

int main(void)
{
    begin();
    Stream worker = stream();
    DO(aclrtLaunchHostFunc(worker, ask, worker));
    DO(aclrtSynchronizeStream(worker));
    return 0;
}
