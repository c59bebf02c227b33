/* COPY-07: memory that a stream writes is copied at once, without a wait. The simulator finds: COPY-07. */
#include "calls.h"

int main(void)
{
    begin();
    Stream worker = stream();
    void *there = device(SIZE);
    char here[SIZE];
    SAY(aclrtMemsetAsync(there, SIZE, 7, SIZE, worker));
    SAY(aclrtMemcpy(here, SIZE, there, SIZE, TO_HOST));
    DO(aclrtSynchronizeStream(worker));
    return 0;
}
