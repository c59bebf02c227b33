//! Threads.

rules! {
    ($) THREAD doc_thread {
        THREAD_01 = "THREAD-01" {
            text: "Device and context selection is per thread; a new thread has none and must set one before using the \
                runtime.",
            misuse: "moving a buffer into a spawned thread and calling aclrtMemcpy there",
            consequence: "ACL_ERROR_RT_CONTEXT_NULL 107002. Measured: freeing and asking for an event's state answer 0 \
                all the same",
            source: "error 107002; dev_guide 05/06; measured",
            seeds: [],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "Every call takes a `Current`, which is neither `Send` nor `Sync`; a new thread takes its own \
                `Thread` and enters the context itself.",
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
            class: ByConstruction,
            means: "Work takes its buffers by value until it was waited for, so that no task of another thread meets \
                them on the default stream; a `DefaultStream` stays on its thread.",
            hole: "Threads that enter one context can each take a view of its one default stream: in which order their \
                tasks run stays open.",
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
            means: "A `Stream` is `Send` and not `Sync`: one thread at a time has it.",
        }
        THREAD_04 = "THREAD-04" {
            text: "A current-context token must not move to another thread or cross an await point on a work-stealing \
                executor.",
            misuse: "async fn holding the token across .await on tokio",
            consequence: "107002/107003 on another thread",
            source: "thread-local context model",
            seeds: [],
            basis: "derived",
            priority: 1,
            class: Compile,
            means: "A `Current` is not `Send`, and so is no future that holds one while it waits.",
        }
        THREAD_05 = "THREAD-05" {
            text: "Handles are valid anywhere in the process but in no other process.",
            misuse: "sending a raw device pointer over a socket",
            consequence: "undefined",
            source: "dev_guide 07",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "Every call in a child that was forked after the library was loaded is `Error::Forked`, and does not \
                reach the library; no handle can be turned into a number or read from one.",
            hole: "`DeviceAddress::number` is a number, which can be sent anywhere.",
        }
    }
}
