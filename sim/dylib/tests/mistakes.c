/*
 * Three mistakes, as a C program makes them. It prints what each call answers; the simulator reports what was wrong.
 * Build and run:
 *
 *     cc mistakes.c -o mistakes -Ltarget/release -lascendcl
 *     LD_LIBRARY_PATH=target/release ASCENDCL_SIM=report ./mistakes
 *
 * The declarations state the vendor's C ABI; a program on the vendor's machines includes <acl/acl.h> instead.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Stream;

enum { HOST_TO_DEVICE = 1, HUGE_PAGES_FIRST = 0 };

extern int aclInit(const char *config);
extern int aclFinalize(void);
extern const char *aclGetRecentErrMsg(void);
extern int aclrtSetDevice(int device);
extern int aclrtCreateStream(Stream *stream);
extern int aclrtSynchronizeStream(Stream stream);
extern int aclrtMalloc(void **memory, size_t size, int policy);
extern int aclrtMallocHost(void **memory, size_t size);
extern int aclrtFree(void *memory);
extern int aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t size, int direction, Stream stream);

enum { BYTES = 4096 };

/* What a call answers, and the first words of what the library says to it: "aclrtFree: MEM-02: ..." is cut to the rule. */
static void tell(const char *call, int code)
{
    const char *text = code ? aclGetRecentErrMsg() : NULL;
    const char *rule = text ? strstr(text, ": ") : NULL;
    const char *end = rule ? strchr(rule + 2, ':') : NULL;
    printf("%s answers %d%s%.*s\n", call, code, rule ? ", " : "", end ? (int)(end - rule - 2) : 0, rule ? rule + 2 : "");
}
#define TELL(call) tell(#call, call)

int main(void)
{
    Stream stream = NULL;
    void *device = NULL, *pinned = NULL;

    TELL(aclInit(NULL));
    TELL(aclrtSetDevice(0));
    TELL(aclrtCreateStream(&stream));
    TELL(aclrtMalloc(&device, BYTES, HUGE_PAGES_FIRST));
    TELL(aclrtMallocHost(&pinned, BYTES));

    /* The source of a queued copy is written before anybody has waited for the copy. */
    memset(pinned, 1, BYTES);
    TELL(aclrtMemcpyAsync(device, BYTES, pinned, BYTES, HOST_TO_DEVICE, stream));
    memset(pinned, 2, BYTES);
    TELL(aclrtSynchronizeStream(stream));

    /* Memory is freed while a copy to it may still run. */
    TELL(aclrtMemcpyAsync(device, BYTES, pinned, BYTES, HOST_TO_DEVICE, stream));
    TELL(aclrtFree(device));
    TELL(aclrtSynchronizeStream(stream));

    /* The library is finalised, and a stream, pinned memory and a device are left. */
    TELL(aclFinalize());
    return 0;
}
