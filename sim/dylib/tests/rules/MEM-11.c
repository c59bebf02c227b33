/* MEM-11: memory is freed while a context of another device is current. The simulator finds: MEM-11. */
#include "calls.h"

int main(void)
{
    begin();
    void *there = device(SIZE);
    DO(aclrtSetDevice(1));
    SAY(aclrtFree(there));
    return 0;
}
