//! Arguments by their C types: a good one, and the wrong ones.

use crate::world::World;
use ascendcl_sys::types::*;
use core::ffi::{c_int, c_void};
use core::ptr::without_provenance_mut;
use std::fmt;

/// What an argument is to the library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    Stream,
    Event,
    Context,
    Instance,
    /// Another handle, by its type's name.
    Object(&'static str),
    Pointer,
    Text,
    Device,
    Model,
    Enumeration,
    Callback,
    Number,
}

/// In what way an argument is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Wrong {
    Null,
    /// A handle that never was one.
    Bogus,
    Destroyed,
    /// A handle of an object of another kind.
    OtherKind,
    Negative,
    /// No such device, model or name.
    Unknown,
}

impl Kind {
    pub(crate) fn wrong(self) -> &'static [Wrong] {
        match self {
            Self::Stream | Self::Event | Self::Context | Self::Instance => {
                &[Wrong::Null, Wrong::Bogus, Wrong::Destroyed, Wrong::OtherKind]
            }
            Self::Object(_) => &[Wrong::Null, Wrong::Bogus, Wrong::Destroyed],
            Self::Pointer | Self::Text | Self::Callback => &[Wrong::Null],
            Self::Device => &[Wrong::Negative, Wrong::Unknown],
            Self::Model | Self::Enumeration => &[Wrong::Unknown],
            Self::Number => &[],
        }
    }

    /// The family's name in the file.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Event => "event",
            Self::Context => "context",
            Self::Instance => "instance",
            Self::Object(_) => "object",
            Self::Pointer => "pointer",
            Self::Text => "text",
            Self::Device => "device",
            Self::Model => "model",
            Self::Enumeration => "enumeration",
            Self::Callback => "callback",
            Self::Number => "number",
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Null => "null",
            Self::Bogus => "bogus",
            Self::Destroyed => "destroyed",
            Self::OtherKind => "of another kind",
            Self::Negative => "negative",
            Self::Unknown => "unknown",
        })
    }
}

pub(crate) trait Argument {
    fn kind(name: &str) -> Kind;
    fn choose(name: &str, world: &World, wrong: Option<Wrong>) -> Self;
}

const NEVER_A_HANDLE: usize = 0x1234;

macro_rules! handles {
    ($($ty:ident: $kind:expr, $member:ident;)*) => { $(
        impl Argument for $ty {
            fn kind(_: &str) -> Kind {
                $kind
            }
            fn choose(_: &str, world: &World, wrong: Option<Wrong>) -> Self {
                match wrong {
                    None => world.$member().good,
                    Some(Wrong::Null) => Self::NULL,
                    Some(Wrong::Destroyed) => world.$member().destroyed,
                    Some(Wrong::OtherKind) => Self(world.other_kind($kind)),
                    Some(_) => Self(without_provenance_mut(NEVER_A_HANDLE)),
                }
            }
        }
    )* };
}
handles! {
    aclrtStream: Kind::Stream, streams;
    aclrtEvent: Kind::Event, events;
    aclrtContext: Kind::Context, contexts;
    aclmdlRI: Kind::Instance, instances;
    aclrtNotify: Kind::Object("aclrtNotify"), notifies;
    aclrtLabel: Kind::Object("aclrtLabel"), labels;
    aclrtLabelList: Kind::Object("aclrtLabelList"), label_lists;
    aclmdlRITask: Kind::Object("aclmdlRITask"), tasks;
    aclrtAllocatorDesc: Kind::Object("aclrtAllocatorDesc"), descriptors;
    aclrtDrvMemHandle: Kind::Object("aclrtDrvMemHandle"), physical;
    aclrtMemPool: Kind::Object("aclrtMemPool"), pools;
}

impl Argument for aclrtAllocator {
    fn kind(_: &str) -> Kind {
        Kind::Pointer
    }
    fn choose(_: &str, world: &World, wrong: Option<Wrong>) -> Self {
        if wrong.is_some() { Self::NULL } else { Self(world.memory()) }
    }
}
/// This device has none, so no handle is valid.
macro_rules! never_made {
    ($($ty:ident),*) => { $(
        impl Argument for $ty {
            fn kind(_: &str) -> Kind {
                Kind::Object(stringify!($ty))
            }
            fn choose(_: &str, _: &World, wrong: Option<Wrong>) -> Self {
                if wrong == Some(Wrong::Null) { Self::NULL } else { Self(without_provenance_mut(NEVER_A_HANDLE)) }
            }
        }
    )* };
}
never_made!(aclrtCntNotify, aclmdlRICondHandle, acltdtBuf);

impl Argument for aclmdlRICondTaskParams {
    fn kind(_: &str) -> Kind {
        Kind::Number
    }
    fn choose(_: &str, _: &World, _: Option<Wrong>) -> Self {
        let kind = aclmdlRICondTaskType::ACL_MODEL_RI_COND_TYPE_IF;
        Self { handle: aclmdlRICondHandle::NULL, kind, size: 0, modelRIArray: core::ptr::null_mut() }
    }
}
impl Argument for aclrtIpcEventHandle {
    fn kind(_: &str) -> Kind {
        Kind::Number
    }
    fn choose(_: &str, _: &World, _: Option<Wrong>) -> Self {
        Self { reserved: [0; 64] }
    }
}
impl Argument for aclrtTaskGrp {
    fn kind(_: &str) -> Kind {
        Kind::Object("aclrtTaskGrp")
    }
    fn choose(_: &str, _: &World, wrong: Option<Wrong>) -> Self {
        if wrong == Some(Wrong::Null) { Self::NULL } else { Self(without_provenance_mut(NEVER_A_HANDLE)) }
    }
}

/// A pointer to one of the library's objects is a handle, any other one a place in memory: its type tells.
fn pointer_kind<T>() -> Kind {
    let ty = std::any::type_name::<T>();
    let short = ty.rsplit("::").next().unwrap_or(ty);
    match World::OBJECTS.iter().find(|known| **known == short && !ty.starts_with('*')) {
        Some(known) => Kind::Object(known),
        None if ty == "i8" || ty == "u8" => Kind::Text,
        None => Kind::Pointer,
    }
}

fn pointer<T>(name: &str, world: &World, wrong: Option<Wrong>) -> *mut T {
    let kind = pointer_kind::<T>();
    match (kind, wrong) {
        (_, Some(Wrong::Null)) => core::ptr::null_mut(),
        (_, Some(Wrong::Bogus)) => without_provenance_mut(NEVER_A_HANDLE),
        (Kind::Object(ty), wrong) => world.object(ty, wrong == Some(Wrong::Destroyed)).cast(),
        (Kind::Text, _) => world.text(name).cast(),
        _ => world.place(std::any::type_name::<T>(), name).cast(),
    }
}

/// A reserved argument has to be null.
const RESERVED: &str = "reserve";

impl<T> Argument for *mut T {
    fn kind(name: &str) -> Kind {
        if name == RESERVED { Kind::Number } else { pointer_kind::<T>() }
    }
    fn choose(name: &str, world: &World, wrong: Option<Wrong>) -> Self {
        if name == RESERVED { core::ptr::null_mut() } else { pointer(name, world, wrong) }
    }
}
impl<T> Argument for *const T {
    fn kind(name: &str) -> Kind {
        <*mut T as Argument>::kind(name)
    }
    fn choose(name: &str, world: &World, wrong: Option<Wrong>) -> Self {
        <*mut T as Argument>::choose(name, world, wrong).cast_const()
    }
}

macro_rules! numbers {
    ($($ty:ty),*) => { $(
        impl Argument for $ty {
            fn kind(name: &str) -> Kind {
                match name {
                    "device_id" | "peer_device_id" => Kind::Device,
                    "model_id" => Kind::Model,
                    _ => Kind::Number,
                }
            }
            fn choose(name: &str, world: &World, wrong: Option<Wrong>) -> Self {
                match (name, wrong) {
                    (_, Some(Wrong::Negative)) => (0 as $ty).wrapping_sub(1),
                    (_, Some(_)) => 99,
                    ("device_id", _) => 0,
                    ("peer_device_id", _) => 1,
                    ("model_id", _) => world.model() as $ty,
                    ("flag" | "flags" | "reserve" | "index" | "virtual_addr_offset" | "offset", _) => 0,
                    _ if name.contains("size") || name.contains("count") || name.contains("max") => 64,
                    _ => 1,
                }
            }
        }
    )* };
}
numbers!(i8, u8, i16, u16, c_int, u32, i64, u64, usize);

impl Argument for aclrtMemManagedLocation {
    fn kind(_: &str) -> Kind {
        Kind::Number
    }
    fn choose(_: &str, _: &World, _: Option<Wrong>) -> Self {
        Self { kind: aclrtMemManagedLocationType::ACL_MEM_LOCATIONTYPE_DEVICE, id: 0 }
    }
}

impl Argument for f32 {
    fn kind(_: &str) -> Kind {
        Kind::Number
    }
    fn choose(_: &str, _: &World, _: Option<Wrong>) -> Self {
        1.0
    }
}

macro_rules! enumerations {
    ($($ty:ident = $good:ident),* $(,)?) => { $(
        impl Argument for $ty {
            fn kind(_: &str) -> Kind {
                Kind::Enumeration
            }
            fn choose(_: &str, _: &World, wrong: Option<Wrong>) -> Self {
                if wrong.is_some() { Self(12345) } else { Self::$good }
            }
        }
    )* };
}
enumerations! {
    aclmdlRICaptureMode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL,
    aclrtHostRegisterType = ACL_HOST_REGISTER_MAPPED,
    aclrtIpcMemAttrType = ACL_RT_IPC_MEM_ATTR_ACCESS_LINK,
    aclrtMemHandleType = ACL_MEM_HANDLE_TYPE_NONE,
    aclrtMemSharedHandleType = ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT,
    aclrtMemManagedAdviseType = ACL_MEM_ADVISE_SET_READ_MOSTLY,
    aclrtMemManagedRangeAttribute = ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
    aclrtMemGranularityOptions = ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM,
    aclrtStreamAttr = ACL_STREAM_ATTR_FAILURE_MODE,
    aclrtDevResLimitType = ACL_RT_DEV_RES_CUBE_CORE,
    aclrtDeviceLimit = ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE,
    aclrtFloatOverflowMode = ACL_RT_OVERFLOW_MODE_SATURATION,
    aclCompileOpt = ACL_PRECISION_MODE,
    aclmdlAttr = ACL_MDL_ATTR_PRIORITY_INT32,
    aclmdlConfigAttr = ACL_MDL_PRIORITY_INT32,
    aclmdlExecConfigAttr = ACL_MDL_STREAM_SYNC_TIMEOUT,
    aclrtStreamConfigAttr = ACL_RT_STREAM_PRIORITY,
    aclprofAicoreMetrics = ACL_AICORE_ARITHMETIC_UTILIZATION,
    aclprofConfigType = ACL_PROF_STORAGE_LIMIT,
    aclprofStepTag = ACL_STEP_START,
    aclTransType = ACL_TRANS_N,
    aclComputeType = ACL_COMPUTE_HIGH_PRECISION,
    aclopEngineType = ACL_ENGINE_SYS,
    aclopCompileType = ACL_COMPILE_SYS,
    aclOpCompileFlag = ACL_OP_COMPILE_DEFAULT,
    aclDataType = ACL_FLOAT,
    aclDeviceInfo = ACL_DEVICE_INFO_UNDEFINED,
    aclFormat = ACL_FORMAT_NCHW,
    aclMemType = ACL_MEMTYPE_HOST,
    aclrtCallbackBlockType = ACL_CALLBACK_NO_BLOCK,
    aclRegisterCallbackType = ACL_REG_TYPE_ACL_MODEL,
    aclrtDevAttr = ACL_DEV_ATTR_AICPU_CORE_NUM,
    aclrtDevFeatureType = ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV,
    aclrtLastErrLevel = ACL_RT_THREAD_LEVEL,
    aclrtMemAttr = ACL_HBM_MEM,
    aclrtMemMallocPolicy = ACL_MEM_MALLOC_HUGE_FIRST,
    aclmdlRICondHandleFlag = ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT,
    aclrtMemPoolAttr = ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD,
    aclrtReduceKind = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
    aclrtMemcpyKind = ACL_MEMCPY_DEVICE_TO_DEVICE,
    aclCANNPackageName = ACL_PKG_NAME_CANN,
    aclSysParamOpt = ACL_OPT_DETERMINISTIC,
    aclrtTsId = ACL_TS_ID_AICORE,
    aclrtCondition = ACL_RT_EQUAL,
    aclrtCompareDataType = ACL_RT_SWITCH_INT32,
    aclrtCmoType = ACL_RT_CMO_TYPE_PREFETCH,
    aclCannAttr = ACL_CANN_ATTR_BF16,
    acldvppPixelFormat = PIXEL_FORMAT_YUV_400,
    acldvppStreamFormat = H265_MAIN_LEVEL,
    acltdtTensorType = ACL_TENSOR_DATA_TENSOR,
    acldumpType = DATA_DUMP,
    acltdtQueueAttrType = ACL_TDT_QUEUE_DEPTH_UINT32,
    acltdtQueueRouteParamType = ACL_TDT_QUEUE_ROUTE_SRC_UINT32,
    acltdtQueueRouteQueryInfoParamType = ACL_TDT_QUEUE_ROUTE_QUERY_MODE_ENUM,
    aclAippInputFormat = ACL_RGB888_U8,
}

macro_rules! callbacks {
    ($($ty:ty: $function:expr;)*) => { $(
        impl Argument for $ty {
            fn kind(_: &str) -> Kind {
                Kind::Callback
            }
            fn choose(_: &str, _: &World, wrong: Option<Wrong>) -> Self {
                if wrong.is_some() { None } else { Some($function) }
            }
        }
    )* };
}

unsafe extern "C" fn done(_: *mut c_void) {}
unsafe extern "C" fn allocate(_: aclrtAllocator, _: usize) -> *mut c_void {
    core::ptr::null_mut()
}
unsafe extern "C" fn release(_: aclrtAllocator, _: aclrtAllocatorBlock) {}
unsafe extern "C" fn advise(_: aclrtAllocator, _: usize, _: aclrtAllocatorAddr) -> *mut c_void {
    core::ptr::null_mut()
}
unsafe extern "C" fn address(_: aclrtAllocatorBlock) -> *mut c_void {
    core::ptr::null_mut()
}
unsafe extern "C" fn of_stream(_: aclrtStream, _: aclrtStreamState, _: *mut c_void) {}
unsafe extern "C" fn of_device(_: i32, _: aclrtDeviceState, _: *mut c_void) {}
unsafe extern "C" fn of_abort(_: i32, _: aclrtDeviceTaskAbortStage, _: u32, _: *mut c_void) -> i32 {
    0
}
unsafe extern "C" fn of_failure(_: *mut aclrtExceptionInfo) {}
unsafe extern "C" fn of_start(_: *const core::ffi::c_char, _: usize, _: *mut c_void) -> aclError {
    0
}
unsafe extern "C" fn of_end(_: *mut c_void) -> aclError {
    0
}
unsafe extern "C" fn of_kernels(
    _: c_int,
    _: *const *const aclTensorDesc,
    _: c_int,
    _: *const *const aclTensorDesc,
    _: *const aclopAttr,
    _: *mut aclopKernelDesc,
) -> aclError {
    0
}
unsafe extern "C" fn of_dump(_: *const acldumpChunk, _: i32) -> i32 {
    0
}
callbacks! {
    aclopCompileFunc: of_kernels;
    acldumpCallback: of_dump;
    aclrtStreamStateCallback: of_stream;
    aclrtDeviceStateCallback: of_device;
    aclrtDeviceTaskAbortCallback: of_abort;
    aclrtExceptionInfoCallback: of_failure;
    aclInitCallbackFunc: of_start;
    aclFinalizeCallbackFunc: of_end;
    aclrtCallback: done;
    aclrtAllocatorAllocFunc: allocate;
    aclrtAllocatorFreeFunc: release;
    aclrtAllocatorAllocAdviseFunc: advise;
    aclrtAllocatorGetAddrFromBlockFunc: address;
}
