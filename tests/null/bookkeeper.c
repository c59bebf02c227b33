/* An AscendCL library that does nothing but keep books. It refuses what a test tells it to refuse, records the calls in
 * their order, and notes every rule of order that is broken: use of what is gone, freeing under queued work, resetting a
 * device that has contexts. Copies are made at once, and count as running until their stream is synchronised.
 *
 * A stream with an allocator of the caller's asks it for memory at each queued copy and gives it back after the launch,
 * or at another time if `null_give_back` says so. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int aclError;
typedef void *handle;
typedef void *(*allocate_fn)(void *, size_t);
typedef void *(*advise_fn)(void *, size_t, void *);
typedef void (*free_fn)(void *, void *);
typedef void *(*address_fn)(void *);

enum { DEVICES = 2, NAMES = 64, OBJECTS = 4096, USES = 8, TEXT = 1 << 16, KEPT = 16, BYTES_OF_WORK = 256 };
enum { INVALID = 107000, NO_CONTEXT = 107002, REPEATED = 100002, BUSY = 507901 };
enum kind { NOTHING, CONTEXT, STREAM, DEVICE_BLOCK, HOST_BLOCK, MODEL, DESCRIPTOR, EVENT };

struct allocator {
    void *object;
    allocate_fn allocate;
    advise_fn advise;
    free_fn release;
    address_fn address;
};

struct object {
    enum kind kind;
    handle handle;
    handle context; /* in which it was made */
    int device;
    int work;             /* queued on the stream and not synchronised */
    handle used_on[USES]; /* the streams whose queued work uses the block */
    int registered;
    struct allocator allocator;
    void *kept[KEPT];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local handle current;
static struct { char name[64]; int calls, refusals, code; } names[NAMES];
static struct object objects[OBJECTS];
static char log_text[TEXT], broken[TEXT], seen[TEXT], soc[64] = "Bookkeeper";
static int taken[DEVICES], initialised, outputs, lose_callbacks, on_device;
/* When the block of a copy is given back: */
static enum { AFTER_THE_LAUNCH, AT_A_SYNCHRONISE, TWICE, NEVER } give_back;
static void *near;
static uintptr_t next = 0x10000;

static void append(char *text, const char *word) {
    size_t used = strlen(text);
    snprintf(text + used, TEXT - used, "%s%s", used ? " " : "", word);
}

static void breaks(const char *rule) {
    if (*broken) append(broken, "/");
    append(broken, rule);
}

static int slot(const char *name) {
    int index = 0;
    while (index < NAMES - 1 && *names[index].name && strcmp(names[index].name, name)) index++;
    snprintf(names[index].name, sizeof names[index].name, "%s", name);
    return index;
}

/* Every call begins here, and goes on with the lock held unless it is refused. */
static int enter(const char *name) {
    pthread_mutex_lock(&lock);
    int index = slot(name), code = 0;
    names[index].calls++;
    append(log_text, name);
    if (names[index].refusals) {
        names[index].refusals--;
        code = names[index].code;
        append(log_text, "(refused)");
        pthread_mutex_unlock(&lock);
    }
    return code;
}

static aclError leave(aclError code) {
    pthread_mutex_unlock(&lock);
    return code;
}

#define ENTER                              \
    do {                                   \
        int refused = enter(__func__);     \
        if (refused) return refused;       \
    } while (0)

static struct object *find(enum kind kind, handle handle) {
    for (int index = 0; index < OBJECTS; index++)
        if (objects[index].kind == kind && objects[index].handle == handle) return &objects[index];
    return NULL;
}

static struct object *make(enum kind kind, handle handle) {
    for (int index = 0; index < OBJECTS; index++) {
        if (objects[index].kind != NOTHING) continue;
        memset(&objects[index], 0, sizeof objects[index]);
        objects[index].kind = kind;
        objects[index].handle = handle ? handle : (void *)(next += 0x40);
        objects[index].context = current;
        return &objects[index];
    }
    abort();
}

static int count(enum kind kind, handle context) {
    int number = 0;
    for (int index = 0; index < OBJECTS; index++)
        number += objects[index].kind == kind && (!context || objects[index].context == context);
    return number;
}

/* What a test says and asks. */

void null_reset(void) {
    pthread_mutex_lock(&lock);
    memset(names, 0, sizeof names);
    memset(objects, 0, sizeof objects);
    memset(taken, 0, sizeof taken);
    *log_text = *broken = 0;
    initialised = outputs = lose_callbacks = on_device = 0;
    give_back = AFTER_THE_LAUNCH;
    near = current = NULL;
    snprintf(soc, sizeof soc, "Bookkeeper");
    pthread_mutex_unlock(&lock);
}

/* The next calls of this name answer with the code and do nothing else; -1 stands for all of them, 0 for none. */
void null_fail(const char *name, int code, int times) {
    pthread_mutex_lock(&lock);
    int index = slot(name);
    names[index].code = code;
    names[index].refusals = times;
    pthread_mutex_unlock(&lock);
}

int null_calls(const char *name) {
    pthread_mutex_lock(&lock);
    return leave(names[slot(name)].calls);
}

/* The calls since the last time, in their order. Looks of `aclrtGet...` and error texts are no news. */
const char *null_log(void) {
    pthread_mutex_lock(&lock);
    memcpy(seen, log_text, sizeof seen);
    *log_text = 0;
    pthread_mutex_unlock(&lock);
    return seen;
}

const char *null_broken(void) { return broken; }

/* What lives, in words; the empty text for nothing. */
const char *null_live(void) {
    static const char *words[] = {"", "context", "stream", "device block", "host block", "model", "descriptor", "event"};
    pthread_mutex_lock(&lock);
    *seen = 0;
    char part[64];
    for (enum kind kind = CONTEXT; kind <= EVENT; kind++) {
        if (!count(kind, NULL)) continue;
        snprintf(part, sizeof part, "%s%d %s", *seen ? "+ " : "", count(kind, NULL), words[kind]);
        append(seen, part);
    }
    for (int id = 0; id < DEVICES; id++) {
        if (!taken[id]) continue;
        snprintf(part, sizeof part, "%sdevice %d taken %d time(s)", *seen ? "+ " : "", id, taken[id]);
        append(seen, part);
    }
    if (initialised) append(seen, *seen ? "+ initialised" : "initialised");
    pthread_mutex_unlock(&lock);
    return seen;
}

void null_soc(const char *name) { snprintf(soc, sizeof soc, "%s", name); }
void null_near(void *address) { near = address; }
void null_give_back(int when) { give_back = when; }
/* Models have so many outputs, without a size. */
void null_outputs(int number) { outputs = number; }
/* A test's allocator writes into the order of calls, too. */
void null_note(const char *word) {
    pthread_mutex_lock(&lock);
    append(log_text, word);
    pthread_mutex_unlock(&lock);
}

/* The library. */

aclError aclInit(const char *path) {
    (void)path;
    ENTER;
    return leave(initialised++ ? REPEATED : 0);
}
aclError aclFinalizeReference(uint64_t *left) {
    ENTER;
    if (!initialised) breaks("finalised more often than initialised");
    if (initialised == 1 && (taken[0] || taken[1])) breaks("finalised with a device taken");
    *left = initialised ? --initialised : 0;
    return leave(0);
}
const char *aclGetRecentErrMsg(void) { return NULL; }
const char *aclrtGetSocName(void) { return soc; }
/* 1 is a host. */
aclError aclrtGetRunMode(unsigned *mode) {
    ENTER;
    *mode = !on_device;
    return leave(0);
}
void null_on_device(int yes) {
    pthread_mutex_lock(&lock);
    on_device = yes;
    pthread_mutex_unlock(&lock);
}
aclError aclrtGetDeviceCount(uint32_t *number) {
    ENTER;
    *number = DEVICES;
    return leave(0);
}
aclError aclrtSetDevice(int32_t id) {
    ENTER;
    taken[id]++;
    current = (handle)(uintptr_t)(0x100 + id);
    return leave(0);
}
aclError aclrtResetDevice(int32_t id) {
    ENTER;
    if (!taken[id]) return leave(INVALID);
    if (--taken[id] == 0)
        for (int index = 0; index < OBJECTS; index++)
            if (objects[index].kind == CONTEXT && objects[index].device == id) breaks("reset under a context");
            else if (objects[index].kind && objects[index].context == (handle)(uintptr_t)(0x100 + id))
                breaks("reset under an object of the default context");
    current = NULL;
    return leave(0);
}
aclError aclrtCreateContext(handle *context, int32_t id) {
    ENTER;
    struct object *made = make(CONTEXT, NULL);
    made->device = id;
    *context = current = made->handle;
    return leave(0);
}
aclError aclrtDestroyContext(handle context) {
    ENTER;
    struct object *found = find(CONTEXT, context);
    if (!found) {
        breaks("destroyed a context that is gone");
        return leave(NO_CONTEXT);
    }
    if (count(STREAM, context)) breaks("destroyed a context under a stream");
    if (count(MODEL, context)) breaks("destroyed a context under a model");
    if (count(DEVICE_BLOCK, context) || count(HOST_BLOCK, context)) breaks("destroyed a context under memory");
    found->kind = NOTHING;
    if (current == context) current = NULL;
    return leave(0);
}
aclError aclrtSetCurrentContext(handle context) {
    ENTER;
    uintptr_t number = (uintptr_t)context;
    if (!find(CONTEXT, context) && (number < 0x100 || number >= 0x100 + DEVICES)) return leave(INVALID);
    current = context;
    return leave(0);
}
aclError aclrtGetCurrentContext(handle *context) {
    *context = current;
    return current ? 0 : NO_CONTEXT;
}
aclError aclrtCreateStream(handle *stream) {
    ENTER;
    *stream = make(STREAM, NULL)->handle;
    return leave(0);
}
static struct object *used_stream(handle stream) {
    struct object *found = find(STREAM, stream);
    if (!found) breaks("used a stream that is gone");
    else if (found->context != current) breaks("used a stream in another context");
    return found;
}
aclError aclrtDestroyStream(handle stream) {
    ENTER;
    struct object *found = used_stream(stream);
    if (!found) return leave(INVALID);
    if (found->work) breaks("destroyed a stream with queued work");
    if (found->registered) breaks("destroyed a stream with an allocator");
    found->kind = NOTHING;
    return leave(0);
}
static aclError synchronised(handle stream) {
    /* The default stream, which never has work here. */
    if (!stream) return leave(current ? 0 : NO_CONTEXT);
    struct object *found = used_stream(stream);
    if (!found) return leave(INVALID);
    found->work = 0;
    for (int index = 0; index < OBJECTS; index++)
        for (int use = 0; use < USES; use++)
            if (objects[index].used_on[use] == stream) objects[index].used_on[use] = NULL;
    struct object copy = *found;
    memset(found->kept, 0, sizeof found->kept);
    leave(0);
    for (int index = 0; index < KEPT; index++)
        if (copy.kept[index]) copy.allocator.release(copy.allocator.object, copy.kept[index]);
    return 0;
}
aclError aclrtSynchronizeStream(handle stream) {
    ENTER;
    return synchronised(stream);
}
aclError aclrtSynchronizeStreamWithTimeout(handle stream, int32_t timeout) {
    ENTER;
    if (timeout < 1) breaks("a limit below a millisecond");
    return synchronised(stream);
}
static aclError synchronised_device(void) {
    for (int index = 0; index < OBJECTS; index++) {
        if (objects[index].kind != STREAM || objects[index].context != current) continue;
        synchronised(objects[index].handle);
        pthread_mutex_lock(&lock);
    }
    return leave(0);
}
aclError aclrtSynchronizeDevice(void) {
    ENTER;
    return synchronised_device();
}
aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
    ENTER;
    if (timeout < 1) breaks("a limit below a millisecond");
    return synchronised_device();
}
/* An event is over as soon as it is recorded. */
aclError aclrtCreateEvent(handle *event) {
    ENTER;
    if (!current) return leave(NO_CONTEXT);
    *event = make(EVENT, NULL)->handle;
    return leave(0);
}
aclError aclrtDestroyEvent(handle event) {
    ENTER;
    struct object *found = find(EVENT, event);
    if (!found) {
        breaks("destroyed an event that is gone");
        return leave(INVALID);
    }
    found->kind = NOTHING;
    return leave(0);
}
aclError aclrtRecordEvent(handle event, handle stream) {
    ENTER;
    if (!find(EVENT, event)) breaks("recorded an event that is gone");
    struct object *found = used_stream(stream);
    if (found) found->work = 1;
    return leave(found ? 0 : INVALID);
}
aclError aclrtQueryEventStatus(handle event, unsigned *status) {
    ENTER;
    if (!find(EVENT, event)) breaks("asked for an event that is gone");
    *status = 1;
    return leave(0);
}
static aclError allocated(enum kind kind, void **start, size_t size) {
    if (!current) return leave(NO_CONTEXT);
    if (!size) breaks("allocated nothing");
    *start = aligned_alloc(64, (size + 63) / 64 * 64);
    make(kind, *start);
    return leave(0);
}
static aclError freed(enum kind kind, void *start) {
    struct object *found = find(kind, start);
    if (!found) {
        breaks("freed memory that is not there");
        return leave(INVALID);
    }
    for (int use = 0; use < USES; use++)
        if (found->used_on[use]) {
            breaks("freed memory under queued work");
            return leave(BUSY);
        }
    found->kind = NOTHING;
    free(start);
    return leave(0);
}
aclError aclrtMalloc(void **start, size_t size, unsigned policy) {
    (void)policy;
    ENTER;
    return allocated(DEVICE_BLOCK, start, size);
}
aclError aclrtMallocHost(void **start, size_t size) {
    ENTER;
    return allocated(HOST_BLOCK, start, size);
}
aclError aclrtFree(void *start) {
    ENTER;
    return freed(DEVICE_BLOCK, start);
}
aclError aclrtFreeHost(void *start) {
    ENTER;
    return freed(HOST_BLOCK, start);
}
aclError aclrtMemset(void *start, size_t room, int32_t value, size_t size) {
    (void)room;
    ENTER;
    memset(start, value, size);
    return leave(0);
}
/* The direction of a copy is a number: 1 for a destination on the device, and 2 for a source there. All memory is, where the
 * program runs on the device. */
static void directed(void *to, const void *from, unsigned kind) {
    unsigned found = on_device ? 3 : (find(DEVICE_BLOCK, to) ? 1 : 0) + (find(DEVICE_BLOCK, (void *)from) ? 2 : 0);
    if (kind != found) breaks("copied in another direction than stated");
}
aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t size, unsigned kind) {
    (void)room;
    ENTER;
    if (!current) return leave(NO_CONTEXT);
    directed(to, from, kind);
    memcpy(to, from, size);
    return leave(0);
}
enum { TO_DEVICE = 1, TO_HOST = 2 };
static void use(void *start, handle stream, int may_be_ordinary) {
    struct object *found = find(DEVICE_BLOCK, start);
    if (!found) found = find(HOST_BLOCK, start);
    if (!found) {
        if (!may_be_ordinary) breaks("copied memory that is not there");
        return;
    }
    for (int index = 0; index < USES; index++)
        if (!found->used_on[index] || found->used_on[index] == stream) {
            found->used_on[index] = stream;
            return;
        }
}
aclError aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t size, unsigned kind, handle stream) {
    (void)room;
    ENTER;
    struct object *found = used_stream(stream);
    if (!found) return leave(INVALID);
    directed(to, from, kind);
    found->work = 1;
    use(to, stream, kind == TO_HOST);
    use((void *)from, stream, kind == TO_DEVICE);
    memcpy(to, from, size);
    struct object copy = *found;
    leave(0);
    if (!copy.registered) return 0;
    const struct allocator *own = &copy.allocator;
    void *block = near ? own->advise(own->object, BYTES_OF_WORK, near) : own->allocate(own->object, BYTES_OF_WORK);
    null_note(block ? "block" : "null-block");
    if (!block) return 0;
    null_note(own->address(block) ? "address" : "null-address");
    if (give_back == NEVER) return 0;
    if (give_back != AT_A_SYNCHRONISE) own->release(own->object, block);
    if (give_back == TWICE) own->release(own->object, block);
    if (give_back != AT_A_SYNCHRONISE) return 0;
    pthread_mutex_lock(&lock);
    int index = 0;
    while (index < KEPT - 1 && found->kept[index]) index++;
    found->kept[index] = block;
    return leave(0);
}

aclError aclrtMemsetAsync(void *start, size_t room, int32_t value, size_t size, handle stream) {
    (void)room;
    ENTER;
    struct object *found = used_stream(stream);
    if (!found) return leave(INVALID);
    found->work = 1;
    use(start, stream, 0);
    memset(start, value, size);
    return leave(0);
}
aclError aclrtStreamQuery(handle stream, unsigned *status) {
    ENTER;
    struct object *found = used_stream(stream);
    if (!found) return leave(INVALID);
    *status = found->work ? 1 : 0;
    return leave(0);
}
/* Runs the function at once, on the calling thread; the test's refusals say when it is not run at all. */
aclError aclrtLaunchHostFunc(handle stream, void (*function)(void *), void *argument) {
    ENTER;
    struct object *found = used_stream(stream);
    if (!found) return leave(INVALID);
    found->work = 1;
    leave(0);
    if (!lose_callbacks) function(argument);
    return 0;
}
void null_lose_callbacks(int lose) {
    pthread_mutex_lock(&lock);
    lose_callbacks = lose;
    pthread_mutex_unlock(&lock);
}

/* Every model needs so many bytes. */
enum { WORK_BYTES = 256, WEIGHT_BYTES = 64 };
static aclError loaded(uint32_t *id) {
    if (!current) return leave(NO_CONTEXT);
    *id = (uint32_t)(uintptr_t)make(MODEL, NULL)->handle;
    return leave(0);
}
/* Memory of the caller's, or null and nothing. */
static void lent(void *start, size_t size, size_t need) {
    if (!start && size) breaks("gave a size without an address");
    if (start && !find(DEVICE_BLOCK, start)) breaks("loaded onto memory that is gone");
    if (start && size < need) breaks("loaded onto too little memory");
}
/* Where the program runs on the device, an image is in a block of it. */
static void image(const void *start) {
    if (on_device != (find(DEVICE_BLOCK, (void *)start) != NULL)) breaks("gave an image in the other kind of memory");
}
aclError aclmdlQuerySize(const char *path, size_t *work, size_t *weights) {
    (void)path;
    ENTER;
    *work = WORK_BYTES;
    *weights = WEIGHT_BYTES;
    return leave(0);
}
aclError aclmdlQuerySizeFromMem(const void *model, size_t size, size_t *work, size_t *weights) {
    (void)size;
    ENTER;
    image(model);
    *work = WORK_BYTES;
    *weights = WEIGHT_BYTES;
    return leave(0);
}
aclError aclmdlLoadFromFile(const char *path, uint32_t *id) {
    (void)path;
    ENTER;
    return loaded(id);
}
aclError aclmdlLoadFromMem(const void *model, size_t size, uint32_t *id) {
    (void)size;
    ENTER;
    image(model);
    return loaded(id);
}
aclError aclmdlLoadFromFileWithMem(const char *path, uint32_t *id, void *work, size_t work_size, void *weights,
                                   size_t weight_size) {
    (void)path;
    ENTER;
    lent(work, work_size, WORK_BYTES);
    lent(weights, weight_size, WEIGHT_BYTES);
    return loaded(id);
}
aclError aclmdlLoadFromMemWithMem(const void *model, size_t size, uint32_t *id, void *work, size_t work_size,
                                  void *weights, size_t weight_size) {
    (void)size;
    ENTER;
    image(model);
    lent(work, work_size, WORK_BYTES);
    lent(weights, weight_size, WEIGHT_BYTES);
    return loaded(id);
}
aclError aclmdlUnload(uint32_t id) {
    ENTER;
    struct object *found = find(MODEL, (handle)(uintptr_t)id);
    if (!found) breaks("unloaded a model that is gone");
    else if (found->context != current) breaks("unloaded a model in another context");
    if (!found) return leave(INVALID);
    found->kind = NOTHING;
    return leave(0);
}
/* Models without inputs, and with outputs if a test says so. */
handle aclmdlCreateDesc(void) { return &next; }
aclError aclmdlDestroyDesc(handle desc) { (void)desc; return 0; }
aclError aclmdlGetDesc(handle desc, uint32_t id) {
    (void)desc, (void)id;
    ENTER;
    return leave(0);
}
size_t aclmdlGetNumInputs(handle desc) { (void)desc; return 0; }
size_t aclmdlGetNumOutputs(handle desc) { (void)desc; return (size_t)outputs; }
struct dims { char name[128]; size_t count; int64_t sizes[128]; };
aclError aclmdlGetOutputDims(handle desc, size_t index, struct dims *dims) {
    (void)desc, (void)index;
    dims->count = 1;
    dims->sizes[0] = -1;
    return 0;
}
const char *aclmdlGetOutputNameByIndex(handle desc, size_t index) { (void)desc, (void)index; return "y"; }
int aclmdlGetOutputDataType(handle desc, size_t index) { (void)desc, (void)index; return 0; }
int aclmdlGetOutputFormat(handle desc, size_t index) { (void)desc, (void)index; return 2; }
size_t aclmdlGetOutputSizeByIndex(handle desc, size_t index) { (void)desc, (void)index; return 0; }
/* A dataset is a number, a data buffer its address and size. */
handle aclmdlCreateDataset(void) { return &next; }
aclError aclmdlDestroyDataset(handle dataset) { (void)dataset; return 0; }
aclError aclmdlAddDatasetBuffer(handle dataset, handle buffer) { (void)dataset, (void)buffer; return 0; }
handle aclmdlGetDatasetTensorDesc(handle dataset, size_t index) { (void)dataset, (void)index; return NULL; }
struct buffer { void *start; size_t size; };
handle aclCreateDataBuffer(void *start, size_t size) {
    pthread_mutex_lock(&lock);
    if (!start != !size) breaks("made a data buffer of an address or of a size alone");
    pthread_mutex_unlock(&lock);
    struct buffer *made = malloc(sizeof *made);
    *made = (struct buffer){start, size};
    return made;
}
aclError aclDestroyDataBuffer(struct buffer *buffer) { free(buffer); return 0; }
aclError aclUpdateDataBuffer(struct buffer *buffer, void *start, size_t size) { *buffer = (struct buffer){start, size}; return 0; }
void *aclGetDataBufferAddr(struct buffer *buffer) { return buffer->start; }
size_t aclGetDataBufferSizeV2(struct buffer *buffer) { return buffer->size; }
/* As the vendor's library, it leaves an output without memory as it is. */
aclError aclmdlExecute(uint32_t id, handle input, handle output) {
    (void)input, (void)output;
    ENTER;
    struct object *found = find(MODEL, (handle)(uintptr_t)id);
    if (!found) breaks("ran a model that is gone");
    else if (found->context != current) breaks("ran a model in another context");
    return leave(found ? 0 : INVALID);
}
aclError aclmdlExecuteAsync(uint32_t id, handle input, handle output, handle stream) {
    (void)id, (void)input, (void)output;
    ENTER;
    struct object *found = used_stream(stream);
    if (!found) return leave(INVALID);
    found->work = 1;
    return leave(0);
}

handle aclrtAllocatorCreateDesc(void) {
    if (enter(__func__)) return NULL;
    handle made = make(DESCRIPTOR, NULL)->handle;
    leave(0);
    return made;
}
aclError aclrtAllocatorDestroyDesc(handle desc) {
    ENTER;
    struct object *found = find(DESCRIPTOR, desc);
    if (!found) breaks("destroyed a descriptor that is gone");
    else found->kind = NOTHING;
    return leave(found ? 0 : INVALID);
}
#define SETTER(name, type, member)                                            \
    aclError name(handle desc, type value) {                                  \
        ENTER;                                                                \
        struct object *found = find(DESCRIPTOR, desc);                        \
        if (found && found->allocator.member) breaks("set a member twice");   \
        if (found) found->allocator.member = value;                           \
        return leave(found ? 0 : INVALID);                                    \
    }
SETTER(aclrtAllocatorSetObjToDesc, void *, object)
SETTER(aclrtAllocatorSetAllocFuncToDesc, allocate_fn, allocate)
SETTER(aclrtAllocatorSetAllocAdviseFuncToDesc, advise_fn, advise)
SETTER(aclrtAllocatorSetFreeFuncToDesc, free_fn, release)
SETTER(aclrtAllocatorSetGetAddrFromBlockFuncToDesc, address_fn, address)
aclError aclrtAllocatorRegister(handle stream, handle desc) {
    ENTER;
    struct object *found = used_stream(stream), *from = find(DESCRIPTOR, desc);
    if (!found || !from) return leave(INVALID);
    const struct allocator *own = &from->allocator;
    if (!own->object || !own->allocate || !own->release || !own->address) breaks("registered without a member");
    if (!own->advise) breaks("registered with the optional member unset");
    if (found->registered && found->work) breaks("replaced an allocator under queued work");
    found->allocator = *own;
    found->registered = 1;
    return leave(0);
}
aclError aclrtAllocatorUnregister(handle stream) {
    ENTER;
    struct object *found = used_stream(stream);
    if (!found) return leave(INVALID);
    if (found->work) breaks("unregistered an allocator under queued work");
    found->registered = 0;
    return leave(0);
}
