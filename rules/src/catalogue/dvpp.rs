//! Media processing.

rules! {
    ($) DVPP doc_dvpp {
        DVPP_01 = "DVPP-01" {
            text: "A channel is not thread-safe (one per thread) and must not be used on several streams at once; \
                creating it takes a stream slot.",
            misuse: "sharing a channel",
            consequence: "undefined",
            source: "acldvppCreateChannel",
            pages: [],
            basis: "search",
            priority: 3,
            class: NotOffered,
            means: "There is no API for media processing.",
        }
        DVPP_02 = "DVPP-02" {
            text: "Destroy the channel before its description.",
            misuse: "description first",
            consequence: "error / 148051",
            source: "acldvppDestroyChannel",
            pages: [],
            basis: "search",
            priority: 3,
            class: NotOffered,
            means: "There is no API for media processing.",
        }
        DVPP_03 = "DVPP-03" {
            text: "Media input and output memory must come from the DVPP allocator and be freed by it.",
            misuse: "aclrtMalloc buffer in a resize",
            consequence: "error",
            source: "aclrtMalloc (acl_rt.h); acldvppMalloc",
            pages: [],
            basis: "header+search",
            priority: 3,
            class: NotOffered,
            means: "There is no API for media processing.",
        }
    }
}
