/* MODEL-01: a model runs while another context is current than that it was loaded in. The simulator finds: MODEL-01. */
#include "model.h"

int main(int count, char *arguments[])
{
    (void)count;
    begin();
    struct Model digits = load(arguments[1]);
    Context other = NULL;
    DO(aclrtCreateContext(&other, 0));
    SAY(aclmdlExecute(digits.id, digits.inputs, digits.outputs));
    return 0;
}
