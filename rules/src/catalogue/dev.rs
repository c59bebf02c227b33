//! Devices.

rules! {
    ($) DEV doc_dev {
        DEV_01 = "DEV-01" {
            text: "Runtime resources are acquired in order: device first, then streams (and everything else that needs \
                a device).",
            misuse: "create_stream before set_device",
            consequence: "ACL_ERROR_RT_CONTEXT_NULL 107002",
            source: "Runtime resource allocation page; aclrtSetDevice",
            pages: [ResourcesInPython, ResourcesInC],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "A `Current` creates streams, events, memory and models. Only a `Context` of an open `Device` and \
                a `Runtime`, which has taken its device, lend a `Current`.",
        }
        DEV_02 = "DEV-02" {
            text: "Resources are released in reverse order: explicit streams first, the device last.",
            misuse: "reset_device, then destroy_stream on a stream made earlier",
            consequence: "vendor: possible service errors. Measured: the stream's handle is invalid (107017), and \
                using an event from before the reset crashes",
            source: "Runtime resource deallocation page; measured",
            pages: [ResourcesInPython, ResourcesInC],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "`Device::reset` takes the device by value, and a context's scope borrows the device. The scope \
                destroys its streams at its end. A `Runtime` destroys its streams when it is closed, and then resets \
                its device.",
            hole: "A scope whose teardown failed keeps its streams. The device then refuses to be reset.",
        }
        DEV_03 = "DEV-03" {
            text: "Setting a device implicitly creates exactly one default context and one default stream for that \
                device.",
            misuse: "assuming no stream exists until create_stream, or creating a second 'default' one",
            consequence: "none by itself; matters for quotas and ordering",
            source: "aclrtSetDevice, implicit objects",
            pages: [ResourcesInPython, ResourcesInC],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "`Device::default_context`, `Setup::default_context` and `Current::default_stream` are views of the \
                existing objects. None of them creates anything.",
        }
        DEV_04 = "DEV-04" {
            text: "Resetting the device implicitly releases its default context and default stream; they must not be \
                released separately.",
            misuse: "destroying the default stream or context and then resetting",
            consequence: "error from the destroy call (see CTX-02, STREAM-02)",
            source: "aclrtResetDevice, implicit release",
            pages: [ResourcesInPython, ResourcesInC],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "`DefaultStream` and `Context` have no method that destroys them. The scope of a default context, or \
                its runtime, leaves the context to the device.",
        }
        DEV_05 = "DEV-05" {
            text: "Device reset also releases every stream created under the default context (after waiting for its \
                tasks), so those stream handles are dead afterwards.",
            misuse: "using a stream created under the default context after aclrtResetDevice",
            consequence: "undefined / invalid handle",
            source: "aclrtResetDevice, function description",
            pages: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "The objects of a context, also of the default one, end with the context's scope or runtime. The \
                scope borrows the device, and a runtime gives it back last.",
        }
        DEV_06 = "DEV-06" {
            text: "aclrtSetDevice and aclrtResetDevice are counted per device; resources are only freed when resets \
                equal sets.",
            misuse: "two SetDevice calls and one ResetDevice, expecting the memory back",
            consequence: "device resources stay allocated",
            source: "aclrtSetDevice / aclrtResetDevice, reference count",
            pages: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "Each `Device` stands for one `aclrtSetDevice` and owes one `aclrtResetDevice`. `Device::reset` \
                or `Acl::close` makes that call.",
        }
        DEV_07 = "DEV-07" {
            text: "Resetting a device more often than it was set is an error.",
            misuse: "ResetDevice twice after one SetDevice",
            consequence: "ACL_ERROR_RT_CONTEXT_RELEASE_ERROR 507007 (measured)",
            source: "aclrtResetDeviceForce, misuse examples; measured",
            pages: [],
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
            pages: [],
            basis: "doc",
            priority: 2,
            class: RunTime,
            means: "`Device::recover` and `Runtime::close_by_force` reset by force when nothing else helps, and \
                `Device::reset_by_force` in any case, but only if every other part of the program that has taken the \
                device has given it up: its runtime was closed by force in vain or dropped, its `Device` was dropped, or \
                its recovery was refused. The reset ends these takes, too. Meanwhile taking or using the device returns `Error::DeviceShared`.",
            hole: "Other code in the process may have set the device, or may reset it by force itself.",
        }
        DEV_09 = "DEV-09" {
            text: "If counted and forced resets are mixed, the forced one has to be the last and the counts must \
                match.",
            misuse: "ResetDeviceForce followed by ResetDevice",
            consequence: "error returned",
            source: "aclrtResetDeviceForce, mixing rules",
            pages: [],
            basis: "doc",
            priority: 3,
            class: ByConstruction,
            means: "After a forced reset, of `Device::recover` for example, the crate does not reset the device again.",
            hole: "Other code in the process may mix the two.",
        }
        DEV_10 = "DEV-10" {
            text: "Teardown order inside a device: events and explicit streams, then explicit contexts, then the \
                reset.",
            misuse: "aclrtResetDevice while explicit contexts, streams or events exist",
            consequence: "service errors. Measured: the reset answers 0, streams are destroyed, using an event \
                crashes, explicit contexts live on",
            source: "aclrtResetDevice, constraints; acl_rt.h; measured",
            pages: [],
            basis: "doc+header+source",
            priority: 1,
            class: ByConstruction,
            means: "The end of a context's scope or of a `Runtime` releases everything in this order, including \
                forgotten handles. A scope borrows its device, and a `Runtime` has taken it, so no reset comes \
                before.",
            hole: "A stream that cannot be synchronised stops the teardown. The remaining objects stay, and the \
                device refuses to be reset.",
        }
        DEV_11 = "DEV-11" {
            text: "Device ids run from 0 to aclrtGetDeviceCount()-1.",
            misuse: "aclrtSetDevice(8) on an 8-device host",
            consequence: "ACL_ERROR_RT_INVALID_DEVICEID 107001 (measured)",
            source: "aclrtSetDevice; ACL_ERROR_RT_INVALID_DEVICEID; measured",
            pages: [],
            basis: "doc+source",
            priority: 2,
            class: RunTime,
            means: "`Acl::device` compares the number with `aclrtGetDeviceCount` before it sets the device.",
        }
        DEV_12 = "DEV-12" {
            text: "Asking for the current device fails if none was set on this thread.",
            misuse: "aclrtGetDevice on a fresh thread",
            consequence: "ACL_ERROR_RT_CONTEXT_NULL 107002 (measured)",
            source: "aclrtGetDevice, constraints; measured",
            pages: [],
            basis: "doc+source",
            priority: 3,
            class: ByConstruction,
            means: "`Device::id`, `Context::device_id` and `Current::device_id` return the number that was set. If \
                no device is given, `run` asks the library and treats the error as \"none\".",
        }
        DEV_13 = "DEV-13" {
            text: "Peer access is one-directional, is enabled from the device that is current, must not name the same \
                device, and its flags are reserved as 0; availability has to be queried first and only holds within \
                one process.",
            misuse: "enabling 0->1 once and then copying 1->0",
            consequence: "copy fails or call rejected",
            source: "aclrtDeviceEnablePeerAccess / CanAccessPeer",
            pages: [],
            basis: "doc",
            priority: 2,
            class: RunTime,
            means: "`Current::with_peer` compares the devices, asks the library, and enables the access with flags of 0, \
                each time; the current device is the one whose work copies. `Error::NoPeerAccess` says that the devices \
                are one, or do not reach each other.",
            hole: "The access stays enabled until the device is reset.",
        }
        DEV_14 = "DEV-14" {
            text: "Device limits only take effect when set at the right moment: process limits before aclrtSetDevice, \
                core limits after it but before work, saturation mode before the streams it should affect; repeated \
                settings overwrite.",
            misuse: "changing the saturation mode after creating the stream",
            consequence: "setting silently has no effect on existing objects",
            source: "aclrtDeviceSetLimit, aclrtSetDeviceResLimit, aclrtSetDeviceSatMode",
            pages: [],
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
            pages: [],
            basis: "doc",
            priority: 3,
            class: Limit,
            means: "Device numbers are those that `aclrtGetDeviceCount` counts. The crate does not convert other \
                ids.",
            hole: "The crate cannot tell the number space of a number that the program obtained elsewhere.",
        }
        DEV_16 = "DEV-16" {
            text: "On IPV350 there is no default context and no default stream.",
            misuse: "passing NULL as stream on IPV350",
            consequence: "error / unsupported",
            source: "aclrtSetDevice etc., product notes",
            pages: [],
            basis: "doc",
            priority: 3,
            class: Limit,
            means: "The library's refusal is an `Error::Vendor`.",
            hole: "This project does not know the name that the library reports for IPV350, so the crate does not \
                recognise the product.",
        }
        DEV_17 = "DEV-17" {
            text: "Device synchronisation waits on the context current for this thread (and its device), not on all \
                devices or on other threads' contexts.",
            misuse: "synchronising once and freeing buffers used by a stream of another context",
            consequence: "use of memory still in flight",
            source: "aclrtSynchronizeDevice",
            pages: [],
            basis: "doc+source",
            priority: 2,
            class: ByConstruction,
            means: "`Current::synchronize` waits for the work of its own context, and only memory of that context \
                counts as idle then. Memory that work of another context uses stays until that work has ended.",
        }
    }
}
