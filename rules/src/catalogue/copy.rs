//! Copies and sets.

rules! {
    ($) COPY doc_copy {
        COPY_01 = "COPY-01" {
            text: "The copy length must be no larger than the destination's capacity or than the source, and by the manual not \
                zero.",
            misuse: "count > destMax, or more bytes than the source has",
            consequence: "ACL_ERROR_RT_PARAM_INVALID 107000 for a length that is too large; a length of zero is \
                accepted (both measured)",
            source: "aclrtMemcpy(Async), destMax/count; measured",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: RunTime,
            means: "A copy covers whole buffers, or parts that both buffers have. `Error::LengthMismatch` and \
                `Error::NoSuchPart` are returned before the library is called.",
            hole: "A copy of no elements reaches the library, which accepts it.",
        }
        COPY_02 = "COPY-02" {
            text: "The direction must match where source and destination live.",
            misuse: "DEVICE_TO_HOST with swapped arguments",
            consequence: "error",
            source: "aclrtMemcpyKind",
            pages: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "The crate derives the direction from where the two blocks are.",
        }
        COPY_03 = "COPY-03" {
            text: "An async copy with pinned memory only means the task was queued; the destination may be read only \
                after a synchronise.",
            misuse: "read host buffer right after memcpy_async",
            consequence: "stale data",
            source: "aclrtMemcpyAsync",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Queueing a copy takes both buffers. `Pending::wait` returns them after the stream was \
                synchronised.",
        }
        COPY_04 = "COPY-04" {
            text: "Source and destination of an async copy must stay allocated and unmodified until the stream is \
                synchronised.",
            misuse: "dropping or overwriting the pinned source early",
            consequence: "corrupt transfer",
            source: "aclrtMemcpyAsync; developer guide on copies",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Queueing a copy takes both buffers by value, so neither can be freed or written while the copy \
                runs. Forgetting the `Pending` loses the handles and frees nothing.",
        }
        COPY_05 = "COPY-05" {
            text: "With ordinary host memory the async call blocks until the copy is done.",
            misuse: "expecting overlap with a Vec",
            consequence: "loss of concurrency, no error",
            source: "aclrtMemcpyAsync with pageable memory",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "A queued copy takes a `HostBuffer`, not a `Vec`. `Current::pageable_buffer` and `Current::copy_scope` \
                pass ordinary memory explicitly.",
            hole: "The library decides whether a copy of ordinary memory runs asynchronously, and does not report \
                it.",
        }
        COPY_06 = "COPY-06" {
            text: "Asynchronous host-to-host copying is not supported in the EP form.",
            misuse: "memcpy_async(HOST_TO_HOST)",
            consequence: "ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000 (measured)",
            source: "aclrtMemcpyAsync, constraints; measured",
            pages: [],
            basis: "doc+source",
            priority: 2,
            class: Compile,
            means: "One side of a queued copy is a `DeviceBuffer`.",
        }
        COPY_07 = "COPY-07" {
            text: "A synchronous copy does not wait for streams; producers must be synchronised first.",
            misuse: "launch kernel on a stream, then sync aclrtMemcpy of its output",
            consequence: "stale or partial data",
            source: "aclrtMemcpy, constraints",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Only `Pending::wait` returns buffers that queued work writes, so no synchronous copy can use \
                them earlier.",
        }
        COPY_08 = "COPY-08" {
            text: "Copying between devices requires the peer query and enabling peer access (950, A2, Atlas inference, \
                Atlas training).",
            misuse: "direct device 0 to device 1 copy",
            consequence: "error",
            source: "aclrtMemcpy, constraints (two devices)",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "A copy takes a `PeerAccess<C, P>` for the two contexts, which `Current::with_peer` lends after it \
                has asked the library and enabled the access.",
        }
        COPY_09 = "COPY-09" {
            text: "On-chip device-to-device async copies need both addresses aligned to 64 bytes (header only; not in \
                the reference page).",
            misuse: "copying between odd offsets",
            consequence: "107008 or undefined",
            source: "acl_rt.h, aclrtMemcpyAsync restriction",
            pages: [],
            basis: "header",
            priority: 2,
            class: RunTime,
            means: "A queued copy within a device with an address that is not a multiple of 64 bytes is an \
                `Error::Misaligned`. The library is not called. Copies between two devices may begin anywhere.",
        }
        COPY_10 = "COPY-10" {
            text: "2-D copies: width at most both pitches and 5,000,000, height at most 5*1024*1024, limited \
                directions, not in RC / Control-CPU forms.",
            misuse: "width larger than pitch",
            consequence: "ACL_ERROR_INVALID_PARAM",
            source: "aclrtMemcpy2d(Async)",
            pages: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "`Rows` are compared with these limits and with the lengths of both sides: `Error::NoSuchRows`, \
                `Error::NoSuchPart`. One side is of the host, and for a program that runs on the device the answer is \
                `Error::RowsOnDevice`. The library is not called.",
        }
        COPY_11 = "COPY-11" {
            text: "Batch copies are unordered, between host and device, one direction per batch, at most 4096 per call, \
                arrays of equal length, first attribute index 0 and strictly increasing.",
            misuse: "relying on order inside a batch",
            consequence: "undefined order / error",
            source: "aclrtMemcpyBatch*",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There are no batch copies.",
        }
        COPY_12 = "COPY-12" {
            text: "Descriptor copies need a device-memory descriptor of the queried size that was set before use.",
            misuse: "launching with an unset descriptor",
            consequence: "error",
            source: "aclrtMemcpyAsyncWithDesc, aclrtCmo*Desc",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There are no descriptor copies.",
        }
    }
}
