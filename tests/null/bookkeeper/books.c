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
enum kind { NOTHING, CONTEXT, STREAM, DEVICE_BLOCK, HOST_BLOCK, MODEL, DESCRIPTOR, EVENT, GRAPH };

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
    int captured;
    int registered;
    struct allocator allocator;
    void *kept[KEPT];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local handle current;
static struct { char name[64]; int calls, refusals, code; } names[NAMES];
static struct object objects[OBJECTS];
static char log_text[TEXT], broken[TEXT], seen[TEXT], soc[64] = "Bookkeeper";
static int taken[DEVICES], initialised, outputs, on_device;
static enum { AT_ONCE, LOST, BESIDE } callbacks;
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
    initialised = outputs = on_device = 0;
    callbacks = AT_ONCE;
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
    static const char *words[] = {"", "context", "stream", "device block", "host block", "model", "descriptor", "event",
                                  "graph"};
    pthread_mutex_lock(&lock);
    *seen = 0;
    char part[64];
    for (enum kind kind = CONTEXT; kind <= GRAPH; kind++) {
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
