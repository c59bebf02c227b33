/* COPY-03: the destination of a queued copy is read before the stream was synchronised. The simulator finds: COPY-03. */
#include "calls.h"

int main(void)
{
    begin();
    Stream worker = stream();
    void *there = device(SIZE), *other = device(SIZE), *here = pinned(SIZE);
    const char zeros[SIZE] = {0};
    DO(aclrtMemcpy(there, SIZE, zeros, SIZE, TO_DEVICE));
    SAY(aclrtMemcpyAsync(here, SIZE, there, SIZE, TO_HOST, worker));
    SAY(aclrtMemcpy(other, SIZE, here, SIZE, TO_DEVICE));
    DO(aclrtSynchronizeStream(worker));
    return 0;
}
