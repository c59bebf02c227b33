//! Threads.

rules! {
    ($) Thread doc_thread {
        THREAD_01 = "THREAD-01" {
            text: "Device and context selection is per thread; a new thread has none and must set one before using \
                the runtime.",
            misuse: "moving a buffer into a spawned thread and calling aclrtMemcpy there",
            consequence: "ACL_ERROR_RT_CONTEXT_NULL 107002",
            source: "error 107002; dev_guide 05/06",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "operations need a !Send current-context token created on this thread",
        }
        THREAD_02 = "THREAD-02" {
            text: "With several threads on the default stream, task order is whatever order the OS schedules the \
                threads.",
            misuse: "two threads enqueue dependent tasks on the default stream",
            consequence: "non-deterministic order",
            source: "default stream with threads, runtime resource page",
            seeds: [S002, S004],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "DefaultStream view is !Send + !Sync",
        }
        THREAD_03 = "THREAD-03" {
            text: "If threads share a context, the program must order tasks of a shared stream itself; each thread \
                should have its own stream.",
            misuse: "two threads pushing to one explicit stream without coordination",
            consequence: "order undefined",
            source: "aclrtSetCurrentContext, constraints; dev_guide 06",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Stream is Send but !Sync; enqueue takes &mut self",
        }
        THREAD_04 = "THREAD-04" {
            text: "A current-context token must not move to another thread or cross an await point on a \
                work-stealing executor.",
            misuse: "async fn holding the token across .await on tokio",
            consequence: "107002/107003 on another thread",
            source: "thread-local context model",
            seeds: [],
            basis: "derived",
            priority: 1,
            class: Compile,
            means: "!Send token makes the future !Send",
        }
        THREAD_05 = "THREAD-05" {
            text: "Handles are valid anywhere in the process but in no other process.",
            misuse: "sending a raw device pointer over a socket",
            consequence: "undefined",
            source: "dev_guide 07",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: Compile,
            means: "no serialisation of handles; IPC only through export types",
        }
    }
}
