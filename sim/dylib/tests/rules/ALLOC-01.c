/* ALLOC-01: an allocator is registered on the default stream. The simulator finds: ALLOC-01. */
#include "allocator.h"

int main(void)
{
    begin();
    struct Counting allocator = {0};
    SAY(aclrtAllocatorRegister(NULL, describe(&allocator)));
    return 0;
}
