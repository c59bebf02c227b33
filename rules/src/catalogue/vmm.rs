//! Virtual memory.

rules! {
    ($) VMM doc_vmm {
        VMM_01 = "VMM-01" {
            text: "Virtual memory use follows reserve, allocate physical, map (set access), use, unmap, free physical, \
                release; a range must be unmapped before it is released.",
            misuse: "aclrtReleaseMemAddress on a mapped range",
            consequence: "error / leak",
            source: "aclrtReserveMemAddress, aclrtMapMem sequence",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for virtual memory.",
        }
        VMM_02 = "VMM-02" {
            text: "The mapped size equals the physical size and is a multiple of the granularity; offset is 0; one \
                reserved range cannot mix devices or imported and local handles.",
            misuse: "mapping half a handle",
            consequence: "error",
            source: "aclrtMapMem parameters",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for virtual memory.",
        }
        VMM_03 = "VMM-03" {
            text: "A range mapped without access must get access rights before use.",
            misuse: "copying into it directly",
            consequence: "access fault",
            source: "aclrtMemMapNoAccess",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for virtual memory.",
        }
        VMM_04 = "VMM-04" {
            text: "Physical memory is unmapped before its handle is freed; later releases keep the memory until then.",
            misuse: "aclrtFreePhysical right after aclrtMapMem",
            consequence: "error, or none",
            source: "aclrtFreePhysical, constraints",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for virtual memory.",
        }
    }
}
