//! Many copies in one call.

use crate::support::*;
use crate::world::*;
use ascendcl_macros::proves;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;

const INVALID: i32 = ACL_ERROR_RT_PARAM_INVALID;
const NONE: usize = usize::MAX;
/// An index that no call has written.
const UNTOLD: usize = 77;

fn at(kind: aclrtMemLocationType) -> aclrtMemLocation {
    aclrtMemLocation { id: 0, kind }
}

fn attribute(from_device: bool, to_device: bool) -> aclrtMemcpyBatchAttr {
    let place = |device| match device {
        true => at(aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE),
        false => at(aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST),
    };
    aclrtMemcpyBatchAttr { dstLoc: place(to_device), srcLoc: place(from_device), rsv: [0; 16] }
}

/// The arrays of a call.
struct Batch {
    to: Vec<*mut c_void>,
    rooms: Vec<usize>,
    from: Vec<*mut c_void>,
    sizes: Vec<usize>,
    attributes: Vec<aclrtMemcpyBatchAttr>,
    indexes: Vec<usize>,
}

impl Batch {
    fn new(copies: &[(*mut c_void, *mut c_void, usize)], attributes: &[(usize, aclrtMemcpyBatchAttr)]) -> Self {
        Self {
            to: copies.iter().map(|copy| copy.0).collect(),
            rooms: copies.iter().map(|copy| copy.2).collect(),
            from: copies.iter().map(|copy| copy.1).collect(),
            sizes: copies.iter().map(|copy| copy.2).collect(),
            attributes: attributes.iter().map(|(_, attribute)| *attribute).collect(),
            indexes: attributes.iter().map(|(index, _)| *index).collect(),
        }
    }

    /// The code, and the index of the copy that failed.
    fn run(&mut self) -> (i32, usize) {
        let mut failed = UNTOLD;
        let code = call!(copy::aclrtMemcpyBatch(
            self.to.as_mut_ptr(),
            self.rooms.as_mut_ptr(),
            self.from.as_mut_ptr(),
            self.sizes.as_mut_ptr(),
            self.to.len(),
            self.attributes.as_mut_ptr(),
            self.indexes.as_mut_ptr(),
            self.attributes.len(),
            &mut failed,
        ));
        (code, failed)
    }

    fn submit(&mut self, stream: aclrtStream) -> (i32, usize) {
        let mut failed = UNTOLD;
        let code = call!(copy::aclrtMemcpyBatchAsync(
            self.to.as_mut_ptr(),
            self.rooms.as_mut_ptr(),
            self.from.as_mut_ptr(),
            self.sizes.as_mut_ptr(),
            self.to.len(),
            self.attributes.as_mut_ptr(),
            self.indexes.as_mut_ptr(),
            self.attributes.len(),
            &mut failed,
            stream,
        ));
        (code, failed)
    }
}

#[test]
fn a_batch_copies_in_both_directions_as_its_attributes_say() {
    let _world = world();
    let mut up: Vec<Vec<u8>> = (0..3).map(|n| vec![n; 10 + usize::from(n)]).collect();
    let places: Vec<_> = up.iter().map(|bytes| device_memory(bytes.len())).collect();
    let there = on_device(b"from the device");
    let mut down = vec![0_u8; 15];
    let mut copies: Vec<_> =
        up.iter_mut().zip(&places).map(|(bytes, place)| (*place, bytes.as_mut_ptr().cast(), bytes.len())).collect();
    copies.push((down.as_mut_ptr().cast(), there, 15));
    let mut batch = Batch::new(&copies, &[(0, attribute(false, true)), (3, attribute(true, false))]);
    assert_eq!(batch.run(), (0, NONE), "{}", text());
    for (bytes, place) in up.iter().zip(places) {
        assert_eq!(from_device(place, bytes.len()), *bytes);
    }
    assert_eq!(down, b"from the device");
}

#[test]
fn an_asynchronous_batch_runs_in_its_turn() {
    let _world = world();
    let held = Held::new();
    let (from, to) = (pinned(&[5; 8]), device_memory(8));
    let mut batch = Batch::new(&[(to, from, 4), (to.wrapping_byte_add(4), from, 4)], &[(0, attribute(false, true))]);
    assert_eq!(batch.submit(held.stream), (0, NONE));
    // SAFETY: the copies have not begun: their stream is held.
    unsafe { from.cast::<u8>().write(6) };
    held.open();
    assert_eq!(from_device(to, 8), [6, 5, 5, 5, 6, 5, 5, 5]);
}

#[test]
fn nothing_is_copied_when_one_copy_cannot_be_and_its_index_is_told() {
    let _world = world();
    let mut bytes = [1_u8; 8];
    let from = bytes.as_mut_ptr().cast();
    let to = on_device(&[0; 16]);
    let up = attribute(false, true);
    let good = (to, from, 8);

    let mut batch = Batch::new(&[good, good, good], &[(0, up)]);
    batch.rooms[1] = 7;
    assert_eq!(batch.run(), (ACL_ERROR_INVALID_PARAM, UNTOLD), "the layer that finds this tells no index");
    assert!(text().contains("copy 1: 8 bytes do not fit into 7"));
    let mut batch = Batch::new(&[good, (null_mut(), from, 8)], &[(0, up)]);
    assert_eq!(batch.run(), (INVALID, 1));
    let mut batch = Batch::new(&[good, good], &[(0, up), (1, attribute(true, false))]);
    assert_eq!(batch.run(), (INVALID, 1), "the second is no copy from the device");
    let mut other = [0_u8; 8];
    let mut batch = Batch::new(&[good, (other.as_mut_ptr().cast(), from, 8)], &[(0, up)]);
    assert_eq!(batch.run(), (INVALID, 1), "the second copies to the host");
    assert!(text().contains("is host memory, and its attribute says memory of device 0"));
    let mut batch = Batch::new(&[(to.wrapping_byte_add(1 << 20), from, 8)], &[(0, up)]);
    assert_eq!(batch.submit(stream()).1, 0);
    let mut batch = Batch::new(&[good], &[(0, attribute(false, false))]);
    assert_eq!(batch.run(), (INVALID, 0));
    assert_eq!(from_device(to, 16), [0; 16]);
}

#[test]
#[proves(COPY_11)]
fn the_attributes_indexes_begin_with_0_and_rise() {
    let _world = world();
    let mut bytes = [1_u8; 8];
    let good = (on_device(&[0; 8]), bytes.as_mut_ptr().cast(), 8);
    let up = attribute(false, true);
    for indexes in [&[1][..], &[0, 0], &[0, 2], &[0, 1, 2]] {
        let attributes: Vec<_> = indexes.iter().map(|index| (*index, up)).collect();
        assert_eq!(Batch::new(&[good, good], &attributes).run(), (INVALID, NONE), "{indexes:?}");
    }
    assert_eq!(Batch::new(&[good, good], &[(0, up), (1, up)]).run(), (0, NONE));
    assert_eq!(Batch::new(&[], &[(0, up)]).run(), (ACL_ERROR_INVALID_PARAM, UNTOLD));
    let mut reserved = up;
    reserved.rsv[15] = 1;
    assert_eq!(Batch::new(&[good], &[(0, reserved)]).run(), (ACL_ERROR_INVALID_PARAM, UNTOLD));
    let null = ACL_ERROR_INVALID_PARAM;
    fails!(
        null,
        "null",
        copy::aclrtMemcpyBatchV2(null_mut(), null_mut(), null_mut(), null_mut(), 1, null_mut(), null_mut(), 1)
    );
}
