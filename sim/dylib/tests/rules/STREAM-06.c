/* STREAM-06: a stream is destroyed while another context is current. The simulator finds: STREAM-06. */
#include "calls.h"

int main(void)
{
    begin();
    Stream worker = stream();
    Context other = NULL;
    DO(aclrtCreateContext(&other, 0));
    SAY(aclrtDestroyStream(worker));
    return 0;
}
