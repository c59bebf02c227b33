/* ALLOC-13: work runs on another stream than the allocator was registered on. The simulator finds: ALLOC-13. */
#include "allocator.h"

int main(void)
{
    begin();
    Stream one = stream(), two = stream();
    struct Counting allocator = {0};
    SAY(aclrtAllocatorRegister(one, describe(&allocator)));
    SAY(operate(two));
    DO(aclrtSynchronizeStream(two));
    printf("the allocator was asked %d times\n", allocator.asked);
    return 0;
}
