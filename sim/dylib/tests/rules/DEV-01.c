/* DEV-01: a stream is created before a device is set. The simulator finds: DEV-01. */
#include "calls.h"

int main(void)
{
    DO(aclInit(NULL));
    Stream worker = NULL;
    SAY(aclrtCreateStream(&worker));
    return 0;
}
