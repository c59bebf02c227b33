/* The models and the allocators of the library that keeps books. They come behind `runtime.c` in one source text. */

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
/* So many updates answer with an error, and have forgotten what the buffer was; or its size, if the number is negative. */
static int torn;
void null_tear_updates(int times) { torn = times; }
/* So many updates answer with an error before that, and change nothing. */
static int refused;
void null_refuse_updates(int times) { refused = times; }
aclError aclUpdateDataBuffer(struct buffer *buffer, void *start, size_t size) {
    if (refused) {
        refused--;
        return INVALID;
    }
    *buffer = torn ? (struct buffer){torn < 0 ? start : NULL, 0} : (struct buffer){start, size};
    if (!torn) return 0;
    torn += torn < 0 ? 1 : -1;
    return INVALID;
}
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
