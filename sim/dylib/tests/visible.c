/* The devices that a process sees. */
#include <stdint.h>
#include <stdio.h>

extern int aclrtGetDeviceCount(uint32_t *count);
extern int aclrtSetDevice(int32_t device);
extern int aclrtGetDevice(int32_t *device);
extern int aclrtGetPhyDevIdByUserDevId(int32_t user, int32_t *physical);
extern int aclrtGetUserDevIdByPhyDevId(int32_t physical, int32_t *user);

int main(void)
{
    uint32_t count = 99;
    printf("count: %d, ", aclrtGetDeviceCount(&count));
    printf("%u\n", count);
    for (int32_t device = 0; device < 3; device++) {
        int32_t current = -1, physical = -1, user = -1;
        int set = aclrtSetDevice(device);
        (void)aclrtGetDevice(&current);
        int told = aclrtGetPhyDevIdByUserDevId(device, &physical);
        (void)aclrtGetUserDevIdByPhyDevId(physical, &user);
        printf("device %d: %d, current %d; %d, physical %d, user %d\n", device, set, current, told, physical, user);
    }
    return 0;
}
