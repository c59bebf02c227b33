/* MEM-06: memory is allocated on a thread without a context. The simulator finds: MEM-06. */
#include "calls.h"

static void *allocates(void *unused)
{
    void *memory = unused;
    SAY(aclrtMalloc(&memory, SIZE, HUGE_FIRST));
    return NULL;
}

int main(void)
{
    begin();
    pthread_t thread;
    pthread_create(&thread, NULL, allocates, NULL);
    pthread_join(thread, NULL);
    return 0;
}
