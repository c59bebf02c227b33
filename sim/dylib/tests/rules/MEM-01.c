/* MEM-01: memory is used after it was freed. The simulator finds: MEM-01. */
#include "calls.h"

int main(void)
{
    begin();
    void *there = device(SIZE);
    char here[SIZE];
    DO(aclrtFree(there));
    SAY(aclrtMemcpy(here, SIZE, there, SIZE, TO_HOST));
    return 0;
}
