/* STREAM-10: work is queued while another device is current. The simulator finds: STREAM-10. */
#include "calls.h"

int main(void)
{
    begin();
    Stream worker = stream();
    void *there = device(SIZE);
    DO(aclrtSetDevice(1));
    SAY(aclrtMemsetAsync(there, SIZE, 0, SIZE, worker));
    return 0;
}
