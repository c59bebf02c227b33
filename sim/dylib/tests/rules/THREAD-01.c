/* THREAD-01: a new thread copies, and has chosen no context. The simulator finds: THREAD-01. */
#include "calls.h"

static void *copies(void *there)
{
    char here[SIZE] = {0};
    SAY(aclrtMemcpy(there, SIZE, here, SIZE, TO_DEVICE));
    return NULL;
}

int main(void)
{
    begin();
    pthread_t thread;
    pthread_create(&thread, NULL, copies, device(SIZE));
    pthread_join(thread, NULL);
    return 0;
}
