/*
 * Reads handwritten digits through the AscendCL C functions: a model from an ONNX file, images from a CSV file.
 *
 *     ./classify digits.onnx digits-test.csv
 *
 * The functions are declared here, so that the program needs no header. Every code is checked; a failure prints what
 * the library says about it and ends the program.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Context;
typedef void *Stream;
typedef struct aclmdlDesc aclmdlDesc;
typedef struct aclmdlDataset aclmdlDataset;
typedef struct aclDataBuffer aclDataBuffer;
typedef struct aclTensorDesc aclTensorDesc;

enum { HUGE_PAGES_FIRST = 0, HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, TYPE_FLOAT = 0, FORMAT_ND = 2 };

extern int aclInit(const char *config);
extern int aclFinalize(void);
extern const char *aclGetRecentErrMsg(void);
extern const char *aclrtGetSocName(void);
extern int aclrtSetDevice(int32_t device);
extern int aclrtResetDevice(int32_t device);
extern int aclrtCreateContext(Context *context, int32_t device);
extern int aclrtDestroyContext(Context context);
extern int aclrtCreateStream(Stream *stream);
extern int aclrtDestroyStream(Stream stream);
extern int aclrtSynchronizeStream(Stream stream);
extern int aclrtMalloc(void **memory, size_t size, unsigned policy);
extern int aclrtFree(void *memory);
extern int aclrtMallocHost(void **memory, size_t size);
extern int aclrtFreeHost(void *memory);
extern int aclrtMemcpy(void *to, size_t room, const void *from, size_t count, unsigned kind);
extern int aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t count, unsigned kind, Stream stream);
extern int aclmdlLoadFromFile(const char *path, uint32_t *model);
extern int aclmdlUnload(uint32_t model);
extern aclmdlDesc *aclmdlCreateDesc(void);
extern int aclmdlDestroyDesc(aclmdlDesc *description);
extern int aclmdlGetDesc(aclmdlDesc *description, uint32_t model);
extern size_t aclmdlGetNumInputs(aclmdlDesc *description);
extern size_t aclmdlGetNumOutputs(aclmdlDesc *description);
extern int aclmdlGetInputIndexByName(const aclmdlDesc *description, const char *name, size_t *index);
extern int aclmdlGetOutputIndexByName(const aclmdlDesc *description, const char *name, size_t *index);
extern aclmdlDataset *aclmdlCreateDataset(void);
extern int aclmdlDestroyDataset(const aclmdlDataset *dataset);
extern int aclmdlAddDatasetBuffer(aclmdlDataset *dataset, aclDataBuffer *buffer);
extern int aclmdlSetDatasetTensorDesc(aclmdlDataset *dataset, aclTensorDesc *shape, size_t index);
extern aclDataBuffer *aclCreateDataBuffer(void *memory, size_t size);
extern int aclDestroyDataBuffer(const aclDataBuffer *buffer);
extern aclTensorDesc *aclCreateTensorDesc(int type, int dimensions, const int64_t *sizes, int format);
extern void aclDestroyTensorDesc(const aclTensorDesc *shape);
extern int aclmdlExecute(uint32_t model, const aclmdlDataset *inputs, aclmdlDataset *outputs);
extern int aclmdlExecuteAsync(uint32_t model, const aclmdlDataset *inputs, aclmdlDataset *outputs, Stream stream);

static void explain(const char *what, int code)
{
    const char *text = aclGetRecentErrMsg();
    fprintf(stderr, "%s: code %d: %s\n", what, code, text ? text : "(no text)");
}

static void check(int code, const char *what)
{
    if (code != 0) {
        explain(what, code);
        exit(1);
    }
}
#define CHECK(call) check((call), #call)

static void *present(void *pointer, const char *what)
{
    if (pointer == NULL) {
        explain(what, -1);
        exit(1);
    }
    return pointer;
}
#define PRESENT(call) present((call), #call)

enum { PIXELS = 64, DIGITS = 10, BATCH = 100, MOST_IMAGES = 1000 };

/* The images of the test file, with what they show. */
static float images[MOST_IMAGES][PIXELS];
static int labels[MOST_IMAGES];

static int read_images(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];
    int count = 0;

    if (file == NULL) {
        perror(path);
        exit(1);
    }
    while (count < MOST_IMAGES && fgets(line, sizeof line, file) != NULL) {
        char *rest = line;
        labels[count] = (int)strtol(rest, &rest, 10);
        for (int pixel = 0; pixel < PIXELS; pixel++) {
            if (*rest++ != ',') {
                fprintf(stderr, "%s, line %d: a label and %d pixels expected\n", path, count + 1, PIXELS);
                exit(1);
            }
            images[count][pixel] = (float)strtol(rest, &rest, 10);
        }
        count++;
    }
    fclose(file);
    return count;
}

/* Everything that one model needs to run on batches of at most BATCH images. */
struct Classifier {
    Stream stream;
    uint32_t model;
    aclmdlDesc *description;
    void *pixels;                            /* device memory */
    void *probabilities;                     /* device memory */
    float (*answers)[DIGITS];                /* pinned host memory, for the asynchronous copy */
    aclDataBuffer *pixel_buffer, *probability_buffer;
    aclmdlDataset *inputs, *outputs;
};

enum { PIXEL_BYTES = BATCH * PIXELS * sizeof(float), PROBABILITY_BYTES = BATCH * DIGITS * sizeof(float) };

static void open_classifier(struct Classifier *it, const char *model_path)
{
    size_t input = 99, output = 99;
    void *pinned = NULL;

    CHECK(aclrtCreateStream(&it->stream));
    CHECK(aclmdlLoadFromFile(model_path, &it->model));
    it->description = PRESENT(aclmdlCreateDesc());
    CHECK(aclmdlGetDesc(it->description, it->model));
    CHECK(aclmdlGetInputIndexByName(it->description, "images", &input));
    CHECK(aclmdlGetOutputIndexByName(it->description, "probabilities", &output));
    if (input != 0 || output != 0 || aclmdlGetNumInputs(it->description) != 1
        || aclmdlGetNumOutputs(it->description) != 1) {
        fprintf(stderr, "%s does not have one input `images` and one output `probabilities`\n", model_path);
        exit(1);
    }

    CHECK(aclrtMalloc(&it->pixels, PIXEL_BYTES, HUGE_PAGES_FIRST));
    CHECK(aclrtMalloc(&it->probabilities, PROBABILITY_BYTES, HUGE_PAGES_FIRST));
    CHECK(aclrtMallocHost(&pinned, PROBABILITY_BYTES));
    it->answers = pinned;

    it->inputs = PRESENT(aclmdlCreateDataset());
    it->outputs = PRESENT(aclmdlCreateDataset());
    it->pixel_buffer = PRESENT(aclCreateDataBuffer(it->pixels, PIXEL_BYTES));
    it->probability_buffer = PRESENT(aclCreateDataBuffer(it->probabilities, PROBABILITY_BYTES));
    CHECK(aclmdlAddDatasetBuffer(it->inputs, it->pixel_buffer));
    CHECK(aclmdlAddDatasetBuffer(it->outputs, it->probability_buffer));
}

/* In the opposite order: what is used goes after what uses it. */
static void close_classifier(struct Classifier *it)
{
    CHECK(aclmdlDestroyDataset(it->outputs));
    CHECK(aclmdlDestroyDataset(it->inputs));
    CHECK(aclDestroyDataBuffer(it->probability_buffer));
    CHECK(aclDestroyDataBuffer(it->pixel_buffer));
    CHECK(aclrtFreeHost(it->answers));
    CHECK(aclrtFree(it->probabilities));
    CHECK(aclrtFree(it->pixels));
    CHECK(aclmdlDestroyDesc(it->description));
    CHECK(aclmdlUnload(it->model));
    CHECK(aclrtDestroyStream(it->stream));
}

/* The batch size of the model is free: each execution says which one it is. */
static aclTensorDesc *set_batch(struct Classifier *it, int count)
{
    const int64_t sizes[] = {count, PIXELS};
    aclTensorDesc *shape = PRESENT(aclCreateTensorDesc(TYPE_FLOAT, 2, sizes, FORMAT_ND));
    CHECK(aclmdlSetDatasetTensorDesc(it->inputs, shape, 0));
    return shape;
}

enum Way { AT_ONCE, QUEUED };

static void classify_batch(struct Classifier *it, enum Way way, int first, int count)
{
    const size_t in = (size_t)count * PIXELS * sizeof(float), out = (size_t)count * DIGITS * sizeof(float);
    aclTensorDesc *shape = set_batch(it, count);

    memset(it->answers, 0, PROBABILITY_BYTES);
    if (way == AT_ONCE) {
        CHECK(aclrtMemcpy(it->pixels, PIXEL_BYTES, images[first], in, HOST_TO_DEVICE));
        CHECK(aclmdlExecute(it->model, it->inputs, it->outputs));
        CHECK(aclrtMemcpy(it->answers, PROBABILITY_BYTES, it->probabilities, out, DEVICE_TO_HOST));
    } else {
        CHECK(aclrtMemcpyAsync(it->pixels, PIXEL_BYTES, images[first], in, HOST_TO_DEVICE, it->stream));
        CHECK(aclmdlExecuteAsync(it->model, it->inputs, it->outputs, it->stream));
        CHECK(aclrtMemcpyAsync(it->answers, PROBABILITY_BYTES, it->probabilities, out, DEVICE_TO_HOST, it->stream));
        CHECK(aclrtSynchronizeStream(it->stream));
    }
    aclDestroyTensorDesc(shape);
}

static int most_probable(const float *probabilities)
{
    int best = 0;
    for (int digit = 1; digit < DIGITS; digit++)
        if (probabilities[digit] > probabilities[best])
            best = digit;
    return best;
}

static void classify_all(struct Classifier *it, enum Way way, int total)
{
    int correct = 0;
    for (int first = 0; first < total; first += BATCH) {
        const int count = total - first < BATCH ? total - first : BATCH;
        classify_batch(it, way, first, count);
        for (int image = 0; image < count; image++)
            correct += most_probable(it->answers[image]) == labels[first + image];
    }
    printf("%s: %d of %d correct, accuracy %.2f %%\n", way == AT_ONCE ? "aclmdlExecute" : "aclmdlExecuteAsync",
        correct, total, 100.0 * correct / total);
}

/* Copies more than there is room for, to show how the library answers. */
static void make_a_mistake(struct Classifier *it)
{
    const int code = aclrtMemcpy(it->pixels, 8, images[0], 16, HOST_TO_DEVICE);
    const char *text = aclGetRecentErrMsg();
    if (code == 0) {
        fprintf(stderr, "a copy that does not fit was accepted\n");
        exit(1);
    }
    printf("a copy of 16 bytes into 8: code %d: %s\n", code, text ? text : "(no text)");
}

int main(int argc, char **argv)
{
    Context context = NULL;
    struct Classifier classifier;

    if (argc != 3) {
        fprintf(stderr, "usage: %s model.onnx images.csv\n", argv[0]);
        return 2;
    }
    const int total = read_images(argv[2]);

    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateContext(&context, 0));
    printf("running on %s\n", aclrtGetSocName());

    open_classifier(&classifier, argv[1]);
    classify_all(&classifier, AT_ONCE, total);
    classify_all(&classifier, QUEUED, total);
    make_a_mistake(&classifier);
    close_classifier(&classifier);

    CHECK(aclrtDestroyContext(context));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
