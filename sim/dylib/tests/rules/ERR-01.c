/* ERR-01: the code of a call is not looked at. The simulator finds: DEV-11. */
#include "calls.h"

int main(void)
{
    DO(aclInit(NULL));
    aclrtSetDevice(99); /* This failed, and nobody knows. */
    Stream worker = NULL;
    SAY(aclrtCreateStream(&worker));
    return 0;
}
