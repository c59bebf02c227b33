/* The runtime of the library that keeps books: devices, contexts, streams, events, memory. It comes behind `books.c` in one
 * source text. */

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
static unsigned last_policy;
unsigned null_last_policy(void) { return last_policy; }
aclError aclrtMalloc(void **start, size_t size, unsigned policy) {
    last_policy = policy;
    
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
    if (!found->captured) {
        found->work = 1;
        use(to, stream, kind == TO_HOST);
        use((void *)from, stream, kind == TO_DEVICE);
    }
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
struct callback { void (*function)(void *), *argument; };
static void *beside(void *given) {
    struct callback callback = *(struct callback *)given;
    free(given);
    callback.function(callback.argument);
    return NULL;
}
/* Runs the function at once, on the calling thread or beside the stream; the test's refusals say when it is not run at
 * all. */
aclError aclrtLaunchHostFunc(handle stream, void (*function)(void *), void *argument) {
    ENTER;
    struct object *found = used_stream(stream);
    if (!found) return leave(INVALID);
    found->work = 1;
    leave(0);
    if (callbacks == AT_ONCE) function(argument);
    if (callbacks != BESIDE) return 0;
    struct callback *given = malloc(sizeof *given);
    *given = (struct callback){function, argument};
    pthread_t thread;
    if (pthread_create(&thread, NULL, beside, given)) abort();
    pthread_detach(thread);
    return 0;
}
/* What is queued is discarded: a synchronise has nothing to wait for. A callback that is running goes on. */
aclError aclrtStreamAbort(handle stream) {
    ENTER;
    if (!used_stream(stream)) return leave(INVALID);
    names[slot("aclrtSynchronizeStreamWithTimeout")].refusals = 0;
    return leave(0);
}
void null_callbacks(int how) {
    pthread_mutex_lock(&lock);
    callbacks = how;
    pthread_mutex_unlock(&lock);
}
