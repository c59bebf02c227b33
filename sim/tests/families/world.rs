//! A fresh machine for every call, and an object of each kind on it.

use crate::arguments::Kind;
use ascendcl_sim::{Config, control};
use ascendcl_sys::constants::ACL_EVENT_SYNC;
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;
use std::cell::{OnceCell, RefCell};
use std::ffi::CString;

const DIGITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits.onnx");
const SIZE: usize = 4096;

/// A live handle, and the handle of a destroyed object.
#[derive(Clone, Copy)]
pub(crate) struct Pair<T> {
    pub(crate) good: T,
    pub(crate) destroyed: T,
}

/// Objects are made when an argument first asks for them.
#[derive(Default)]
pub(crate) struct World {
    streams: OnceCell<Pair<aclrtStream>>,
    events: OnceCell<Pair<aclrtEvent>>,
    contexts: OnceCell<Pair<aclrtContext>>,
    instances: OnceCell<Pair<aclmdlRI>>,
    notifies: OnceCell<Pair<aclrtNotify>>,
    labels: OnceCell<Pair<aclrtLabel>>,
    label_lists: OnceCell<Pair<aclrtLabelList>>,
    tasks: OnceCell<Pair<aclmdlRITask>>,
    descriptors: OnceCell<Pair<aclrtAllocatorDesc>>,
    physical: OnceCell<Pair<aclrtDrvMemHandle>>,
    pools: OnceCell<Pair<aclrtMemPool>>,
    model: OnceCell<u32>,
    /// What places point to; every one is zero at first.
    places: RefCell<Vec<Box<[u64; SIZE / 8]>>>,
}

macro_rules! call {
    ($group:ident::$function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: places outlive the call and have room for what it stores; handles are looked up and never followed.
        unsafe { ascendcl_sim::exports::$group::$function($($argument),*) }
    };
}
macro_rules! ok {
    ($group:ident::$function:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(call!($group::$function($($argument),*)), 0, "{}", stringify!($function))
    };
}

/// Runs one call on a fresh machine with two devices.
pub(crate) fn with<R>(probe: impl FnOnce(&World) -> R) -> R {
    control::reset();
    control::configure(Config::new().devices(2)).unwrap();
    ok!(process::aclInit(core::ptr::null()));
    ok!(device::aclrtSetDevice(0));
    probe(&World::default())
}

impl World {
    /// The types of which a pointer is the handle of an object.
    pub(crate) const OBJECTS: &[&'static str] = &[
        "aclDataBuffer",
        "aclTensorDesc",
        "aclmdlDataset",
        "aclmdlDesc",
        "aclopHandle",
        "aclopAttr",
        "aclprofConfig",
        "aclprofStepInfo",
    ];

    /// The objects stay; the thread has no current context any more.
    pub(crate) fn leave_the_context(&self) {
        let mut own = aclrtContext::NULL;
        ok!(device::aclrtCreateContext(&mut own, 1));
        ok!(device::aclrtDestroyContext(own));
        let mut current = aclrtContext::NULL;
        assert_eq!(call!(device::aclrtGetCurrentContext(&mut current)), 107002);
        call!(process::aclrtGetLastError(aclrtLastErrLevel::ACL_RT_THREAD_LEVEL));
    }

    /// The thread goes to another context of the device.
    pub(crate) fn enter_another_context(&self) {
        let mut own = aclrtContext::NULL;
        ok!(device::aclrtCreateContext(&mut own, 0));
    }

    pub(crate) fn streams(&self) -> Pair<aclrtStream> {
        *self.streams.get_or_init(|| {
            let pair = two(aclrtStream::NULL, |stream| ok!(stream::aclrtCreateStream(stream)));
            ok!(stream::aclrtDestroyStream(pair.destroyed));
            pair
        })
    }

    /// The live one has been recorded.
    pub(crate) fn events(&self) -> Pair<aclrtEvent> {
        *self.events.get_or_init(|| {
            let flag = ACL_EVENT_SYNC | ascendcl_sys::constants::ACL_EVENT_TIME_LINE;
            let pair = two(aclrtEvent::NULL, |event| ok!(event::aclrtCreateEventWithFlag(event, flag)));
            ok!(event::aclrtDestroyEvent(pair.destroyed));
            ok!(event::aclrtRecordEvent(pair.good, self.streams().good));
            ok!(stream::aclrtSynchronizeStream(self.streams().good));
            pair
        })
    }

    pub(crate) fn contexts(&self) -> Pair<aclrtContext> {
        *self.contexts.get_or_init(|| {
            let pair = two(aclrtContext::NULL, |context| ok!(device::aclrtCreateContext(context, 0)));
            ok!(device::aclrtDestroyContext(pair.destroyed));
            ok!(device::aclrtSetDevice(0));
            pair
        })
    }

    pub(crate) fn instances(&self) -> Pair<aclmdlRI> {
        *self.instances.get_or_init(|| {
            let stream = two(aclrtStream::NULL, |stream| ok!(stream::aclrtCreateStream(stream))).good;
            let pair = two(aclmdlRI::NULL, |instance| {
                let mode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
                ok!(model_instance::aclmdlRICaptureBegin(stream, mode));
                ok!(model_instance::aclmdlRICaptureEnd(stream, instance));
            });
            ok!(model_instance::aclmdlRIDestroy(pair.destroyed));
            pair
        })
    }

    pub(crate) fn notifies(&self) -> Pair<aclrtNotify> {
        *self.notifies.get_or_init(|| {
            let pair = two(aclrtNotify::NULL, |notify| ok!(event::aclrtCreateNotify(notify, 0)));
            ok!(event::aclrtDestroyNotify(pair.destroyed));
            pair
        })
    }

    pub(crate) fn labels(&self) -> Pair<aclrtLabel> {
        *self.labels.get_or_init(|| {
            let pair = two(aclrtLabel::NULL, |label| ok!(kernel::aclrtCreateLabel(label)));
            ok!(kernel::aclrtDestroyLabel(pair.destroyed));
            pair
        })
    }

    pub(crate) fn label_lists(&self) -> Pair<aclrtLabelList> {
        *self.label_lists.get_or_init(|| {
            let pair = two(aclrtLabelList::NULL, |list| {
                let mut label = aclrtLabel::NULL;
                ok!(kernel::aclrtCreateLabel(&mut label));
                ok!(kernel::aclrtCreateLabelList(&mut label, 1, list));
            });
            ok!(kernel::aclrtDestroyLabelList(pair.destroyed));
            pair
        })
    }

    /// The destroyed one ended with its instance.
    pub(crate) fn tasks(&self) -> Pair<aclmdlRITask> {
        *self.tasks.get_or_init(|| {
            let stream = two(aclrtStream::NULL, |stream| ok!(stream::aclrtCreateStream(stream))).good;
            let mut instance = aclmdlRI::NULL;
            let pair = two(aclmdlRITask::NULL, |task| {
                let mode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
                ok!(model_instance::aclmdlRICaptureBegin(stream, mode));
                ok!(copy::aclrtMemsetAsync(self.memory(), 1, 1, 1, stream));
                ok!(model_instance::aclmdlRICaptureEnd(stream, &mut instance));
                let (mut own, mut streams, mut tasks) = (aclrtStream::NULL, 1, 1);
                ok!(model_instance::aclmdlRIGetStreams(instance, &mut own, &mut streams));
                ok!(model_instance::aclmdlRIGetTasksByStream(own, task, &mut tasks));
            });
            ok!(model_instance::aclmdlRIDestroy(instance));
            pair
        })
    }

    pub(crate) fn descriptors(&self) -> Pair<aclrtAllocatorDesc> {
        *self.descriptors.get_or_init(|| {
            let pair = two(aclrtAllocatorDesc::NULL, |desc| *desc = call!(allocator::aclrtAllocatorCreateDesc()));
            ok!(allocator::aclrtAllocatorDestroyDesc(pair.destroyed));
            pair
        })
    }

    pub(crate) fn pools(&self) -> Pair<aclrtMemPool> {
        *self.pools.get_or_init(|| {
            let properties = aclrtMemPoolProps {
                allocType: aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED,
                handleType: aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE,
                location: aclrtMemLocation { id: 0, kind: aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE },
                maxSize: 0,
                reserved: [0; 32],
            };
            let pair = two(aclrtMemPool::NULL, |pool| ok!(memory_pool::aclrtMemPoolCreate(pool, &properties)));
            ok!(memory_pool::aclrtMemPoolDestroy(pair.destroyed));
            pair
        })
    }

    pub(crate) fn physical(&self) -> Pair<aclrtDrvMemHandle> {
        *self.physical.get_or_init(|| {
            let properties = aclrtPhysicalMemProp {
                handleType: aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE,
                allocationType: aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED,
                memAttr: aclrtMemAttr::ACL_HBM_MEM_HUGE,
                location: aclrtMemLocation { id: 0, kind: aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE },
                reserve: 0,
            };
            let size = 2 << 20;
            let pair = two(aclrtDrvMemHandle::NULL, |handle| {
                ok!(memory::aclrtMallocPhysical(handle, size, &properties, 0));
            });
            ok!(memory::aclrtFreePhysical(pair.destroyed));
            pair
        })
    }

    pub(crate) fn model(&self) -> u32 {
        *self.model.get_or_init(|| {
            let mut id = 0;
            ok!(model::aclmdlLoadFromFile(CString::new(DIGITS).unwrap().as_ptr(), &mut id));
            id
        })
    }

    /// The number behind a live handle of some other kind.
    pub(crate) fn other_kind(&self, kind: Kind) -> *mut c_void {
        if kind == Kind::Event { self.streams().good.0 } else { self.events().good.0 }
    }

    /// The handle of an object behind a pointer of this type.
    pub(crate) fn object(&self, ty: &str, destroyed: bool) -> *mut c_void {
        macro_rules! object {
            ($create:expr, $destroy:expr) => {{
                let object = $create;
                assert!(!object.is_null(), "{ty}");
                if destroyed {
                    let _ = $destroy(object);
                }
                object.cast()
            }};
        }
        match ty {
            "aclDataBuffer" => object!(call!(base::aclCreateDataBuffer(self.memory(), 64)), |object| call!(
                base::aclDestroyDataBuffer(object)
            )),
            "aclTensorDesc" => object!(
                call!(tensor_desc::aclCreateTensorDesc(aclDataType::ACL_FLOAT, 1, &16, aclFormat::ACL_FORMAT_ND)),
                |object| call!(tensor_desc::aclDestroyTensorDesc(object))
            ),
            "aclmdlDataset" => {
                object!(call!(model::aclmdlCreateDataset()), |object| call!(model::aclmdlDestroyDataset(object)))
            }
            "aclmdlDesc" => object!(
                {
                    let desc = call!(model::aclmdlCreateDesc());
                    ok!(model::aclmdlGetDesc(desc, self.model()));
                    desc
                },
                |object| call!(model::aclmdlDestroyDesc(object))
            ),
            "aclopAttr" => {
                object!(call!(operator::aclopCreateAttr()), |object| call!(operator::aclopDestroyAttr(object)))
            }
            "aclopHandle" => object!(
                {
                    let desc: *mut aclTensorDesc = self.object("aclTensorDesc", false).cast();
                    let (mut handle, cast, tensor) = (null_mut(), c"Cast".as_ptr(), desc.cast_const());
                    let attributes = call!(operator::aclopCreateAttr());
                    ok!(operator::aclopSetAttrInt(attributes, c"dst_type".as_ptr(), 0));
                    let (engine, way) = (aclopEngineType::ACL_ENGINE_SYS, aclopCompileType::ACL_COMPILE_SYS);
                    let none = core::ptr::null();
                    ok!(op_compiler::aclopCompile(cast, 1, &tensor, 1, &tensor, attributes, engine, way, none));
                    call!(operator::aclopDestroyAttr(attributes));
                    ok!(operator::aclopCreateHandleForCast(desc, desc, 0, &mut handle));
                    handle
                },
                |object| call!(operator::aclopDestroyHandle(object))
            ),
            "aclprofConfig" => object!(
                {
                    let mut device = 0;
                    let metrics = aclprofAicoreMetrics::ACL_AICORE_ARITHMETIC_UTILIZATION;
                    call!(profiling::aclprofCreateConfig(&mut device, 1, metrics, core::ptr::null(), 1))
                },
                |object| call!(profiling::aclprofDestroyConfig(object))
            ),
            "aclprofStepInfo" => object!(call!(profiling::aclprofCreateStepInfo()), |object| call!(
                profiling::aclprofDestroyStepInfo(object)
            )),
            other => panic!("nothing makes {other}"),
        }
    }

    /// Memory of the device.
    pub(crate) fn memory(&self) -> *mut c_void {
        let mut address = null_mut();
        ok!(memory::aclrtMalloc(&mut address, SIZE, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
        address
    }

    /// A text that does for an argument of this name.
    pub(crate) fn text(&self, name: &str) -> *mut c_void {
        let text = match name {
            "model_path" => DIGITS,
            // A folder that is there, in one letter, as the lengths that go with texts say.
            "model_dir" | "profiler_result_path" => ".",
            // A file that is no model.
            "file_name" => concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
            // A file that is written.
            "path" => "/dev/null",
            _ => "x",
        };
        assert!(text.len() < SIZE);
        let place = self.zeroed();
        // SAFETY: the place has room for the text and the zero behind it.
        unsafe { core::ptr::copy_nonoverlapping(text.as_ptr(), place.cast(), text.len()) };
        place
    }

    /// A place for a value of this type, or a list of the objects that it points to.
    pub(crate) fn place(&self, ty: &str, name: &str) -> *mut c_void {
        if ty.ends_with("c_void") && !ty.starts_with('*') {
            return if name.contains("host") { self.zeroed() } else { self.memory() };
        }
        let place = self.zeroed();
        if let Some(object) = Self::OBJECTS.iter().find(|object| ty.starts_with('*') && ty.ends_with(**object)) {
            // SAFETY: the place has room for a pointer.
            unsafe { place.cast::<*mut c_void>().write(self.object(object, false)) };
        }
        place
    }

    fn zeroed(&self) -> *mut c_void {
        let mut place = Box::new([0; SIZE / 8]);
        let address = place.as_mut_ptr().cast();
        self.places.borrow_mut().push(place);
        address
    }
}

fn two<T: Copy>(null: T, mut make: impl FnMut(&mut T)) -> Pair<T> {
    let (mut good, mut destroyed) = (null, null);
    make(&mut good);
    make(&mut destroyed);
    Pair { good, destroyed }
}
