/* INIT-01: a device is set before the library is initialised. The simulator finds: INIT-01. */
#include "calls.h"

int main(void)
{
    SAY(aclrtSetDevice(0));
    return 0;
}
