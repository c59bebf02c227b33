/* DATA-10: the memory of an input is exchanged while the model runs. The simulator finds: DATA-10. */
#include "model.h"

int main(int count, char *arguments[])
{
    (void)count;
    begin();
    Stream worker = stream();
    struct Model digits = load(arguments[1]);
    void *next = device(SIZE);
    SAY(aclmdlExecuteAsync(digits.id, digits.inputs, digits.outputs, worker));
    SAY(aclUpdateDataBuffer(aclmdlGetDatasetBuffer(digits.inputs, 0), next, SIZE));
    DO(aclrtSynchronizeStream(worker));
    return 0;
}
