//! Collective communication.

rules! {
    ($) HCCL doc_hccl {
        HCCL_01 = "HCCL-01" {
            text: "All ranks must initialise with the same rank count, root info and configuration, and the \
                configuration struct must be initialised by its own call first.",
            misuse: "different nRanks per rank",
            consequence: "hang or failure",
            source: "HcclCommInitRootInfo(Config)",
            pages: [],
            basis: "search",
            priority: 2,
            class: NotOffered,
            means: "There is no API for collective communication.",
        }
        HCCL_02 = "HCCL-02" {
            text: "Concurrent initialisation from several threads is only supported with one thread per device.",
            misuse: "two threads initialise on one device at once",
            consequence: "failure",
            source: "HcclCommInitRootInfo",
            pages: [],
            basis: "search",
            priority: 2,
            class: NotOffered,
            means: "There is no API for collective communication.",
        }
        HCCL_03 = "HCCL-03" {
            text: "After destroy no collective may be called; destroying a communicator in use returns a retry code or \
                aborts running operations.",
            misuse: "destroy while an all-reduce runs",
            consequence: "HCCL_E_AGAIN or operation aborted",
            source: "HcclCommDestroy",
            pages: [],
            basis: "search",
            priority: 2,
            class: NotOffered,
            means: "There is no API for collective communication.",
        }
        HCCL_04 = "HCCL-04" {
            text: "Every rank issues the same operation with the same count, type and reduction, one input per rank.",
            misuse: "different counts per rank",
            consequence: "hang or error",
            source: "HcclAllReduce and siblings",
            pages: [],
            basis: "search",
            priority: 2,
            class: NotOffered,
            means: "There is no API for collective communication.",
        }
        HCCL_05 = "HCCL-05" {
            text: "Collectives are asynchronous on the given stream: buffers live and results are read only after \
                synchronise.",
            misuse: "reading recvBuf at once",
            consequence: "stale data",
            source: "HcclAllReduce, stream parameter",
            pages: [],
            basis: "search",
            priority: 2,
            class: NotOffered,
            means: "There is no API for collective communication.",
        }
        HCCL_06 = "HCCL-06" {
            text: "Single-machine only, device list without duplicates, one collective at a time per device, calls of \
                different threads within the connect timeout.",
            misuse: "duplicate device ids",
            consequence: "failure / timeout",
            source: "HcclCommInitAll",
            pages: [],
            basis: "search",
            priority: 2,
            class: NotOffered,
            means: "There is no API for collective communication.",
        }
        HCCL_07 = "HCCL-07" {
            text: "Point-to-point calls block until matched and must pair up.",
            misuse: "two sends facing each other",
            consequence: "deadlock",
            source: "HcclSend / HcclRecv",
            pages: [],
            basis: "search",
            priority: 3,
            class: NotOffered,
            means: "There is no API for collective communication.",
        }
        HCCL_08 = "HCCL-08" {
            text: "Set the device before creating a communicator and destroy it before resetting the device.",
            misuse: "reset with a live communicator",
            consequence: "undefined",
            source: "HCCL samples",
            pages: [],
            basis: "search",
            priority: 2,
            class: NotOffered,
            means: "There is no API for collective communication.",
        }
    }
}
