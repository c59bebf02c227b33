/* MODEL-15: one model runs on two streams. The simulator finds: MODEL-15. */
#include "model.h"

int main(int count, char *arguments[])
{
    (void)count;
    begin();
    Stream one = stream(), two = stream();
    struct Model digits = load(arguments[1]);
    SAY(aclmdlExecuteAsync(digits.id, digits.inputs, digits.outputs, one));
    SAY(aclmdlExecuteAsync(digits.id, digits.inputs, digits.outputs, two));
    DO(aclrtSynchronizeStream(one));
    DO(aclrtSynchronizeStream(two));
    return 0;
}
