/*
 * Mistakes that no call shows: the program itself uses memory that it must not. The word says which mistake it makes.
 */
#include "rules/calls.h"
#include <signal.h>

extern int aclrtFreeHost(void *memory);

static volatile int seen;

static void look(const volatile char *place)
{
    seen = *place;
}

static void finish(void *block)
{
    DO(aclrtFreeHost(block));
    printf("end\n");
    exit(0);
}

/* A handler of the program's own, which the simulator leaves in place. */
static void own(int number)
{
    (void)number;
    static const char text[] = "own handler\n";
    if (write(1, text, sizeof text - 1) < 0)
        _exit(8);
    _exit(7);
}

int main(int count, char *arguments[])
{
    const char *word = count > 1 ? arguments[1] : "";
    setvbuf(stdout, NULL, _IONBF, 0);
    if (strcmp(word, "own-handler") == 0)
        signal(SIGSEGV, own);
    begin();
    Stream worker = stream();
    enum { ODD = 1000 };
    char *there = device(2 * SIZE), *here = pinned(2 * SIZE), *odd = pinned(ODD);
    char zeros[SIZE] = {0};
    DO(aclrtMemcpy(there, 2 * SIZE, zeros, SIZE, TO_DEVICE));
    memset(here, 1, 2 * SIZE);
    memset(odd, 1, ODD);
    DO(aclrtMemcpyAsync(odd, ODD, there, ODD, TO_HOST, worker));
    DO(aclrtMemcpyAsync(here, 2 * SIZE, there, SIZE, TO_HOST, worker));
    if (strcmp(word, "early-read") == 0)
        look(odd + 500);
    if (strcmp(word, "early-write") == 0)
        odd[5] = 1;
    /* The copy does not reach this half. */
    if (strcmp(word, "other-half") == 0)
        look(here + SIZE + SIZE / 2);
    DO(aclrtSynchronizeStream(worker));
    look(odd);
    here[0] = 1;
    if (seen != 0)
        printf("the copy did not come\n");
    if (strcmp(word, "device-read") == 0 || strcmp(word, "own-handler") == 0)
        look(there + 1);
    if (strcmp(word, "device-write") == 0)
        there[SIZE] = 1;
    if (strcmp(word, "near") == 0)
        odd[ODD + 2] = 1;
    if (strcmp(word, "far") == 0)
        odd[ODD + 200] = 1;
    if (strcmp(word, "freed") == 0) {
        DO(aclrtFreeHost(here));
        look(here);
    }
    if (strcmp(word, "null") == 0)
        look(NULL);
    finish(odd);
    return 0;
}
