/* COPY-04: the source of a queued copy is overwritten. The simulator finds: COPY-04. */
#include "calls.h"

int main(void)
{
    begin();
    Stream worker = stream();
    void *there = device(SIZE), *here = pinned(SIZE);
    memset(here, 1, SIZE);
    SAY(aclrtMemcpyAsync(there, SIZE, here, SIZE, TO_DEVICE, worker));
    memset(here, 2, SIZE);
    SAY(aclrtSynchronizeStream(worker));
    return 0;
}
