//! Captured graphs.

rules! {
    ($) GRAPH doc_graph {
        GRAPH_01 = "GRAPH-01" {
            text: "Capture begin and end pair on the same stream.",
            misuse: "end without begin",
            consequence: "107036 / 107029",
            source: "aclmdlRICaptureBegin / End; 107029, 107036",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for capturing graphs.",
        }
        GRAPH_02 = "GRAPH-02" {
            text: "Unless relaxed, begin and end must be on one thread.",
            misuse: "moving the capture to another thread",
            consequence: "107038",
            source: "aclmdlRICaptureEnd; 107038",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for capturing graphs.",
        }
        GRAPH_03 = "GRAPH-03" {
            text: "The default stream cannot take part in capture.",
            misuse: "capture on NULL",
            consequence: "107031",
            source: "developer guide on capturing streams; 107031",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for capturing graphs.",
        }
        GRAPH_04 = "GRAPH-04" {
            text: "While capturing, synchronising or querying the stream, its events, context or device is illegal, \
                and global or thread-local modes forbid synchronous copies.",
            misuse: "synchronize_stream during capture",
            consequence: "107027 / 107030; capture invalidated",
            source: "developer guide on capturing streams; 107027, 107028, 107030",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for capturing graphs.",
        }
        GRAPH_05 = "GRAPH-05" {
            text: "Captured copies need pinned host memory, and every captured resource must live until the instance \
                is destroyed.",
            misuse: "freeing a captured buffer",
            consequence: "undefined at replay",
            source: "developer guide on capturing streams",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for capturing graphs.",
        }
        GRAPH_06 = "GRAPH-06" {
            text: "Sub-streams join capture through events created with Ex sync and must return to the origin stream, \
                with nothing issued on them afterwards.",
            misuse: "forgetting the join event",
            consequence: "107025",
            source: "developer guide on capturing several streams; 107024, 107025, 107032",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for capturing graphs.",
        }
        GRAPH_07 = "GRAPH-07" {
            text: "An instance cannot be destroyed while running.",
            misuse: "destroy right after execute_async",
            consequence: "107037",
            source: "aclmdlRIDestroy; 107037",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for capturing graphs.",
        }
        GRAPH_08 = "GRAPH-08" {
            text: "Building: begin, bind persistent streams (not NULL, one instance per stream), issue, end task, \
                build end; nothing may be issued afterwards.",
            misuse: "issuing after build end",
            consequence: "failure at execution",
            source: "aclmdlRIBuild* / BindStream / EndTask",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for capturing graphs.",
        }
        GRAPH_09 = "GRAPH-09" {
            text: "Task groups and updates pair up on one stream and must match in number and type; disabling or \
                changing tasks needs an update call; task queries on one instance are not concurrent.",
            misuse: "update with fewer tasks",
            consequence: "107033 / 107034",
            source: "aclmdlRICaptureTaskGrp* / TaskUpdate*; 107033, 107034",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for capturing graphs.",
        }
        GRAPH_10 = "GRAPH-10" {
            text: "Sub-instances are not destroyed by the user and captured instances cannot be aborted.",
            misuse: "destroying a sub-instance",
            consequence: "error",
            source: "aclmdlRICaptureToModelRIBegin; aclmdlRIAbort",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for capturing graphs.",
        }
    }
}
