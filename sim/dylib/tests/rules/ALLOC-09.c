/* ALLOC-09: a second allocator takes the place of the first while work may use the first. The simulator finds: ALLOC-09. */
#include "allocator.h"

int main(void)
{
    begin();
    Stream worker = stream();
    struct Counting first = {0}, second = {0};
    DO(aclrtAllocatorRegister(worker, describe(&first)));
    SAY(operate(worker));
    SAY(aclrtAllocatorRegister(worker, describe(&second)));
    DO(aclrtSynchronizeStream(worker));
    return 0;
}
