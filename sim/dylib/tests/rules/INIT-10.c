/* INIT-10: the library is finalised while another thread is in a call. The simulator finds: INIT-02, INIT-10. */
#include "calls.h"

static void rest(void *argument)
{
    (void)argument;
    usleep(400 * 1000);
}

static void *wait_for(void *worker)
{
    DO(aclrtSetDevice(0));
    DO(aclrtLaunchHostFunc(worker, rest, NULL));
    aclrtSynchronizeStream(worker);
    return NULL;
}

int main(void)
{
    begin();
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for, stream());
    usleep(100 * 1000);
    SAY(aclFinalize());
    pthread_join(thread, NULL);
    return 0;
}
