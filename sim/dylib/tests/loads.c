/* Loads the model that is named, and unloads it. */
#include "rules/calls.h"

int main(int count, char *arguments[])
{
    uint32_t model = 0;
    begin();
    DO(aclmdlLoadFromFile(count > 1 ? arguments[1] : "", &model));
    DO(aclmdlUnload(model));
    DO(aclrtResetDevice(0));
    DO(aclFinalize());
    printf("loaded\n");
    return 0;
}
