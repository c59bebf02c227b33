/* STREAM-08: a stream is destroyed twice. The simulator finds: STREAM-08. */
#include "calls.h"

int main(void)
{
    begin();
    Stream worker = stream();
    DO(aclrtDestroyStream(worker));
    SAY(aclrtDestroyStream(worker));
    return 0;
}
