// An inference program of the usual kind: a configuration file, the run mode, memory for the model by its sizes, a
// dataset as the description says, a synchronous run, the largest answer, everything taken down, then the library.
//
//     ./inference digits-8.onnx
//
// It prints what it saw; the test compares.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern "C" {
struct Description;
struct Dataset;
struct DataBuffer;
struct Dimensions {
    char name[128];
    size_t count;
    int64_t sizes[128];
};
int aclInit(const char *);
int aclFinalize();
const char *aclGetRecentErrMsg();
size_t aclDataTypeSize(int);
int aclrtGetRunMode(int *);
int aclrtGetDeviceCount(uint32_t *);
int aclrtSetDevice(int32_t);
int aclrtResetDevice(int32_t);
int aclrtCreateContext(void **, int32_t);
int aclrtDestroyContext(void *);
int aclrtSetCurrentContext(void *);
int aclrtGetCurrentContext(void **);
int aclrtCreateStream(void **);
int aclrtDestroyStream(void *);
int aclrtSynchronizeStream(void *);
int aclrtMalloc(void **, size_t, int);
int aclrtFree(void *);
int aclrtMallocHost(void **, size_t);
int aclrtFreeHost(void *);
int aclrtMemcpy(void *, size_t, const void *, size_t, int);
int aclrtMemset(void *, size_t, int32_t, size_t);
int aclmdlQuerySize(const char *, size_t *, size_t *);
int aclmdlQuerySizeFromMem(const void *, size_t, size_t *, size_t *);
int aclmdlLoadFromFileWithMem(const char *, uint32_t *, void *, size_t, void *, size_t);
int aclmdlLoadFromMemWithMem(const void *, size_t, uint32_t *, void *, size_t, void *, size_t);
int aclmdlLoadFromFile(const char *, uint32_t *);
int aclmdlUnload(uint32_t);
Description *aclmdlCreateDesc();
int aclmdlDestroyDesc(Description *);
int aclmdlGetDesc(Description *, uint32_t);
size_t aclmdlGetNumInputs(Description *);
size_t aclmdlGetNumOutputs(Description *);
size_t aclmdlGetInputSizeByIndex(Description *, size_t);
size_t aclmdlGetOutputSizeByIndex(Description *, size_t);
const char *aclmdlGetInputNameByIndex(const Description *, size_t);
const char *aclmdlGetOutputNameByIndex(const Description *, size_t);
int aclmdlGetInputDims(const Description *, size_t, Dimensions *);
int aclmdlGetOutputDims(const Description *, size_t, Dimensions *);
int aclmdlGetCurOutputDims(const Description *, size_t, Dimensions *);
int aclmdlGetInputDataType(const Description *, size_t);
int aclmdlGetOutputDataType(const Description *, size_t);
int aclmdlGetInputFormat(const Description *, size_t);
int aclmdlGetInputIndexByName(const Description *, const char *, size_t *);
int aclmdlGetDynamicBatch(const Description *, void *);
Dataset *aclmdlCreateDataset();
int aclmdlDestroyDataset(const Dataset *);
int aclmdlAddDatasetBuffer(Dataset *, DataBuffer *);
size_t aclmdlGetDatasetNumBuffers(const Dataset *);
DataBuffer *aclmdlGetDatasetBuffer(const Dataset *, size_t);
DataBuffer *aclCreateDataBuffer(void *, size_t);
int aclDestroyDataBuffer(const DataBuffer *);
void *aclGetDataBufferAddr(const DataBuffer *);
size_t aclGetDataBufferSizeV2(const DataBuffer *);
uint32_t aclGetDataBufferSize(const DataBuffer *);
int aclUpdateDataBuffer(DataBuffer *, void *, size_t);
int aclmdlExecute(uint32_t, const Dataset *, Dataset *);
}

namespace {
enum { HUGE_FIRST = 0, NORMAL_ONLY = 2, HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };

void check(int code, const char *call) {
    if (code != 0) {
        const char *text = aclGetRecentErrMsg();
        std::printf("FAILED %s: %d %s\n", call, code, text ? text : "(no text)");
        std::exit(1);
    }
}
#define CHECK(call) check((call), #call)

// Configuration files as they are found beside programs. Each has a process of its own: later starts of a process need the
// text of the first.
void configurations() {
    const char *texts[] = {
        "{}",
        "{\n}\n",
        "{\"dump\":{\"dump_list\":[{\"model_name\":\"digits\"}],\"dump_path\":\"/tmp\",\"dump_mode\":\"output\"}}",
        "{\"profiler\":{\"switch\":\"off\",\"output\":\"output\",\"aic_metrics\":\"\"}}",
        "{\"max_opqueue_num\":\"10000\"}",
        "{\"err_msg_mode\":\"1\"}",
        "{\"defaultDevice\":{\"default_device\":\"0\"}}",
    };
    for (const char *text : texts) {
        if (const pid_t child = fork(); child != 0) {
            waitpid(child, nullptr, 0);
            continue;
        }
        char path[] = "acl-XXXXXX";
        const int file = mkstemp(path);
        std::ofstream(path) << text;
        const int code = file < 0 ? -1 : aclInit(path);
        std::remove(path);
        std::printf("configuration %s: %d\n", text[1] == '\n' ? "of two lines" : text, code);
        if (code == 0) {
            CHECK(aclFinalize());
        }
        std::exit(0);
    }
}

Dataset *dataset(Description *description, size_t count, size_t (*size)(Description *, size_t)) {
    Dataset *made = aclmdlCreateDataset();
    for (size_t index = 0; index < count; index++) {
        void *memory = nullptr;
        CHECK(aclrtMalloc(&memory, size(description, index), NORMAL_ONLY));
        CHECK(aclmdlAddDatasetBuffer(made, aclCreateDataBuffer(memory, size(description, index))));
    }
    return made;
}

void release(Dataset *dataset) {
    for (size_t index = 0; index < aclmdlGetDatasetNumBuffers(dataset); index++) {
        DataBuffer *buffer = aclmdlGetDatasetBuffer(dataset, index);
        CHECK(aclrtFree(aclGetDataBufferAddr(buffer)));
        CHECK(aclDestroyDataBuffer(buffer));
    }
    CHECK(aclmdlDestroyDataset(dataset));
}

void run(uint32_t model, const char *how) {
    Description *description = aclmdlCreateDesc();
    CHECK(aclmdlGetDesc(description, model));
    Dataset *inputs = dataset(description, aclmdlGetNumInputs(description), aclmdlGetInputSizeByIndex);
    Dataset *outputs = dataset(description, aclmdlGetNumOutputs(description), aclmdlGetOutputSizeByIndex);
    Dimensions dimensions;
    CHECK(aclmdlGetInputDims(description, 0, &dimensions));
    std::printf("%s: input %s", how, aclmdlGetInputNameByIndex(description, 0));
    for (size_t index = 0; index < dimensions.count; index++) {
        std::printf(" %lld", static_cast<long long>(dimensions.sizes[index]));
    }
    std::printf(" of type %d, format %d\n", aclmdlGetInputDataType(description, 0), aclmdlGetInputFormat(description, 0));

    DataBuffer *input = aclmdlGetDatasetBuffer(inputs, 0);
    const size_t bytes = aclGetDataBufferSizeV2(input);
    std::vector<float> image(bytes / aclDataTypeSize(aclmdlGetInputDataType(description, 0)), 0.0F);
    void *pinned = nullptr;
    CHECK(aclrtMallocHost(&pinned, bytes));
    std::memcpy(pinned, image.data(), bytes);
    CHECK(aclrtMemcpy(aclGetDataBufferAddr(input), bytes, pinned, bytes, HOST_TO_DEVICE));
    CHECK(aclrtFreeHost(pinned));
    CHECK(aclmdlExecute(model, inputs, outputs));

    DataBuffer *output = aclmdlGetDatasetBuffer(outputs, 0);
    std::vector<float> answers(aclGetDataBufferSize(output) / sizeof(float));
    const size_t room = answers.size() * sizeof(float);
    CHECK(aclrtMemcpy(answers.data(), room, aclGetDataBufferAddr(output), room, DEVICE_TO_HOST));
    CHECK(aclmdlGetCurOutputDims(description, 0, &dimensions));
    float sum = 0;
    for (float answer : answers) {
        sum += answer;
    }
    std::printf("%s: output %s has %zu dimensions; probabilities of %lld images sum to %.3f\n", how,
                aclmdlGetOutputNameByIndex(description, 0), dimensions.count,
                static_cast<long long>(dimensions.sizes[0]), sum);

    // What programs ask that the answer is "none" to.
    size_t index = 99;
    const int unknown = aclmdlGetInputIndexByName(description, "no such input", &index);
    const bool none = aclmdlGetInputNameByIndex(description, 9)[0] == '\0';
    std::printf("%s: unknown name %d, name of input 9 empty %d, size of input 9 %zu, buffer 9 %s\n", how, unknown, none,
                aclmdlGetInputSizeByIndex(description, 9),
                aclmdlGetDatasetBuffer(inputs, 9) == nullptr ? "null" : "there");
    const char *text = aclGetRecentErrMsg();
    std::printf("%s: a text after it %d\n", how, text != nullptr);

    release(inputs);
    release(outputs);
    CHECK(aclmdlDestroyDesc(description));
}
} // namespace

int main(int, char **arguments) {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    configurations();
    CHECK(aclInit(nullptr));
    int mode = -1;
    CHECK(aclrtGetRunMode(&mode));
    uint32_t devices = 0;
    CHECK(aclrtGetDeviceCount(&devices));
    std::printf("run mode %d, devices %s\n", mode, devices > 0 ? "there" : "missing");
    CHECK(aclrtSetDevice(0));
    void *context = nullptr, *stream = nullptr;
    CHECK(aclrtCreateContext(&context, 0));
    CHECK(aclrtSetCurrentContext(context));
    CHECK(aclrtCreateStream(&stream));

    const char *path = arguments[1];
    size_t work = 0, weights = 0;
    CHECK(aclmdlQuerySize(path, &work, &weights));
    void *work_memory = nullptr, *weight_memory = nullptr;
    CHECK(aclrtMalloc(&work_memory, work, HUGE_FIRST));
    CHECK(aclrtMalloc(&weight_memory, weights, HUGE_FIRST));
    uint32_t model = 0;
    CHECK(aclmdlLoadFromFileWithMem(path, &model, work_memory, work, weight_memory, weights));
    run(model, "file with memory");
    CHECK(aclmdlUnload(model));

    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    CHECK(aclmdlQuerySizeFromMem(bytes.data(), bytes.size(), &work, &weights));
    CHECK(aclmdlLoadFromMemWithMem(bytes.data(), bytes.size(), &model, work_memory, work, weight_memory, weights));
    run(model, "memory with memory");
    CHECK(aclmdlUnload(model));
    CHECK(aclmdlLoadFromMemWithMem(bytes.data(), bytes.size(), &model, nullptr, 0, nullptr, 0));
    run(model, "memory alone");
    CHECK(aclmdlUnload(model));
    std::printf("unloaded twice: %d\n", aclmdlUnload(model));

    CHECK(aclrtFree(work_memory));
    CHECK(aclrtFree(weight_memory));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtDestroyContext(context));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    std::printf("done\n");
    return 0;
}
