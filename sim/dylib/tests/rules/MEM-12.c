/* MEM-12: memory is freed after its device was reset. The simulator finds: MEM-12. */
#include "calls.h"

int main(void)
{
    begin();
    void *there = device(SIZE);
    SAY(aclrtResetDevice(0));
    DO(aclrtSetDevice(0));
    SAY(aclrtFree(there));
    return 0;
}
