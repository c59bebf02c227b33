/* CTX-06: a context is made current after its device was reset. The simulator finds: CTX-06. */
#include "calls.h"

int main(void)
{
    begin();
    Context old = NULL;
    DO(aclrtGetCurrentContext(&old));
    DO(aclrtResetDevice(0));
    SAY(aclrtSetCurrentContext(old));
    return 0;
}
