/* A program that loads a plugin, queues a function of it, and closes it: before the function has run ("early"), behind a wait
   ("late"), or with a wait in the destructor of the plugin ("waits"). */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern int32_t aclInit(const char *configuration);
extern int32_t aclFinalize(void);
extern int32_t aclrtSetDevice(int32_t device);
extern int32_t aclrtResetDevice(int32_t device);
extern int32_t aclrtCreateStream(void **stream);
extern int32_t aclrtDestroyStream(void *stream);
extern int32_t aclrtSynchronizeStream(void *stream);
extern int32_t aclrtLaunchHostFunc(void *stream, void (*function)(void *), void *argument);

static volatile int closed;
static int most_milliseconds = 10000;

/* Holds the stream up until the program has closed the plugin, or for that long. */
static void hold_up(void *argument)
{
    (void)argument;
    for (int passed = 0; !closed && passed < most_milliseconds; passed++) {
        usleep(1000);
    }
}

int main(int count, char **words)
{
    void *plugin = dlopen(count > 2 ? words[2] : "", RTLD_NOW);
    if (plugin == NULL) {
        printf("%s\n", dlerror());
        return 1;
    }
    void (*report)(void *);
    *(void **)&report = dlsym(plugin, "report");
    int early = strcmp(words[1], "early") == 0, waits = strcmp(words[1], "waits") == 0;
    void *stream = NULL;
    aclInit(NULL);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    if (waits) {
        /* The library's threads begin: a thread cannot while the loader holds its lock. */
        aclrtLaunchHostFunc(stream, report, NULL);
        aclrtSynchronizeStream(stream);
        most_milliseconds = 50;
        *(void **)dlsym(plugin, "waits_for") = stream;
    }
    if (early || waits) {
        aclrtLaunchHostFunc(stream, hold_up, NULL);
    }
    aclrtLaunchHostFunc(stream, report, NULL);
    if (!early && !waits) {
        aclrtSynchronizeStream(stream);
    }
    dlclose(plugin);
    closed = 1;
    printf("the wait answers %d\n", aclrtSynchronizeStream(stream));
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return 0;
}
