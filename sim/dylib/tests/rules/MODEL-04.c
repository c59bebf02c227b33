/* MODEL-04: a model runs at once in the workspace of one that runs on a stream. The simulator finds: MODEL-04. */
#include "model.h"

int main(int count, char *arguments[])
{
    (void)count;
    begin();
    Stream worker = stream();
    void *workspace = device(1 << 20);
    struct Model one = load_with(arguments[1], workspace, 1 << 20), two = load_with(arguments[1], workspace, 1 << 20);
    SAY(aclmdlExecuteAsync(one.id, one.inputs, one.outputs, worker));
    SAY(aclmdlExecute(two.id, two.inputs, two.outputs));
    DO(aclrtSynchronizeStream(worker));
    return 0;
}
