//! One random call: a function, and which handles it is given.

use crate::reports::own_thread;
use crate::support::*;
use ascendcl_sim::exports::{operator::*, tensor_desc::*};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::{null, null_mut, without_provenance_mut};
use std::sync::Mutex;

/// The function, and three numbers that choose its arguments.
pub(crate) type Call = [u8; 4];

/// Every handle that was ever given out, by kind. None is taken out, so most of them are stale.
#[derive(Default)]
pub(crate) struct Handles {
    any: Mutex<Vec<usize>>,
    streams: Mutex<Vec<usize>>,
    events: Mutex<Vec<usize>>,
    contexts: Mutex<Vec<usize>>,
    blocks: Mutex<Vec<usize>>,
    datasets: Mutex<Vec<usize>>,
    buffers: Mutex<Vec<usize>>,
    descriptors: Mutex<Vec<usize>>,
    tensors: Mutex<Vec<usize>>,
    models: Mutex<Vec<usize>>,
    pub(crate) instances: Mutex<Vec<usize>>,
    pub(crate) groups: Mutex<Vec<usize>>,
    pub(crate) physical: Mutex<Vec<usize>>,
    /// Addresses that were reserved, mapped or not.
    pub(crate) ranges: Mutex<Vec<usize>>,
    /// Ordinary memory of the program's.
    own: Vec<u8>,
    /// What each thread is at.
    at: Mutex<BTreeMap<u64, (usize, Call)>>,
}

pub(crate) const BYTES: usize = 256;
const PAGE: usize = 4096;
/// How many functions there are in this file, and how many in `newer`.
const HERE: u8 = 52;
const NEWER: u8 = 40;

unsafe extern "C" fn nothing(_: *mut c_void) {}

unsafe extern "C" fn gives_nothing(_: aclrtAllocator, _: usize) -> *mut c_void {
    null_mut()
}

unsafe extern "C" fn takes_it(_: aclrtAllocator, _: aclrtAllocatorBlock) {}

unsafe extern "C" fn no_address(_: aclrtAllocatorBlock) -> *mut c_void {
    null_mut()
}

impl Handles {
    pub(crate) fn new() -> Self {
        Self { own: vec![0; 2 * PAGE], ..Self::default() }
    }

    pub(crate) fn run(&self, calls: &[Call]) {
        for (index, call) in calls.iter().enumerate() {
            self.at.lock().unwrap().insert(own_thread(), (index, *call));
            let [function, choices @ ..] = *call;
            match function % (HERE + NEWER) {
                old @ 0..HERE => self.call([old, choices[0], choices[1], choices[2]]),
                new => self.newer(new - HERE, choices),
            }
        }
        // What was asked for is read, and costs nothing.
        message();
    }

    /// What each thread is at: the index of its call, and the call.
    pub(crate) fn at(&self) -> String {
        format!("{:?}", self.at.lock().unwrap().values())
    }

    /// A handle of this kind, or now and then null, or one of any kind.
    pub(crate) fn pick(&self, of: &Mutex<Vec<usize>>, choice: u8) -> *mut c_void {
        let list = match choice % 16 {
            0 => return null_mut(),
            1 => &self.any,
            _ => of,
        };
        let list = list.lock().unwrap();
        let number = list.len().checked_sub(1).map_or(0x40, |last| list[last - usize::from(choice / 16) % list.len()]);
        without_provenance_mut(number)
    }

    /// An address: memory is followed, so it is a block's, live or freed, or the program's own, or null.
    pub(crate) fn memory(&self, choice: u8) -> *mut c_void {
        let blocks = self.blocks.lock().unwrap();
        match choice % 8 {
            0 => null_mut(),
            1 => self.own.as_ptr().cast_mut().cast(),
            _ if blocks.is_empty() => null_mut(),
            _ => {
                let last = blocks.len() - 1;
                let start = blocks[last - usize::from(choice / 16) % blocks.len()];
                without_provenance_mut(start + if choice % 8 == 2 { 64 } else { 0 })
            }
        }
    }

    pub(crate) fn keep(&self, of: &Mutex<Vec<usize>>, handle: *mut c_void) {
        if !handle.is_null() {
            of.lock().unwrap().push(handle.addr());
            self.any.lock().unwrap().push(handle.addr());
        }
    }

    /// A page of the program's.
    pub(crate) fn page(&self) -> *mut c_void {
        let start = self.own.as_ptr();
        start.wrapping_byte_add(start.addr().next_multiple_of(PAGE) - start.addr()).cast_mut().cast()
    }

    pub(crate) fn stream(&self, choice: u8) -> aclrtStream {
        aclrtStream(self.pick(&self.streams, choice))
    }

    pub(crate) fn model(&self, choice: u8) -> u32 {
        u32::try_from(self.pick(&self.models, choice).addr()).unwrap_or(7)
    }

    #[expect(clippy::too_many_lines, reason = "a table: one arm per function")]
    fn call(&self, [function, a, b, c]: Call) {
        let stream = |choice| self.stream(choice);
        let event = |choice| aclrtEvent(self.pick(&self.events, choice));
        let context = |choice| aclrtContext(self.pick(&self.contexts, choice));
        let dataset = |choice| self.pick(&self.datasets, choice).cast::<aclmdlDataset>();
        let buffer = |choice| self.pick(&self.buffers, choice).cast::<aclDataBuffer>();
        let tensor = |choice| self.pick(&self.tensors, choice).cast::<aclTensorDesc>();
        let descriptor = |choice| aclrtAllocatorDesc(self.pick(&self.descriptors, choice));
        let model = |choice| self.model(choice);
        let bytes = |choice: u8| [0, 1, 64, BYTES][usize::from(choice) % 4];
        let kind = |choice: u8| aclrtMemcpyKind(u32::from(choice) % 7);
        let device = |choice: u8| i32::from(choice % 4) - 1;
        let milliseconds = |choice: u8| i32::from(choice % 4) - 1;
        let mut place = null_mut();
        match function {
            0 => drop(acl!(aclInit(null()))),
            1 if a % 8 == 0 => drop(acl!(aclFinalize())),
            2..=4 => drop(acl!(aclrtSetDevice(device(a)))),
            5 if a % 4 == 0 => drop(acl!(aclrtResetDevice(device(b)))),
            6 if a % 16 == 0 => drop(acl!(aclrtResetDeviceForce(device(b)))),
            7 => {
                let mut made = aclrtContext::NULL;
                acl!(aclrtCreateContext(&mut made, device(a)));
                self.keep(&self.contexts, made.0);
            }
            8 if a % 4 == 0 => drop(acl!(aclrtDestroyContext(context(b)))),
            9 => drop(acl!(aclrtSetCurrentContext(context(a)))),
            10 | 11 => {
                let mut made = aclrtStream::NULL;
                let flags = [0, ACL_STREAM_PERSISTENT, ACL_STREAM_FAST_LAUNCH, 0][usize::from(a) % 4];
                acl!(aclrtCreateStreamWithConfig(&mut made, 0, flags));
                self.keep(&self.streams, made.0);
            }
            12 => drop(acl!(aclrtDestroyStream(stream(a)))),
            13 => drop(acl!(aclrtDestroyStreamForce(stream(a)))),
            14 => drop(acl!(aclrtStreamAbort(stream(a)))),
            15 => drop(acl!(aclrtSynchronizeStream(stream(a)))),
            16 => drop(acl!(aclrtSynchronizeStreamWithTimeout(stream(a), milliseconds(b)))),
            17 => drop(acl!(aclrtSynchronizeDeviceWithTimeout(milliseconds(a)))),
            18 => drop(acl!(aclrtStreamQuery(stream(a), &mut aclrtStreamStatus(0)))),
            19 | 20 => {
                let mut made = aclrtEvent::NULL;
                match a % 3 {
                    0 => acl!(aclrtCreateEvent(&mut made)),
                    1 => acl!(aclrtCreateEventWithFlag(&mut made, u32::from(b % 16))),
                    _ => acl!(aclrtCreateEventExWithFlag(&mut made, u32::from(b % 16))),
                };
                self.keep(&self.events, made.0);
            }
            21 => drop(acl!(aclrtDestroyEvent(event(a)))),
            22 | 23 => drop(acl!(aclrtRecordEvent(event(a), stream(b)))),
            24 => drop(acl!(aclrtResetEvent(event(a), stream(b)))),
            25 | 26 => drop(acl!(aclrtStreamWaitEvent(stream(a), event(b)))),
            27 => drop(acl!(aclrtSynchronizeEventWithTimeout(event(a), milliseconds(b)))),
            28 => drop(acl!(aclrtEventElapsedTime(&mut 0.0, event(a), event(b)))),
            29 => drop(acl!(aclrtQueryEventStatus(event(a), &mut aclrtEventRecordedStatus(0)))),
            30 | 31 => {
                acl!(aclrtMalloc(&mut place, bytes(a), aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
                self.keep(&self.blocks, place);
            }
            32 => {
                acl!(aclrtMallocHost(&mut place, bytes(a)));
                self.keep(&self.blocks, place);
            }
            33 => drop(acl!(aclrtFree(self.memory(a)))),
            34 => drop(acl!(aclrtFreeHost(self.memory(a)))),
            35 => drop(acl!(aclrtFreeWithDevSync(self.memory(a)))),
            36 | 37 => {
                acl!(aclrtMemcpyAsync(self.memory(a), bytes(c), self.memory(b), bytes(c / 4), kind(a / 8), stream(c)));
            }
            38 => drop(acl!(aclrtMemcpy(self.memory(a), bytes(c), self.memory(b), bytes(c / 4), kind(c / 16)))),
            39 => drop(acl!(aclrtMemsetAsync(self.memory(a), bytes(b), 1, bytes(b / 4), stream(c)))),
            40 => drop(acl!(aclrtLaunchHostFunc(stream(a), Some(nothing), null_mut()))),
            41 => {
                acl!(aclrtSubscribeReport(u64::from(a % 4), stream(b)));
                let block = aclrtCallbackBlockType::ACL_CALLBACK_NO_BLOCK;
                acl!(aclrtLaunchCallback(Some(nothing), null_mut(), block, stream(b)));
                acl!(aclrtUnSubscribeReport(u64::from(c % 4), stream(b)));
            }
            42 => self.keep(&self.datasets, acl!(aclmdlCreateDataset()).cast()),
            43 => self.keep(&self.buffers, acl!(aclCreateDataBuffer(self.memory(a), bytes(b))).cast()),
            44 => drop(acl!(aclmdlAddDatasetBuffer(dataset(a), buffer(b)))),
            45 if a % 2 == 0 => drop(acl!(aclmdlDestroyDataset(dataset(b)))),
            45 => drop(acl!(aclDestroyDataBuffer(buffer(b)))),
            46 => {
                let dims = [i64::from(a % 4), i64::from(b % 3) - 1];
                let made =
                    acl!(aclCreateTensorDesc(aclDataType::ACL_FLOAT, 2, dims.as_ptr(), aclFormat::ACL_FORMAT_ND));
                self.keep(&self.tensors, made.cast());
            }
            47 => drop(acl!(aclmdlSetDatasetTensorDesc(dataset(a), tensor(b), usize::from(c % 3)))),
            48 if a % 2 == 0 => acl!(aclDestroyTensorDesc(tensor(b))),
            48 => {
                let id = model(a);
                let (inputs, outputs) = (dataset(b), dataset(c));
                acl!(aclmdlExecuteAsync(id, inputs, outputs, stream(a)));
                acl!(aclmdlUnload(id));
            }
            49 => {
                let mut id = 0;
                let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits.onnx\0");
                if a % 4 == 0 && acl!(aclmdlLoadFromFile(path.as_ptr().cast(), &mut id)) == ACL_SUCCESS {
                    self.keep(&self.models, without_provenance_mut(id as usize));
                }
            }
            50 => {
                let made = acl!(aclrtAllocatorCreateDesc());
                self.keep(&self.descriptors, made.0);
                acl!(aclrtAllocatorSetObjToDesc(made, aclrtAllocator(without_provenance_mut(0x80))));
                acl!(aclrtAllocatorSetAllocFuncToDesc(made, Some(gives_nothing)));
                acl!(aclrtAllocatorSetFreeFuncToDesc(made, Some(takes_it)));
                acl!(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(made, Some(no_address)));
                acl!(aclrtAllocatorRegister(stream(a), descriptor(b)));
            }
            _ => {
                acl!(aclrtAllocatorUnregister(stream(a)));
                acl!(aclrtAllocatorDestroyDesc(descriptor(b)));
                let (descs, buffers) = ([tensor(a).cast_const()], [buffer(b).cast_const()]);
                let (out_descs, outs) = ([tensor(c).cast_const()], [buffer(c)]);
                acl!(aclopExecute(
                    c"Relu".as_ptr(),
                    1,
                    descs.as_ptr(),
                    buffers.as_ptr(),
                    1,
                    out_descs.as_ptr(),
                    outs.as_ptr(),
                    null(),
                    stream(a)
                ));
            }
        }
    }
}
