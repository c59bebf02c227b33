/* STREAM-02: the default stream is destroyed. The simulator finds: STREAM-02. */
#include "calls.h"

int main(void)
{
    begin();
    SAY(aclrtDestroyStream(NULL));
    return 0;
}
