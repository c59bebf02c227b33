/* MEM-07: new memory is copied to the host before anything was written to it. The simulator finds: MEM-07. */
#include "calls.h"

int main(void)
{
    begin();
    void *there = device(SIZE);
    char here[SIZE];
    SAY(aclrtMemcpy(here, SIZE, there, SIZE, TO_HOST));
    return 0;
}
