/* CTX-05: a helper leaves another context current. The simulator finds: STREAM-09. */
#include "calls.h"

/* It makes a context of its own, which is current afterwards. */
static void helper(void)
{
    Context own = NULL;
    DO(aclrtCreateContext(&own, 0));
}

int main(void)
{
    begin();
    Stream worker = stream();
    void *there = device(SIZE);
    helper();
    SAY(aclrtMemsetAsync(there, SIZE, 0, SIZE, worker));
    return 0;
}
