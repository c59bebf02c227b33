/* MODEL-17: outputs are read right after the call that queued the model. The simulator finds: MODEL-17. */
#include "model.h"

int main(int count, char *arguments[])
{
    (void)count;
    begin();
    Stream worker = stream();
    struct Model digits = load(arguments[1]);
    char *scores = malloc(digits.bytes);
    SAY(aclmdlExecuteAsync(digits.id, digits.inputs, digits.outputs, worker));
    SAY(aclrtMemcpy(scores, digits.bytes, digits.result, digits.bytes, TO_HOST));
    DO(aclrtSynchronizeStream(worker));
    return 0;
}
