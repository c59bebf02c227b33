//! Copies that combine what they carry with what is there.

use crate::capture::{begin, end};
use crate::support::*;
use crate::world::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ptr::null_mut;

const SUM: aclrtReduceKind = aclrtReduceKind::ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
const MAX: aclrtReduceKind = aclrtReduceKind::ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX;
const MIN: aclrtReduceKind = aclrtReduceKind::ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN;
const EQUAL: aclrtReduceKind = aclrtReduceKind::ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL;

fn reduced(there: &[u8], carried: &[u8], kind: aclrtReduceKind, data_type: aclDataType) -> Vec<u8> {
    let (to, from, stream) = (on_device(there), on_device(carried), stream());
    ok!(copy::aclrtReduceAsync(to, from, carried.len() as u64, kind, data_type, stream, null_mut()));
    synchronize(stream);
    from_device(to, there.len())
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

#[test]
fn each_way_combines_element_by_element() {
    let _world = world();
    let (there, carried) = (floats(&[1.0, -2.0, 3.5]), floats(&[4.0, -8.0, 0.25]));
    let float = aclDataType::ACL_FLOAT;
    assert_eq!(reduced(&there, &carried, SUM, float), floats(&[5.0, -10.0, 3.75]));
    assert_eq!(reduced(&there, &carried, MAX, float), floats(&[4.0, -2.0, 3.5]));
    assert_eq!(reduced(&there, &carried, MIN, float), floats(&[1.0, -8.0, 0.25]));
    // What lies behind the carried bytes stays.
    assert_eq!(reduced(&there, &floats(&[4.0]), SUM, float), floats(&[5.0, -2.0, 3.5]));
}

#[test]
fn every_type_of_the_manual_is_reduced() {
    let _world = world();
    let half = |bits: u16| bits.to_ne_bytes();
    // 1.5 + 2.0 = 3.5 in both.
    assert_eq!(reduced(&half(0x3e00), &half(0x4000), SUM, aclDataType::ACL_FLOAT16), half(0x4300));
    assert_eq!(reduced(&half(0x3fc0), &half(0x4000), SUM, aclDataType::ACL_BF16), half(0x4060));
    assert_eq!(reduced(&[0xff, 5], &[3, 0xfe], MAX, aclDataType::ACL_INT8), [3, 5]);
    let int16 = |value: i16| value.to_ne_bytes();
    assert_eq!(reduced(&int16(-300), &int16(200), MIN, aclDataType::ACL_INT16), int16(-300));
    let int32 = |value: i32| value.to_ne_bytes();
    assert_eq!(reduced(&int32(i32::MAX), &int32(1), SUM, aclDataType::ACL_INT32), int32(i32::MIN));
}

#[test]
fn memory_can_be_reduced_into_itself() {
    let _world = world();
    let (memory, stream) = (on_device(&[1, 2, 3, 4]), stream());
    let next = memory.wrapping_byte_add(1);
    ok!(copy::aclrtReduceAsync(next, memory, 3, SUM, aclDataType::ACL_INT8, stream, null_mut()));
    synchronize(stream);
    assert_eq!(from_device(memory, 4), [1, 3, 5, 7]);
}

#[test]
fn what_cannot_be_reduced_is_refused_and_leaves_the_memory_and_a_capture_whole() {
    let _world = world();
    let (to, from, stream) = (on_device(&[1; 64]), on_device(&[2; 64]), stream());
    let (float, null) = (aclDataType::ACL_FLOAT, null_mut());
    let (unsupported, refused) = (ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_ERROR_RT_PARAM_INVALID);
    fails!(unsupported, "not measured", copy::aclrtReduceAsync(to, from, 64, EQUAL, float, stream, null));
    fails!(refused, "whole number", copy::aclrtReduceAsync(to, from, 63, SUM, float, stream, null));
    fails!(refused, "over the block's end", copy::aclrtReduceAsync(to, from, 1 << 20, SUM, float, stream, null));
    begin(stream);
    fails!(refused, "captured", copy::aclrtReduceAsync(to, from, 64, SUM, float, stream, null));
    end(stream);
    synchronize(stream);
    assert_eq!(from_device(to, 64), [1; 64]);
}
