/* INIT-02: the library is finalised while objects are alive. The simulator finds: INIT-02. */
#include "calls.h"

int main(void)
{
    begin();
    void *there = device(SIZE);
    SAY(aclFinalize());
    (void)there;
    return 0;
}
