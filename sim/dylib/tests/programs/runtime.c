/* Uses the layer below AscendCL beside AscendCL, as programs with kernels of their own do. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void *Handle;

extern int aclInit(const char *config);
extern int aclFinalize(void);
extern const char *aclGetRecentErrMsg(void);
extern int aclrtSynchronizeStream(Handle stream);
extern int rtSetDevice(int32_t device);
extern int rtGetDevice(int32_t *device);
extern int rtGetDeviceCount(int32_t *count);
extern int rtDeviceReset(int32_t device);
extern int rtDeviceSynchronize(void);
extern int rtCtxGetCurrent(Handle *context);
extern int rtCtxSetCurrent(Handle context);
extern int rtGetSocVersion(char *version, uint32_t room);
extern int rtMalloc(void **address, uint64_t size, uint32_t kind, uint16_t module);
extern int rtMallocHost(void **address, uint64_t size, uint16_t module);
extern int rtFree(void *address);
extern int rtFreeHost(void *address);
extern int rtMemcpy(void *to, uint64_t room, const void *from, uint64_t size, uint32_t kind);
extern int rtMemcpyAsync(void *to, uint64_t room, const void *from, uint64_t size, uint32_t kind, Handle stream);
extern int rtMemset(void *address, uint64_t room, uint32_t value, uint64_t size);
extern int rtStreamCreate(Handle *stream, int32_t priority);
extern int rtStreamDestroy(Handle stream);
extern int rtStreamSynchronize(Handle stream);
extern int rtStreamWaitEvent(Handle stream, Handle event);
extern int rtEventCreate(Handle *event);
extern int rtEventDestroy(Handle event);
extern int rtEventRecord(Handle event, Handle stream);
extern int rtEventSynchronize(Handle event);
extern int rtEventQueryStatus(Handle event, int *status);
extern int rtNotifyCreate(int32_t device, Handle *notify);
extern int rtNotifyDestroy(Handle notify);
extern int rtNotifyRecord(Handle notify, Handle stream);
extern int rtNotifyWait(Handle notify, Handle stream);
extern int rtDevBinaryRegister(const void *binary, void **handle);
extern int rtKernelLaunch(const void *function, uint32_t blocks, void *arguments, uint32_t size, void *shared,
                          Handle stream);
extern int rtGetC2cCtrlAddr(uint64_t *address, uint32_t *size);

enum { SIZE = 4096, TO_DEVICE = 1, TO_HOST = 2, IN_HIGH_BANDWIDTH_MEMORY = 2, MODULE = 33 };

static void done(const char *what, int code)
{
    if (code != 0)
        printf("FAILED: %s answers %d: %s\n", what, code, aclGetRecentErrMsg());
}
#define DO(call) done(#call, call)

static void refused(const char *what, int code)
{
    printf("%s answers %d: %s\n", what, code, aclGetRecentErrMsg());
}

int main(void)
{
    int32_t device = -1, count = 0;
    char name[64] = "", short_name[4] = "";
    Handle context = NULL, streams[2], event, notify;
    void *memory, *host;
    int status = -1;

    DO(aclInit(NULL));
    DO(rtSetDevice(1));
    DO(rtGetDevice(&device));
    DO(rtGetDeviceCount(&count));
    DO(rtGetSocVersion(name, sizeof name));
    printf("device %d of %d: %s\n", device, count, name);
    printf("a name without room: %d\n", rtGetSocVersion(short_name, sizeof short_name));
    DO(rtCtxGetCurrent(&context));
    DO(rtCtxSetCurrent(context));

    DO(rtMalloc(&memory, SIZE, IN_HIGH_BANDWIDTH_MEMORY, MODULE));
    DO(rtMallocHost(&host, SIZE, MODULE));
    for (int i = 0; i < 2; i++)
        DO(rtStreamCreate(&streams[i], 0));
    DO(rtEventCreate(&event));
    DO(rtNotifyCreate(1, &notify));
    memset(host, 7, SIZE);
    DO(rtMemset(memory, SIZE, 1, SIZE));
    DO(rtMemcpyAsync(memory, SIZE, host, SIZE, TO_DEVICE, streams[0]));
    DO(rtEventRecord(event, streams[0]));
    DO(rtNotifyRecord(notify, streams[0]));
    DO(rtStreamWaitEvent(streams[1], event));
    DO(rtNotifyWait(notify, streams[1]));
    DO(rtEventSynchronize(event));
    DO(rtEventQueryStatus(event, &status));
    memset(host, 0, SIZE);
    DO(rtMemcpyAsync(host, SIZE, memory, SIZE, TO_HOST, streams[1]));
    DO(aclrtSynchronizeStream(streams[1]));
    DO(rtStreamSynchronize(streams[0]));
    printf("recorded: %d, read: %d\n", status, ((char *)host)[SIZE - 1]);
    DO(rtMemcpy(host, SIZE, memory, SIZE, TO_HOST));
    printf("a direction of its own: %d\n", rtMemcpy(host, SIZE, memory, SIZE, 5));

    refused("rtDevBinaryRegister", rtDevBinaryRegister("kernel", &memory));
    refused("rtKernelLaunch", rtKernelLaunch("kernel", 1, host, 8, NULL, streams[0]));
    uint64_t address = 0;
    uint32_t size = 0;
    refused("rtGetC2cCtrlAddr", rtGetC2cCtrlAddr(&address, &size));

    DO(rtDeviceSynchronize());
    DO(rtNotifyDestroy(notify));
    DO(rtEventDestroy(event));
    for (int i = 0; i < 2; i++)
        DO(rtStreamDestroy(streams[i]));
    DO(rtFree(memory));
    DO(rtFreeHost(host));
    DO(rtDeviceReset(1));
    DO(aclFinalize());
    return 0;
}
