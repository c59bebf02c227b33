/* A copy to ordinary memory, which says how long that is. With the word `longer` it says too much; the copy fits. */
#include "rules/calls.h"

int main(int count, char *arguments[])
{
    size_t more = count > 1 && strcmp(arguments[1], "longer") == 0 ? 1 : 0;
    begin();
    const char zeros[SIZE] = {0};
    void *there = device(SIZE);
    DO(aclrtMemcpy(there, SIZE, zeros, SIZE, TO_DEVICE));
    char *here = malloc(100);
    DO(aclrtMemcpy(here, 100 + more, there, 50, TO_HOST));
    free(here);
    return 0;
}
