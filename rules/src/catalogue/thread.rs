//! Threads.

rules! {
    ($) THREAD doc_thread {
        THREAD_01 = "THREAD-01" {
            text: "Device and context selection is per thread; a new thread has none and must set one before using the \
                runtime.",
            misuse: "moving a buffer into a spawned thread and calling aclrtMemcpy there",
            consequence: "ACL_ERROR_RT_CONTEXT_NULL 107002. Measured: freeing memory and asking for an event's state \
                answer 0 even so",
            source: "error 107002; developer guide on several devices and on threads; measured",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "Every call takes a `Current`, which is neither `Send` nor `Sync`. A new thread takes its own \
                `Thread` and enters the context itself.",
        }
        THREAD_02 = "THREAD-02" {
            text: "With several threads on the default stream, task order is whatever order the OS schedules the \
                threads.",
            misuse: "two threads enqueue dependent tasks on the default stream",
            consequence: "non-deterministic order",
            source: "default stream with threads, runtime resource page",
            pages: [ResourcesInPython, ResourcesInC],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "Work takes its buffers by value until it was waited for, so no task of another thread uses them \
                on the default stream. A `DefaultStream` stays on its thread.",
            hole: "Each thread that enters a context can take a view of its one default stream. The order of the \
                tasks of different threads is open.",
        }
        THREAD_03 = "THREAD-03" {
            text: "If threads share a context, the program must order tasks of a shared stream itself; each thread \
                should have its own stream.",
            misuse: "two threads pushing to one explicit stream without coordination",
            consequence: "order undefined",
            source: "aclrtSetCurrentContext, constraints; developer guide on threads",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "A `Stream` is `Send` and not `Sync`, so one thread at a time has it.",
        }
        THREAD_04 = "THREAD-04" {
            text: "A current-context token must not move to another thread or cross an await point on a work-stealing \
                executor.",
            misuse: "async fn holding the token across .await on tokio",
            consequence: "107002/107003 on another thread",
            source: "thread-local context model",
            pages: [],
            basis: "derived",
            priority: 1,
            class: Compile,
            means: "A `Current` is not `Send`, and neither is a future that holds one across an await.",
        }
        THREAD_05 = "THREAD-05" {
            text: "Handles are valid anywhere in the process but in no other process.",
            misuse: "sending a raw device pointer over a socket",
            consequence: "undefined",
            source: "developer guide on several processes",
            pages: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "In a child that was forked after the library was loaded, every call returns `Error::Forked` and \
                does not reach the library. Safe code cannot make a handle from a number.",
            hole: "`DeviceAddress::number`, `Model::as_raw` and `as_raw().addr()` of other handles are numbers, which can \
                be sent anywhere.",
        }
    }
}
