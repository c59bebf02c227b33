/* STREAM-09: work is queued while another context than the stream's is current. The simulator finds: STREAM-09. */
#include "calls.h"

int main(void)
{
    begin();
    Stream worker = stream();
    void *there = device(SIZE);
    Context other = NULL;
    DO(aclrtCreateContext(&other, 0));
    SAY(aclrtMemsetAsync(there, SIZE, 0, SIZE, worker));
    return 0;
}
