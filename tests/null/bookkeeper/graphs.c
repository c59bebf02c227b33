/* Captures of the library that keeps books. They come behind `models.c` in one source text.
 *
 * Nothing is recorded, and a run does nothing: a copy on a captured stream happens at once. It asks the allocator as
 * ever, and gives the block back after it, as a library does that takes the recorded task for a queued one. */

aclError aclmdlRICaptureBegin(handle stream, unsigned mode) {
    (void)mode;
    ENTER;
    struct object *found = used_stream(stream);
    if (!found) return leave(INVALID);
    if (found->captured) breaks("captured a stream twice");
    found->captured = 1;
    return leave(0);
}
aclError aclmdlRICaptureGetInfo(handle stream, unsigned *status, handle *graph) {
    ENTER;
    struct object *found = used_stream(stream);
    if (!found) return leave(INVALID);
    *status = found->captured;
    *graph = NULL;
    return leave(0);
}
aclError aclmdlRICaptureEnd(handle stream, handle *graph) {
    ENTER;
    struct object *found = used_stream(stream);
    if (!found || !found->captured) return leave(INVALID);
    found->captured = 0;
    *graph = make(GRAPH, NULL)->handle;
    return leave(0);
}
aclError aclmdlRIExecuteAsync(handle graph, handle stream) {
    ENTER;
    struct object *found = used_stream(stream);
    if (!find(GRAPH, graph)) breaks("ran a graph that is gone");
    if (!found) return leave(INVALID);
    found->work = 1;
    append(log_text, "graph:runs");
    return leave(0);
}
aclError aclmdlRIDestroy(handle graph) {
    ENTER;
    struct object *found = find(GRAPH, graph);
    if (!found) {
        breaks("destroyed a graph that is gone");
        return leave(INVALID);
    }
    append(log_text, "graph:destroyed");
    found->kind = NOTHING;
    return leave(0);
}
aclError aclrtCreateEventExWithFlag(handle *event, uint32_t flag) {
    (void)flag;
    return aclrtCreateEvent(event);
}
