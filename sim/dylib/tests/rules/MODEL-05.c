/* MODEL-05: two models with one workspace run on two streams. The simulator finds: MODEL-05. */
#include "model.h"

int main(int count, char *arguments[])
{
    (void)count;
    begin();
    Stream worker = stream(), other = stream();
    void *workspace = device(1 << 20);
    struct Model one = load_with(arguments[1], workspace, 1 << 20), two = load_with(arguments[1], workspace, 1 << 20);
    SAY(aclmdlExecuteAsync(one.id, one.inputs, one.outputs, worker));
    SAY(aclmdlExecuteAsync(two.id, two.inputs, two.outputs, other));
    DO(aclrtSynchronizeStream(worker));
    DO(aclrtSynchronizeStream(other));
    return 0;
}
