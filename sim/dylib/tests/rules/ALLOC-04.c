/* ALLOC-04: an allocator is registered after the first operator. The simulator finds: ALLOC-15. */
#include "allocator.h"

int main(void)
{
    begin();
    Stream worker = stream();
    struct Counting allocator = {0};
    SAY(operate(worker));
    DO(aclrtSynchronizeStream(worker));
    SAY(aclrtAllocatorRegister(worker, describe(&allocator)));
    SAY(operate(worker));
    DO(aclrtSynchronizeStream(worker));
    printf("the allocator was asked %d times\n", allocator.asked);
    return 0;
}
