/* ALLOC-05: a model of fixed shapes runs at once: the registered allocator is not asked. The simulator finds: none. */
#include "allocator.h"

int main(int count, char *arguments[])
{
    (void)count;
    begin();
    Stream worker = stream();
    struct Counting allocator = {0};
    SAY(aclrtAllocatorRegister(worker, describe(&allocator)));
    uint32_t model = 0;
    DO(aclmdlLoadFromFile(arguments[1], &model));
    Description description = aclmdlCreateDesc();
    DO(aclmdlGetDesc(description, model));
    size_t in = aclmdlGetInputSizeByIndex(description, 0);
    Dataset inputs = aclmdlCreateDataset(), outputs = aclmdlCreateDataset();
    DO(aclmdlAddDatasetBuffer(inputs, aclCreateDataBuffer(device(in), in)));
    for (size_t index = 0; index < aclmdlGetNumOutputs(description); index++) {
        size_t out = aclmdlGetOutputSizeByIndex(description, index);
        DO(aclmdlAddDatasetBuffer(outputs, aclCreateDataBuffer(device(out), out)));
    }
    SAY(aclmdlExecute(model, inputs, outputs));
    printf("the allocator was asked %d times\n", allocator.asked);
    return 0;
}
