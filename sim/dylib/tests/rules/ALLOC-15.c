/* ALLOC-15: a registration after the first operator is ignored. The simulator finds: ALLOC-15. */
#include "allocator.h"

int main(void)
{
    begin();
    Stream worker = stream();
    struct Counting allocator = {0};
    SAY(operate(worker));
    SAY(aclrtAllocatorRegister(worker, describe(&allocator)));
    DO(aclrtSynchronizeStream(worker));
    return 0;
}
