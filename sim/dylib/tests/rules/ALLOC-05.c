/* ALLOC-05: a model of open shapes runs at once: the registered allocator is not asked. The simulator finds: ALLOC-05. */
#include "allocator.h"

int main(int count, char *arguments[])
{
    (void)count;
    begin();
    Stream worker = stream();
    struct Counting allocator = {0};
    SAY(aclrtAllocatorRegister(worker, describe(&allocator)));
    uint32_t model = 0;
    DO(aclmdlLoadFromFile(arguments[2], &model));
    enum { IN = 64 * sizeof(float), OUT = 10 * sizeof(float) };
    int64_t sizes[] = {1, 64};
    Dataset inputs = aclmdlCreateDataset(), outputs = aclmdlCreateDataset();
    DO(aclmdlAddDatasetBuffer(inputs, aclCreateDataBuffer(device(IN), IN)));
    DO(aclmdlSetDatasetTensorDesc(inputs, aclCreateTensorDesc(FLOAT, 2, sizes, PLAIN), 0));
    DO(aclmdlAddDatasetBuffer(outputs, aclCreateDataBuffer(device(OUT), OUT)));
    SAY(aclmdlExecute(model, inputs, outputs));
    printf("the allocator was asked %d times\n", allocator.asked);
    return 0;
}
