/* A plugin: a shared object with the callbacks of a program. */

#include <stdio.h>

extern int aclrtSynchronizeStream(void *stream);

/* What the destructor of the plugin waits for. */
void *waits_for;

__attribute__((destructor)) static void ends(void)
{
    if (waits_for != NULL) {
        printf("the destructor's wait answers %d\n", aclrtSynchronizeStream(waits_for));
    }
}

void report(void *argument)
{
    (void)argument;
    printf("reported\n");
}
