/* MODEL-14: a model is unloaded while it runs. The simulator finds: MODEL-14. */
#include "model.h"

int main(int count, char *arguments[])
{
    (void)count;
    begin();
    Stream worker = stream();
    struct Model digits = load(arguments[1]);
    SAY(aclmdlExecuteAsync(digits.id, digits.inputs, digits.outputs, worker));
    SAY(aclmdlUnload(digits.id));
    DO(aclrtSynchronizeStream(worker));
    return 0;
}
