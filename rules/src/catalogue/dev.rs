//! Devices.

rules! {
    ($) DEV doc_dev {
        DEV_01 = "DEV-01" {
            text: "Runtime resources are acquired in order: device first, then streams (and everything else that needs \
                a device).",
            misuse: "create_stream before set_device",
            consequence: "ACL_ERROR_RT_CONTEXT_NULL 107002",
            source: "Runtime resource allocation page; aclrtSetDevice",
            seeds: [S002, S004],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Streams, events, memory and models are made by a `Current`, which only a `Context` of a taken \
                `Device` lends.",
        }
        DEV_02 = "DEV-02" {
            text: "Resources are released in reverse order: explicit streams first, the device last.",
            misuse: "reset_device, then destroy_stream on a stream made earlier",
            consequence: "vendor: possible service errors. Measured: the stream's handle is gone (107017), and \
                touching an event of before the reset crashes",
            source: "Runtime resource deallocation page; measured",
            seeds: [S002, S004],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "`Device::reset` takes the device by value while a context's scope borrows it, and the scope \
                destroys its streams at its end.",
            hole: "A scope that could not be taken down keeps its streams; the device then refuses to be reset.",
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
            means: "`Device::default_context` and `Current::default_stream` are views of what is there; neither makes \
                anything.",
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
            means: "`DefaultStream` and `Context` have no way to be destroyed, and the scope of a default context \
                leaves it to the device.",
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
            class: ByConstruction,
            means: "What is made in a context, the default one among them, is gone when its scope ends, and the scope \
                borrows the device.",
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
            means: "Each `Device` stands for one `aclrtSetDevice` and owes one `aclrtResetDevice`, which \
                `Device::reset` or `Acl::close` pays.",
        }
        DEV_07 = "DEV-07" {
            text: "Resetting a device more often than it was set is an error.",
            misuse: "ResetDevice twice after one SetDevice",
            consequence: "ACL_ERROR_RT_CONTEXT_RELEASE_ERROR 507007 (measured)",
            source: "aclrtResetDeviceForce, misuse examples; measured",
            seeds: [],
            basis: "doc+source",
            priority: 2,
            class: Compile,
            means: "`Device::reset` takes the device by value, and a `Device` cannot be copied.",
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
            class: RunTime,
            means: "`Device::recover` resets by force when nothing else helps, and only for the one part of the program \
                that has taken the device; meanwhile nobody can take it: `Error::DeviceShared`.",
            hole: "Other code in the process may have set the device, or reset it by force itself.",
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
            means: "After the forced reset of `Device::recover` the device is given back, and not reset once more.",
            hole: "Other code in the process may mix the two.",
        }
        DEV_10 = "DEV-10" {
            text: "Teardown order inside a device: events and explicit streams, then explicit contexts, then the \
                reset.",
            misuse: "aclrtResetDevice while explicit contexts, streams or events exist",
            consequence: "service errors. Measured: the reset answers 0, streams are gone, events crash when they are \
                touched, explicit contexts live on",
            source: "aclrtResetDevice, constraints; acl_rt.h; measured",
            seeds: [],
            basis: "doc+header+source",
            priority: 1,
            class: ByConstruction,
            means: "The end of a context's scope takes everything down in this order, whatever was forgotten, and a \
                scope borrows its device, so that no reset comes before its end.",
            hole: "A stream that cannot be synchronised stops it there: what is left stays, and the device refuses to \
                be reset.",
        }
        DEV_11 = "DEV-11" {
            text: "Device ids run from 0 to aclrtGetDeviceCount()-1.",
            misuse: "aclrtSetDevice(8) on an 8-device host",
            consequence: "ACL_ERROR_RT_INVALID_DEVICEID 107001 (measured)",
            source: "aclrtSetDevice; ACL_ERROR_RT_INVALID_DEVICEID; measured",
            seeds: [],
            basis: "doc+source",
            priority: 2,
            class: RunTime,
            means: "`Acl::device` compares the number with `aclrtGetDeviceCount` before the device is set.",
        }
        DEV_12 = "DEV-12" {
            text: "Asking for the current device fails if none was set on this thread.",
            misuse: "aclrtGetDevice on a fresh thread",
            consequence: "ACL_ERROR_RT_CONTEXT_NULL 107002 (measured)",
            source: "aclrtGetDevice, constraints; measured",
            seeds: [],
            basis: "doc+source",
            priority: 3,
            class: ByConstruction,
            means: "`Device::id`, `Context::device_id` and `Current::device_id` tell the number that was set. `run` \
                asks the library where no device is said, and takes the error for none.",
        }
        DEV_13 = "DEV-13" {
            text: "Peer access is one-directional, is enabled from the device that is current, must not name the same \
                device, and its flags are reserved as 0; availability has to be queried first and only holds within \
                one process.",
            misuse: "enabling 0->1 once and then copying 1->0",
            consequence: "copy fails or call rejected",
            source: "aclrtDeviceEnablePeerAccess / CanAccessPeer",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for peer access.",
        }
        DEV_14 = "DEV-14" {
            text: "Device limits only take effect when set at the right moment: process limits before aclrtSetDevice, \
                core limits after it but before work, saturation mode before the streams it should affect; repeated \
                settings overwrite.",
            misuse: "changing the saturation mode after creating the stream",
            consequence: "setting silently has no effect on existing objects",
            source: "aclrtDeviceSetLimit, aclrtSetDeviceResLimit, aclrtSetDeviceSatMode",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for device limits.",
        }
        DEV_15 = "DEV-15" {
            text: "User, logical and physical device ids are different number spaces, and two old conversion calls are \
                documented with the wrong meaning.",
            misuse: "passing a logical id to aclrtSetDevice when visible-devices filtering is active",
            consequence: "wrong device used",
            source: "aclrtGet*DevIdBy* (user, logical, physical ids)",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: Limit,
            means: "Device numbers are those that `aclrtGetDeviceCount` counts; there is no conversion to the others.",
            hole: "A number that the program got elsewhere does not say in which of the spaces it is.",
        }
        DEV_16 = "DEV-16" {
            text: "On IPV350 there is no default context and no default stream.",
            misuse: "passing NULL as stream on IPV350",
            consequence: "error / unsupported",
            source: "aclrtSetDevice etc., product notes",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: Limit,
            means: "What the library answers there is an `Error::Vendor`.",
            hole: "The name that the library has for this product is not known to this project, so that it cannot be \
                told from others.",
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
            class: NotOffered,
            means: "There is no synchronise of a whole device: streams are waited for one by one, and memory is freed \
                by what is known of its own streams.",
        }
    }
}
