/* STREAM-04: one stream reads what another writes, and no event orders them. The simulator finds: STREAM-04. */
#include "calls.h"

int main(void)
{
    begin();
    Stream one = stream(), two = stream();
    void *there = device(SIZE), *here = pinned(SIZE);
    SAY(aclrtMemsetAsync(there, SIZE, 7, SIZE, one));
    SAY(aclrtMemcpyAsync(here, SIZE, there, SIZE, TO_HOST, two));
    DO(aclrtSynchronizeStream(one));
    DO(aclrtSynchronizeStream(two));
    return 0;
}
