/*
 * A captured graph whose memory is freed while it is replayed, as a C program may do it.
 * Build and run as mistakes.c.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef void *Stream;
typedef void *Graph;

enum { HOST_TO_DEVICE = 1, HUGE_PAGES_FIRST = 0, RELAXED = 2, BYTES = 4096 };

extern int aclInit(const char *config);
extern int aclFinalize(void);
extern const char *aclGetRecentErrMsg(void);
extern int aclrtSetDevice(int device);
extern int aclrtResetDevice(int device);
extern int aclrtCreateStream(Stream *stream);
extern int aclrtDestroyStream(Stream stream);
extern int aclrtSynchronizeStream(Stream stream);
extern int aclrtMalloc(void **memory, size_t size, int policy);
extern int aclrtMallocHost(void **memory, size_t size);
extern int aclrtFree(void *memory);
extern int aclrtFreeHost(void *memory);
extern int aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t size, int direction, Stream stream);
extern int aclmdlRICaptureBegin(Stream stream, int mode);
extern int aclmdlRICaptureEnd(Stream stream, Graph *graph);
extern int aclmdlRIExecuteAsync(Graph graph, Stream stream);
extern int aclmdlRIDestroy(Graph graph);

/* What a call answers, and the rule that the library names: "aclrtFree: GRAPH-05: ..." is cut to the rule. */
static void tell(const char *call, int code)
{
    const char *text = code ? aclGetRecentErrMsg() : NULL;
    const char *rule = text ? strstr(text, ": ") : NULL;
    const char *end = rule ? strchr(rule + 2, ':') : NULL;
    printf("%s answers %d%s%.*s\n", call, code, rule ? ", " : "", end ? (int)(end - rule - 2) : 0, rule ? rule + 2 : "");
}
#define TELL(call) tell(#call, call)

int main(int count, char **words)
{
    /* With a word the program waits, and destroys the graph first. */
    int repaired = count > 1 && words != NULL;
    Stream stream = NULL;
    Graph graph = NULL;
    void *device = NULL, *pinned = NULL;

    TELL(aclInit(NULL));
    TELL(aclrtSetDevice(0));
    TELL(aclrtCreateStream(&stream));
    TELL(aclrtMalloc(&device, BYTES, HUGE_PAGES_FIRST));
    TELL(aclrtMallocHost(&pinned, BYTES));
    memset(pinned, 1, BYTES);

    TELL(aclmdlRICaptureBegin(stream, RELAXED));
    TELL(aclrtMemcpyAsync(device, BYTES, pinned, BYTES, HOST_TO_DEVICE, stream));
    TELL(aclmdlRICaptureEnd(stream, &graph));

    TELL(aclmdlRIExecuteAsync(graph, stream));
    if (repaired) {
        TELL(aclrtSynchronizeStream(stream));
        TELL(aclmdlRIDestroy(graph));
    }
    /* Without a wait the replay may still write to it. */
    TELL(aclrtFree(device));
    if (!repaired) {
        TELL(aclrtSynchronizeStream(stream));
        TELL(aclmdlRIDestroy(graph));
    }
    TELL(aclrtFreeHost(pinned));
    TELL(aclrtDestroyStream(stream));
    TELL(aclrtResetDevice(0));
    TELL(aclFinalize());
    return 0;
}
