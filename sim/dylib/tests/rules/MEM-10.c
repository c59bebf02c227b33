/* MEM-10: host memory is given to a model as its workspace. The simulator finds: MEM-10. */
#include "model.h"

int main(int count, char *arguments[])
{
    (void)count;
    begin();
    size_t size = workspace_of(arguments[1]), weights = 0;
    DO(aclmdlQuerySize(arguments[1], &size, &weights));
    uint32_t model = 0;
    SAY(aclmdlLoadFromFileWithMem(arguments[1], &model, malloc(1 << 20), 1 << 20, device(weights), weights));
    return 0;
}
