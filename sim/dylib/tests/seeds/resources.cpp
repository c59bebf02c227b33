/*
 * The calls of the page "resource allocation" in their order, in the program that they need around them: the page
 * declares a global variable inside of a function, and leaves out initialising, finalising and every look at a code.
 * The declarations state the C ABI; a program on the vendor's machines includes <acl/acl.h> instead.
 */
#include <cstdint>
#include <cstdio>

using aclError = int;
using aclrtStream = void *;
enum aclrtRunMode { ACL_DEVICE, ACL_HOST };

extern "C" {
aclError aclInit(const char *config);
aclError aclFinalize();
aclError aclrtSetDevice(int32_t device);
aclError aclrtResetDevice(int32_t device);
aclError aclrtCreateStream(aclrtStream *stream);
aclError aclrtDestroyStream(aclrtStream stream);
aclError aclrtGetRunMode(aclrtRunMode *mode);
}

bool g_isDevice;

static aclError program()
{
    // ANCHOR: program
    int32_t deviceId = 0;
    aclrtStream stream;
    aclrtRunMode runMode;

    aclError ret = aclrtSetDevice(deviceId);
    if (ret == 0) ret = aclrtCreateStream(&stream);
    if (ret == 0) ret = aclrtGetRunMode(&runMode);
    if (ret == 0) g_isDevice = runMode == ACL_DEVICE;

    // ... the work

    if (ret == 0) ret = aclrtDestroyStream(stream);
    if (ret == 0) ret = aclrtResetDevice(deviceId);
    // ANCHOR_END: program
    return ret;
}

int main()
{
    std::printf("as printed, without aclInit: %d\n", program());
    std::printf("init %d\n", aclInit(nullptr));
    std::printf("with aclInit: %d, on the device: %d\n", program(), g_isDevice);
    std::printf("finalize %d\n", aclFinalize());
    return 0;
}
