//! Devices.

rules! {
    ($) Dev doc_dev {
        DEV_01 = "DEV-01" {
            text: "Runtime resources are acquired in order: device first, then streams (and everything else that \
                needs a device).",
            misuse: "create_stream before set_device",
            consequence: "ACL_ERROR_RT_CONTEXT_NULL 107002",
            source: "Runtime resource allocation page; aclrtSetDevice",
            seeds: [S002, S004],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Stream/Buffer/Context constructors take a device or current-context token",
        }
        DEV_02 = "DEV-02" {
            text: "Resources are released in reverse order: explicit streams first, the device last.",
            misuse: "reset_device, then destroy_stream on a stream made earlier",
            consequence: "vendor: possible service errors; handle already gone",
            source: "Runtime resource deallocation page",
            seeds: [S002, S004],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "lifetime: Stream<'dev> borrows Device, whose Drop resets",
        }
        DEV_03 = "DEV-03" {
            text: "Setting a device implicitly creates exactly one default context and one default stream for that \
                device.",
            misuse: "assuming no stream exists until create_stream, or creating a second 'default' one",
            consequence: "none by itself; matters for quotas and ordering",
            source: "aclrtSetDevice, implicit objects",
            seeds: [S002, S004],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "Device exposes default_context()/default_stream() as non-owning views",
        }
        DEV_04 = "DEV-04" {
            text: "Resetting the device implicitly releases its default context and default stream; they must not be \
                released separately.",
            misuse: "destroying the default stream or context and then resetting",
            consequence: "error from the destroy call (see CTX-02, STREAM-02)",
            source: "aclrtResetDevice, implicit release",
            seeds: [S002, S004],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "default views have no destroy method; reset happens once in Device::drop/close",
        }
        DEV_05 = "DEV-05" {
            text: "Device reset also releases every stream created under the default context (after waiting for its \
                tasks), so those stream handles are dead afterwards.",
            misuse: "using a stream created under the default context after aclrtResetDevice",
            consequence: "undefined / invalid handle",
            source: "aclrtResetDevice, function description",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "lifetime 'dev on Stream",
        }
        DEV_06 = "DEV-06" {
            text: "aclrtSetDevice and aclrtResetDevice are counted per device; resources are only freed when resets \
                equal sets.",
            misuse: "two SetDevice calls and one ResetDevice, expecting the memory back",
            consequence: "device resources stay allocated",
            source: "aclrtSetDevice / aclrtResetDevice, reference count",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "one guard per successful set; reset in Drop",
        }
        DEV_07 = "DEV-07" {
            text: "Resetting a device more often than it was set is an error.",
            misuse: "ResetDevice twice after one SetDevice",
            consequence: "error (open-source runtime: 507007)",
            source: "aclrtResetDeviceForce, misuse examples",
            seeds: [],
            basis: "doc+source",
            priority: 2,
            class: Compile,
            means: "move-only guard",
        }
        DEV_08 = "DEV-08" {
            text: "A forced reset ignores the count and pulls the device from under all threads of the process; the \
                other threads' own forced reset then fails.",
            misuse: "each thread does SetDevice .. ResetDeviceForce on the same device",
            consequence: "error in the second thread; other thread's handles invalid",
            source: "aclrtResetDeviceForce, constraints",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "force reset is not exposed, or needs the unique owner of the process-wide device \
                (Arc::try_unwrap style)",
        }
        DEV_09 = "DEV-09" {
            text: "If counted and forced resets are mixed, the forced one has to be the last and the counts must \
                match.",
            misuse: "ResetDeviceForce followed by ResetDevice",
            consequence: "error returned",
            source: "aclrtResetDeviceForce, mixing rules",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: ByConstruction,
            means: "wrapper uses one of the two only",
        }
        DEV_10 = "DEV-10" {
            text: "Teardown order inside a device: events and explicit streams, then explicit contexts, then the \
                reset.",
            misuse: "aclrtResetDevice while explicit contexts, streams or events exist",
            consequence: "service errors",
            source: "aclrtResetDevice, constraints; acl_rt.h",
            seeds: [],
            basis: "doc+header",
            priority: 1,
            class: Compile,
            means: "nested lifetimes 'event/'stream inside 'ctx inside 'dev",
        }
        DEV_11 = "DEV-11" {
            text: "Device ids run from 0 to aclrtGetDeviceCount()-1.",
            misuse: "aclrtSetDevice(8) on an 8-device host",
            consequence: "107001",
            source: "aclrtSetDevice; ACL_ERROR_RT_INVALID_DEVICEID",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: RunTime,
            means: "validated DeviceId newtype from Devices::iter()",
        }
        DEV_12 = "DEV-12" {
            text: "Asking for the current device fails if none was set on this thread.",
            misuse: "aclrtGetDevice on a fresh thread",
            consequence: "error",
            source: "aclrtGetDevice, constraints",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: Compile,
            means: "the id is a field of the Device token; no free-standing query",
        }
        DEV_13 = "DEV-13" {
            text: "Peer access is one-directional, is enabled from the device that is current, must not name the \
                same device, and its flags are reserved as 0; availability has to be queried first and only holds within \
                one process.",
            misuse: "enabling 0->1 once and then copying 1->0",
            consequence: "copy fails or call rejected",
            source: "aclrtDeviceEnablePeerAccess / CanAccessPeer",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: RunTime,
            means: "PeerLink<'a> value per direction returned by a checked constructor; copies between devices \
                demand it",
        }
        DEV_14 = "DEV-14" {
            text: "Device limits only take effect when set at the right moment: process limits before \
                aclrtSetDevice, core limits after it but before work, saturation mode before the streams it should \
                affect; repeated settings overwrite.",
            misuse: "changing the saturation mode after creating the stream",
            consequence: "setting silently has no effect on existing objects",
            source: "aclrtDeviceSetLimit, aclrtSetDeviceResLimit, aclrtSetDeviceSatMode",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: ByConstruction,
            means: "options live in a device builder consumed when the device is opened",
        }
        DEV_15 = "DEV-15" {
            text: "User, logical and physical device ids are different number spaces, and two old conversion calls \
                are documented with the wrong meaning.",
            misuse: "passing a logical id to aclrtSetDevice when visible-devices filtering is active",
            consequence: "wrong device used",
            source: "aclrtGet*DevIdBy* (user, logical, physical ids)",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: Compile,
            means: "distinct newtypes for the three id spaces",
        }
        DEV_16 = "DEV-16" {
            text: "On IPV350 there is no default context and no default stream.",
            misuse: "passing NULL as stream on IPV350",
            consequence: "error / unsupported",
            source: "aclrtSetDevice etc., product notes",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "product query at open; default_stream() returns Option/Err",
        }
        DEV_17 = "DEV-17" {
            text: "Device synchronisation waits on the context current for this thread (and its device), not on all \
                devices or on other threads' contexts.",
            misuse: "synchronising once and freeing buffers used by a stream of another context",
            consequence: "use of memory still in flight",
            source: "aclrtSynchronizeDevice",
            seeds: [],
            basis: "doc+source",
            priority: 2,
            class: Compile,
            means: "sync is a method of the context/stream that owns the in-flight work",
        }
    }
}
