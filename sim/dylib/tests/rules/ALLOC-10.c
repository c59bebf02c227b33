/* ALLOC-10: one allocator serves two streams at once. The simulator finds: ALLOC-10. */
#include "allocator.h"

int main(void)
{
    begin();
    Stream one = stream(), two = stream();
    struct Counting allocator = {0};
    DO(aclrtAllocatorRegister(one, describe(&allocator)));
    DO(aclrtAllocatorRegister(two, describe(&allocator)));
    SAY(operate(one));
    SAY(operate(two));
    DO(aclrtSynchronizeStream(one));
    DO(aclrtSynchronizeStream(two));
    return 0;
}
