/* CTX-10: a stream is destroyed after its context. The simulator finds: CTX-10. */
#include "calls.h"

int main(void)
{
    begin();
    Context own = NULL;
    DO(aclrtCreateContext(&own, 0));
    Stream worker = stream();
    SAY(aclrtDestroyContext(own));
    DO(aclrtSetDevice(0));
    SAY(aclrtDestroyStream(worker));
    return 0;
}
