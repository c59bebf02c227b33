//! Sharing between processes.

rules! {
    ($) IPC doc_ipc {
        IPC_01 = "IPC-01" {
            text: "The exporter keeps the resource alive until importers have imported it, and closes only after every \
                importer has closed; exporting and importing in one process is not supported.",
            misuse: "exporter frees early",
            consequence: "import fails or undefined",
            source: "aclrtIpcMemClose and export/import pages",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for sharing between processes.",
        }
        IPC_02 = "IPC-02" {
            text: "IPC events use their flag alone and reject timing, reset, query and id calls; a shared notify may \
                only be waited on by its creator; one record satisfies one wait.",
            misuse: "waiting on an imported notify",
            consequence: "error",
            source: "aclrtNotify*, IPC event flag",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for sharing between processes.",
        }
        IPC_03 = "IPC-03" {
            text: "Process ids for whitelists must come from the runtime's own query, and importers' ids must be \
                listed unless validation is disabled.",
            misuse: "using getpid() in a container",
            consequence: "later import errors",
            source: "aclrtDeviceGetBareTgid",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for sharing between processes.",
        }
    }
}
