/* EVENT-05: a stream waits for an event that was never recorded. The simulator finds: EVENT-05. */
#include "calls.h"

int main(void)
{
    begin();
    Event event = NULL;
    DO(aclrtCreateEvent(&event));
    SAY(aclrtStreamWaitEvent(stream(), event));
    return 0;
}
