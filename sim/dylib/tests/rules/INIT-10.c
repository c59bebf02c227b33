/* INIT-10: the library is finalised while another thread is in a call. The simulator finds: INIT-02, INIT-10. */
#include "calls.h"

static volatile int is_running;

static void rest(void *argument)
{
    (void)argument;
    is_running = 1;
    usleep(2000 * 1000);
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
    while (!is_running)
        usleep(1000);
    usleep(500 * 1000); /* The other thread is in its synchronise by now. */
    SAY(aclFinalize());
    pthread_join(thread, NULL);
    return 0;
}
