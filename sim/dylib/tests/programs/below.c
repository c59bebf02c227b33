/* Frees memory under a queued copy, by names of the layer below AscendCL. */
#include <stdint.h>

typedef void *Handle;

extern int aclInit(const char *config);
extern int rtSetDevice(int32_t device);
extern int rtMalloc(void **address, uint64_t size, uint32_t kind, uint16_t module);
extern int rtFree(void *address);
extern int rtMallocHost(void **address, uint64_t size, uint16_t module);
extern int rtMemcpyAsync(void *to, uint64_t room, const void *from, uint64_t size, uint32_t kind, Handle stream);
extern int rtStreamCreate(Handle *stream, int32_t priority);

enum { SIZE = 64, TO_DEVICE = 1, MODULE = 33 };

int main(void)
{
    Handle stream;
    void *memory, *host;
    aclInit(0);
    rtSetDevice(0);
    rtStreamCreate(&stream, 0);
    rtMalloc(&memory, SIZE, 0, MODULE);
    rtMallocHost(&host, SIZE, MODULE);
    rtMemcpyAsync(memory, SIZE, host, SIZE, TO_DEVICE, stream);
    return rtFree(memory);
}
