#pragma once
/*
 * A model of handwritten digits, and its datasets: for the programs about models.
 */
#include "calls.h"

struct Model {
    uint32_t id;
    Dataset inputs, outputs;
    void *result;
    size_t bytes;
};

static inline void datasets(struct Model *it)
{
    Description description = aclmdlCreateDesc();
    DO(aclmdlGetDesc(description, it->id));
    size_t input = aclmdlGetInputSizeByIndex(description, 0);
    it->inputs = aclmdlCreateDataset();
    it->outputs = aclmdlCreateDataset();
    DO(aclmdlAddDatasetBuffer(it->inputs, aclCreateDataBuffer(device(input), input)));
    for (size_t index = 0; index < aclmdlGetNumOutputs(description); index++) {
        it->bytes = aclmdlGetOutputSizeByIndex(description, index);
        it->result = device(it->bytes);
        DO(aclmdlAddDatasetBuffer(it->outputs, aclCreateDataBuffer(it->result, it->bytes)));
    }
}

static inline struct Model load(const char *path)
{
    struct Model it = {0};
    DO(aclmdlLoadFromFile(path, &it.id));
    datasets(&it);
    return it;
}

static inline struct Model load_with(const char *path, void *workspace, size_t size)
{
    struct Model it = {0};
    size_t need = 0, weights = 0;
    DO(aclmdlQuerySize(path, &need, &weights));
    DO(aclmdlLoadFromFileWithMem(path, &it.id, workspace, size, device(weights), weights));
    datasets(&it);
    return it;
}

static inline size_t workspace_of(const char *path)
{
    size_t need = 0, weights = 0;
    DO(aclmdlQuerySize(path, &need, &weights));
    return need ? need : SIZE;
}
