/* DEV-02: a device is reset while a stream of it is left. The simulator finds: DEV-02. */
#include "calls.h"

int main(void)
{
    begin();
    Stream worker = stream();
    (void)worker;
    SAY(aclrtResetDevice(0));
    return 0;
}
