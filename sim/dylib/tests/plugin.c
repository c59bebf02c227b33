/* A plugin: a shared object with the callbacks of a program. */

#include <stdio.h>

void report(void *argument)
{
    (void)argument;
    printf("reported\n");
}
