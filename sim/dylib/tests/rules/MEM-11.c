/* MEM-11: work of one device uses memory of another one. The simulator finds: MEM-11. */
#include "calls.h"

int main(void)
{
    begin();
    void *there = device(SIZE);
    DO(aclrtSetDevice(1));
    Stream stream;
    DO(aclrtCreateStream(&stream));
    SAY(aclrtMemsetAsync(there, SIZE, 0, SIZE, stream));
    SAY(aclrtSynchronizeStream(stream));
    return 0;
}
