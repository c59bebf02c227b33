/*
 * What the page of aclmdlLoadFromMemWithMem describes: two models from memory, with a workspace that they share in turns
 * and with the same weights.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern int aclInit(const char *config);
extern int aclFinalize(void);
extern int aclrtSetDevice(int32_t device);
extern int aclrtResetDevice(int32_t device);
extern int aclrtMalloc(void **memory, size_t size, int policy);
extern int aclrtFree(void *memory);
extern int aclrtMemset(void *memory, size_t room, int32_t value, size_t count);
extern int aclmdlQuerySizeFromMem(const void *model, size_t size, size_t *work, size_t *weights);
extern int aclmdlLoadFromMemWithMem(const void *model, size_t model_size, uint32_t *id, void *work, size_t work_size,
                                    void *weights, size_t weights_size);
extern int aclmdlUnload(uint32_t model);
extern void *aclmdlCreateDesc(void);
extern int aclmdlDestroyDesc(void *description);
extern int aclmdlGetDesc(void *description, uint32_t model);
extern size_t aclmdlGetInputSizeByIndex(void *description, size_t index);
extern size_t aclmdlGetOutputSizeByIndex(void *description, size_t index);
extern void *aclmdlCreateDataset(void);
extern int aclmdlDestroyDataset(const void *dataset);
extern int aclmdlAddDatasetBuffer(void *dataset, void *buffer);
extern void *aclCreateDataBuffer(void *memory, size_t size);
extern int aclDestroyDataBuffer(const void *buffer);
extern int aclmdlExecute(uint32_t model, const void *inputs, void *outputs);

static void check(int code, const char *call)
{
    if (code != 0) {
        printf("FAILED %s: %d\n", call, code);
        exit(1);
    }
}
#define CHECK(call) check((call), #call)

/* A dataset of one buffer with zeros. */
static void *dataset(size_t size, void **memory, void **buffer)
{
    void *set = aclmdlCreateDataset();
    CHECK(aclrtMalloc(memory, size, 0));
    CHECK(aclrtMemset(*memory, size, 0, size));
    *buffer = aclCreateDataBuffer(*memory, size);
    CHECK(aclmdlAddDatasetBuffer(set, *buffer));
    return set;
}

static void execute(uint32_t model)
{
    void *memory[2], *buffers[2], *description = aclmdlCreateDesc();
    CHECK(aclmdlGetDesc(description, model));
    void *in = dataset(aclmdlGetInputSizeByIndex(description, 0), &memory[0], &buffers[0]);
    void *out = dataset(aclmdlGetOutputSizeByIndex(description, 0), &memory[1], &buffers[1]);
    CHECK(aclmdlExecute(model, in, out));
    printf("executed\n");
    CHECK(aclmdlDestroyDataset(in));
    CHECK(aclmdlDestroyDataset(out));
    for (int i = 0; i < 2; i++) {
        CHECK(aclDestroyDataBuffer(buffers[i]));
        CHECK(aclrtFree(memory[i]));
    }
    CHECK(aclmdlDestroyDesc(description));
}

static void *content(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) exit(2);
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*size);
    if (bytes == NULL || fread(bytes, 1, *size, file) != *size) exit(2);
    fclose(file);
    return bytes;
}

int main(int count, char **arguments)
{
    size_t size = 0, work_size = 0, weight_size = 0;
    void *work = NULL, *weights = NULL, *model = content(arguments[count - 1], &size);
    uint32_t first = 0, second = 0;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    // ANCHOR: program
    CHECK(aclmdlQuerySizeFromMem(model, size, &work_size, &weight_size));
    CHECK(aclrtMalloc(&work, work_size, 0));
    CHECK(aclrtMalloc(&weights, weight_size, 0));
    CHECK(aclmdlLoadFromMemWithMem(model, size, &first, work, work_size, weights, weight_size));
    CHECK(aclmdlLoadFromMemWithMem(model, size, &second, work, work_size, weights, weight_size));
    execute(first);
    execute(second); /* one after the other: they share the workspace */
    CHECK(aclmdlUnload(first));
    CHECK(aclmdlUnload(second));
    CHECK(aclrtFree(work)); /* not before: the models use it */
    CHECK(aclrtFree(weights));
    // ANCHOR_END: program
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    free(model);
    return 0;
}
