//! Random calls: capture and replay, virtual memory, batches, registration, callbacks that hold up, and runs of models and
//! operators that are valid but for what the other calls do to them.

use crate::calls::{BYTES, Handles};
use crate::reports::{one_of, own_thread};
use crate::support::*;
use ascendcl_sim::exports::{model_instance::*, operator::*, tensor_desc::*};
use std::ffi::c_void;
use std::ptr::{null, null_mut, without_provenance_mut};

const UNIT: usize = 2 << 20;

fn properties() -> aclrtPhysicalMemProp {
    aclrtPhysicalMemProp {
        handleType: aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE,
        allocationType: aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED,
        memAttr: aclrtMemAttr::ACL_HBM_MEM_HUGE,
        location: aclrtMemLocation { id: 0, kind: aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE },
        reserve: 0,
    }
}

/// An allocator that has its blocks from the device.
unsafe extern "C" fn gives(_: aclrtAllocator, bytes: usize) -> *mut c_void {
    let mut place = null_mut();
    acl!(aclrtMalloc(&mut place, bytes, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
    place
}

/// It first waits for blocks that are in use.
unsafe extern "C" fn waits_and_gives(allocator: aclrtAllocator, bytes: usize) -> *mut c_void {
    acl!(aclrtSynchronizeDevice());
    // SAFETY: any arguments do.
    unsafe { gives(allocator, bytes) }
}

unsafe extern "C" fn takes(_: aclrtAllocator, block: aclrtAllocatorBlock) {
    acl!(aclrtFree(block.0));
}

unsafe extern "C" fn address(block: aclrtAllocatorBlock) -> *mut c_void {
    block.0
}

fn tensor(dims: &[i64]) -> *mut aclTensorDesc {
    let (rank, format) = (i32::try_from(dims.len()).unwrap(), aclFormat::ACL_FORMAT_ND);
    acl!(aclCreateTensorDesc(aclDataType::ACL_FLOAT, rank, dims.as_ptr(), format))
}

impl Handles {
    #[expect(clippy::too_many_lines, reason = "a table: one arm per function")]
    pub(crate) fn newer(&self, function: u8, [a, b, c]: [u8; 3]) {
        let instance = |choice| aclmdlRI(self.pick(&self.instances, choice));
        let physical = |choice| aclrtDrvMemHandle(self.pick(&self.physical, choice));
        let unit = |choice: u8| match self.ranges.lock().unwrap().last() {
            Some(range) => without_provenance_mut(range + usize::from(choice % 4) * UNIT),
            None => null_mut::<c_void>(),
        };
        let (mut place, mut found, mut memory) = (null_mut(), aclmdlRI::NULL, aclrtDrvMemHandle::NULL);
        match function {
            0 | 1 => {
                let mode = aclmdlRICaptureMode(u32::from(b % 3));
                acl!(aclmdlRICaptureBegin(self.stream(a), mode));
            }
            2 | 3 => {
                let mut made = aclmdlRI::NULL;
                acl!(aclmdlRICaptureEnd(self.stream(a), &mut made));
                self.keep(&self.instances, made.0);
            }
            4..=6 => drop(acl!(aclmdlRIExecuteAsync(instance(a), self.stream(b)))),
            7 => drop(acl!(aclmdlRIExecute(instance(a), i32::from(b % 4) - 1))),
            8 => drop(acl!(aclmdlRIDestroy(instance(a)))),
            9 => drop(acl!(aclmdlRICaptureTaskGrpBegin(self.stream(a)))),
            10 => {
                let mut made = aclrtTaskGrp::NULL;
                acl!(aclmdlRICaptureTaskGrpEnd(self.stream(a), &mut made));
                self.keep(&self.groups, made.0);
            }
            11 => {
                acl!(aclmdlRICaptureTaskUpdateBegin(self.stream(a), aclrtTaskGrp(self.pick(&self.groups, b))));
            }
            12 => drop(acl!(aclmdlRICaptureTaskUpdateEnd(self.stream(a)))),
            13 => drop(acl!(aclmdlRICaptureThreadExchangeMode(&mut aclmdlRICaptureMode(u32::from(a % 4))))),
            14 => drop(acl!(aclmdlRIDestroyRegisterCallback(instance(a), one_of(b), null_mut()))),
            15 => drop(acl!(aclmdlRICaptureGetInfo(self.stream(a), &mut aclmdlRICaptureStatus(0), &mut found))),
            16 => {
                acl!(aclrtReserveMemAddress(&mut place, 4 * UNIT, 0, null_mut(), 0));
                self.keep(&self.ranges, place);
            }
            17 => drop(acl!(aclrtReleaseMemAddress(unit(a / 16 * (a % 2))))),
            18 => {
                let mut made = aclrtDrvMemHandle::NULL;
                acl!(aclrtMallocPhysical(&mut made, UNIT * (1 + usize::from(a % 2)), &properties(), 0));
                self.keep(&self.physical, made.0);
            }
            19 => drop(acl!(aclrtFreePhysical(physical(a)))),
            20 | 21 => drop(acl!(aclrtMapMem(unit(a), UNIT * (1 + usize::from(c % 2)), 0, physical(b), 0))),
            22 => drop(acl!(aclrtUnmapMem(unit(a)))),
            23 => drop(acl!(aclrtMemsetAsync(unit(a), UNIT, 1, 64, self.stream(b)))),
            24 => drop(acl!(aclrtMemcpyAsync(unit(a), 64, unit(b), 64, ON_DEVICE, self.stream(c)))),
            25 => drop(acl!(aclrtMemRetainAllocationHandle(unit(a), &mut memory))),
            26 => drop(acl!(aclrtHostRegister(
                self.page(),
                4096,
                aclrtHostRegisterType::ACL_HOST_REGISTER_MAPPED,
                &mut place
            ))),
            27 => drop(acl!(aclrtHostUnregister(self.page()))),
            28 => {
                let page = self.page();
                acl!(aclrtMemcpyAsync(self.memory(a), 64, page, 64, TO_DEVICE, self.stream(b)));
            }
            29 | 30 => self.batch(a, b, (function == 30).then(|| self.stream(c))),
            31 | 32 => {
                let (stream, block) = (self.stream(a), aclrtCallbackBlockType::ACL_CALLBACK_BLOCK);
                // Only what this thread is sure to run: the library cannot know that a thread will never ask again.
                if acl!(aclrtSubscribeReport(own_thread(), stream)) == ACL_SUCCESS {
                    acl!(aclrtLaunchCallback(one_of(b), null_mut(), block, stream));
                }
            }
            33 => drop(acl!(aclrtUnSubscribeReport(own_thread(), self.stream(a)))),
            34 => drop(acl!(aclrtProcessReport(1))),
            35 => drop(acl!(aclrtLaunchHostFunc(self.stream(a), one_of(b), null_mut()))),
            36 => self.execute_model(a, b, c),
            37 => self.execute_operator(a, b),
            38 => self.register(a, b),
            _ => drop(acl!(aclrtAllocatorUnregister(self.stream(a)))),
        }
    }

    fn batch(&self, a: u8, b: u8, stream: Option<aclrtStream>) {
        let (mut to, mut from) = ([self.memory(a), self.memory(a / 2)], [self.memory(b), self.memory(b / 2)]);
        let (mut rooms, mut sizes, mut index, mut failed) = ([64; 2], [64; 2], [0], 0);
        let at = |kind| aclrtMemLocation { id: 0, kind };
        let device = aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE;
        let source = if b.is_multiple_of(2) { device } else { aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST };
        let mut attributes = [aclrtMemcpyBatchAttr { dstLoc: at(device), srcLoc: at(source), rsv: [0; 16] }];
        let (to, from, index) = (to.as_mut_ptr(), from.as_mut_ptr(), index.as_mut_ptr());
        let (rooms, sizes, attributes) = (rooms.as_mut_ptr(), sizes.as_mut_ptr(), attributes.as_mut_ptr());
        match stream {
            None => acl!(aclrtMemcpyBatch(to, rooms, from, sizes, 2, attributes, index, 1, &mut failed)),
            Some(stream) => {
                acl!(aclrtMemcpyBatchAsync(to, rooms, from, sizes, 2, attributes, index, 1, &mut failed, stream))
            }
        };
    }

    /// Runs the digits of one image; the output may be the library's to allocate.
    fn execute_model(&self, a: u8, b: u8, c: u8) {
        let (mut input, mut output) = (null_mut(), null_mut());
        let policy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;
        acl!(aclrtMalloc(&mut input, BYTES, policy));
        if !c.is_multiple_of(4) {
            acl!(aclrtMalloc(&mut output, 40, policy));
        }
        let shape = tensor(&[1, 64]);
        let dataset = |place: *mut c_void, bytes: usize| {
            let (dataset, bytes) = (acl!(aclmdlCreateDataset()), if place.is_null() { 0 } else { bytes });
            let buffer = acl!(aclCreateDataBuffer(place, bytes));
            acl!(aclmdlAddDatasetBuffer(dataset, buffer));
            (dataset, buffer)
        };
        let (given, results) = (dataset(input, BYTES), dataset(output, 40));
        acl!(aclmdlSetDatasetTensorDesc(given.0, shape, 0));
        let id = self.model(a);
        match c % 8 {
            0 | 1 => acl!(aclmdlExecute(id, given.0, results.0)),
            _ => acl!(aclmdlExecuteAsync(id, given.0, results.0, self.stream(b))),
        };
        if c.is_multiple_of(3) {
            acl!(aclmdlUnload(id));
        }
        acl!(aclDestroyTensorDesc(shape));
        for (dataset, buffer) in [given, results] {
            acl!(aclmdlDestroyDataset(dataset));
            acl!(aclDestroyDataBuffer(buffer));
        }
        acl!(aclrtFree(input));
        acl!(aclrtFree(output));
    }

    fn execute_operator(&self, a: u8, b: u8) {
        let policy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;
        let places = [null_mut(); 2].map(|mut place: *mut c_void| {
            acl!(aclrtMalloc(&mut place, BYTES, policy));
            place
        });
        // The second is the output: with an open shape the call waits.
        let shapes = [tensor(&[4]), tensor(&[if b.is_multiple_of(4) { -1 } else { 4 }])];
        let buffers = places.map(|place| acl!(aclCreateDataBuffer(place, 16)));
        acl!(aclopExecute(
            c"Relu".as_ptr(),
            1,
            [shapes[0].cast_const()].as_ptr(),
            [buffers[0].cast_const()].as_ptr(),
            1,
            [shapes[1].cast_const()].as_ptr(),
            [buffers[1]].as_ptr(),
            null(),
            self.stream(a)
        ));
        shapes.into_iter().for_each(|shape| acl!(aclDestroyTensorDesc(shape)));
        for (buffer, place) in buffers.into_iter().zip(places) {
            acl!(aclDestroyDataBuffer(buffer));
            acl!(aclrtFree(place));
        }
    }

    /// Registers one of three allocators that give blocks.
    fn register(&self, a: u8, b: u8) {
        let made = acl!(aclrtAllocatorCreateDesc());
        let object = 0x80 * (2 + usize::from(b % 3));
        acl!(aclrtAllocatorSetObjToDesc(made, aclrtAllocator(without_provenance_mut(object))));
        acl!(aclrtAllocatorSetAllocFuncToDesc(made, Some(if b.is_multiple_of(3) { waits_and_gives } else { gives })));
        acl!(aclrtAllocatorSetFreeFuncToDesc(made, Some(takes)));
        acl!(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(made, Some(address)));
        acl!(aclrtAllocatorRegister(self.stream(a), made));
        acl!(aclrtAllocatorDestroyDesc(made));
    }
}
