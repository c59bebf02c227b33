/* ALLOC-07: a descriptor without its free function is registered. The simulator finds: ALLOC-07. */
#include "allocator.h"

int main(void)
{
    begin();
    struct Counting allocator = {0};
    Descriptor descriptor = aclrtAllocatorCreateDesc();
    DO(aclrtAllocatorSetObjToDesc(descriptor, &allocator));
    DO(aclrtAllocatorSetAllocFuncToDesc(descriptor, allocate));
    DO(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(descriptor, address));
    DO(aclrtAllocatorSetAllocAdviseFuncToDesc(descriptor, near));
    SAY(aclrtAllocatorRegister(stream(), descriptor));
    return 0;
}
