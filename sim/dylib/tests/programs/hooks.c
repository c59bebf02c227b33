/* Counts calls as tools do, with functions of its own before those of the library. */
#include <stdint.h>
#include <stdio.h>

typedef void (*Function)(void);

extern int aclInit(const char *config);
extern int aclFinalize(void);
extern const char *aclGetRecentErrMsg(void);
extern int aclrtSetDevice(int32_t device);
extern int aclrtResetDevice(int32_t device);
extern int aclrtGetDevice(int32_t *device);
extern int aclrtLaunchKernel(void *function, uint32_t blocks, const void *arguments, size_t size, void *stream);
extern int aclrtApiInjectionSetFunc(const char *name, Function function);
extern int aclrtApiInjectionGetFunc(const char *name, Function *original, Function *current);

static int (*original)(int32_t *device);
static int calls;

static int counts(int32_t *device)
{
    calls++;
    return original(device);
}

static int launches(void *function, uint32_t blocks, const void *arguments, size_t size, void *stream)
{
    (void)function, (void)arguments, (void)size, (void)stream;
    return (int)blocks;
}

static void done(const char *what, int code)
{
    if (code != 0)
        printf("FAILED: %s answers %d: %s\n", what, code, aclGetRecentErrMsg());
}
#define DO(call) done(#call, call)

static void asked(const char *when)
{
    Function own = NULL, current = NULL;
    int32_t device = -1;
    DO(aclrtApiInjectionGetFunc("aclrtGetDevice", &own, &current));
    DO(aclrtGetDevice(&device));
    printf("%s: device %d, %d calls counted, %s\n", when, device, calls, own == current ? "its own" : "hooked");
}

int main(void)
{
    Function own = NULL;
    DO(aclInit(NULL));
    DO(aclrtSetDevice(1));
    asked("at first");
    DO(aclrtApiInjectionGetFunc("aclrtGetDevice", &own, NULL));
    original = (int (*)(int32_t *))own;
    DO(aclrtApiInjectionSetFunc("aclrtGetDevice", (Function)counts));
    asked("with a hook");
    asked("once more");
    DO(aclrtApiInjectionSetFunc("aclrtGetDevice", own));
    asked("without it");

    /* Functions that the library does not have are hooked, too. */
    DO(aclrtApiInjectionGetFunc("aclrtLaunchKernel", &own, NULL));
    DO(aclrtApiInjectionSetFunc("aclrtLaunchKernel", (Function)launches));
    int given = 0;
    printf("a launch answers %d", aclrtLaunchKernel(&given, 8, &given, sizeof given, NULL));
    DO(aclrtApiInjectionSetFunc("aclrtLaunchKernel", own));
    printf(", and %d without the hook\n", aclrtLaunchKernel(&given, 8, &given, sizeof given, NULL));

    const char *names[] = {"aclInit", "aclrtNothing", "aclrtGetDevice", NULL};
    for (int i = 0; i < 4; i++) {
        int code = aclrtApiInjectionSetFunc(names[i], NULL);
        printf("%d: %s\n", code, aclGetRecentErrMsg());
    }
    DO(aclrtResetDevice(1));
    DO(aclFinalize());
    return 0;
}
