/* DEV-04: a call needs the default context, which ended with its device. The simulator finds: DEV-04. */
#include "calls.h"

int main(void)
{
    begin();
    SAY(aclrtResetDevice(0));
    void *memory = NULL;
    SAY(aclrtMalloc(&memory, SIZE, HUGE_FIRST));
    return 0;
}
