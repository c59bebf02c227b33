//! Channels of tensors.

use crate::common::Shared;
use crate::world::*;
use ascendcl_sim::control;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ptr::null_mut;
use std::time::{Duration, Instant};

const TENSOR: acltdtTensorType = acltdtTensorType::ACL_TENSOR_DATA_TENSOR;

fn channel(name: &str, capacity: usize) -> *mut acltdtChannelHandle {
    let channel = call!(tensor_channel::acltdtCreateChannelWithCapacity(0, c(name).as_ptr(), capacity));
    assert!(!channel.is_null(), "{}", text());
    channel
}

/// A dataset with one tensor of two rows.
fn dataset(values: &mut [f32; 4]) -> *mut acltdtDataset {
    let dims = [2, 2];
    let size = size_of_val(values);
    let data = values.as_mut_ptr().cast();
    let item =
        call!(tensor_channel::acltdtCreateDataItem(TENSOR, dims.as_ptr(), 2, aclDataType::ACL_FLOAT, data, size));
    let dataset = call!(tensor_channel::acltdtCreateDataset());
    ok!(tensor_channel::acltdtAddDataItem(dataset, item));
    dataset
}

fn values(dataset: *mut acltdtDataset) -> Vec<f32> {
    let item = call!(tensor_channel::acltdtGetDataItem(dataset, 0));
    let data = call!(tensor_channel::acltdtGetDataAddrFromItem(item)).cast::<f32>();
    let count = call!(tensor_channel::acltdtGetDataSizeFromItem(item)) / size_of::<f32>();
    // SAFETY: the item says where its data is, and how long; it lives as long as the dataset.
    unsafe { core::slice::from_raw_parts(data, count) }.to_vec()
}

#[test]
fn what_was_sent_is_received_in_order_and_is_a_copy() {
    let _world = world();
    let (out, back) = (channel("numbers", 2), channel("numbers", 2));
    let mut numbers = [1.0, 2.0, 3.0, 4.0];
    let sent = dataset(&mut numbers);
    ok!(tensor_channel::acltdtSendTensor(out, sent, 0));
    // Through the item's own pointer to the array.
    let data = call!(tensor_channel::acltdtGetDataAddrFromItem(call!(tensor_channel::acltdtGetDataItem(sent, 0))));
    // SAFETY: the item points to the array, which lives on.
    unsafe { data.cast::<f32>().write(9.0) };
    ok!(tensor_channel::acltdtSendTensor(out, sent, 0));
    let mut waiting = 0;
    ok!(tensor_channel::acltdtQueryChannelSize(back, &mut waiting));
    assert_eq!(waiting, 2);
    let received = call!(tensor_channel::acltdtCreateDataset());
    ok!(tensor_channel::acltdtReceiveTensor(back, received, 0));
    assert_eq!(values(received), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(string(call!(tensor_channel::acltdtGetDatasetName(received))), "numbers");
    let item = call!(tensor_channel::acltdtGetDataItem(received, 0));
    let mut dims = [0; 2];
    ok!(tensor_channel::acltdtGetDimsFromItem(item, dims.as_mut_ptr(), 2));
    assert_eq!(dims, [2, 2]);
    ok!(tensor_channel::acltdtReceiveTensor(back, received, 0));
    assert_eq!(values(received), [9.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_full_channel_and_an_empty_one_say_so_when_the_time_is_up() {
    let _world = world();
    let channel = channel("small", 2);
    let mut numbers = [0.0; 4];
    let sent = dataset(&mut numbers);
    for _ in 0..2 {
        ok!(tensor_channel::acltdtSendTensor(channel, sent, 0));
    }
    fails!(ACL_ERROR_RT_QUEUE_FULL, "room for 2", tensor_channel::acltdtSendTensor(channel, sent, 0));
    // Nothing stops a queue.
    ok!(tensor_channel::acltdtStopChannel(channel));
    let received = call!(tensor_channel::acltdtCreateDataset());
    for _ in 0..2 {
        ok!(tensor_channel::acltdtReceiveTensor(channel, received, 0));
    }
    let started = Instant::now();
    fails!(ACL_ERROR_RT_QUEUE_EMPTY, "in time", tensor_channel::acltdtReceiveTensor(channel, received, 30));
    assert!(started.elapsed() >= Duration::from_millis(30));
}

#[test]
fn a_receiver_is_woken_by_the_sender_and_by_the_end_of_the_channel() {
    let _world = world();
    let channel = call!(tensor_channel::acltdtCreateChannel(0, c("TF_RECEIVE_woken").as_ptr()));
    let mut numbers = [5.0; 4];
    let sent = dataset(&mut numbers).addr();
    let handle = channel.addr();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(10));
            let (channel, sent) = (core::ptr::without_provenance(handle), core::ptr::without_provenance(sent));
            ok!(tensor_channel::acltdtSendTensor(channel, sent, -1));
            std::thread::sleep(Duration::from_millis(10));
            ok!(tensor_channel::acltdtStopChannel(core::ptr::without_provenance_mut(handle)));
        });
        let received = call!(tensor_channel::acltdtCreateDataset());
        ok!(tensor_channel::acltdtReceiveTensor(channel, received, -1));
        assert_eq!(values(received), [5.0; 4]);
        let code = call!(tensor_channel::acltdtReceiveTensor(channel, received, -1));
        assert_eq!((code, text().contains("stopped")), (ACL_ERROR_INVALID_PARAM, true));
    });
}

#[test]
fn received_items_go_with_their_dataset_and_the_programs_own_stay() {
    let _world = world();
    let channel = channel("counted", 8);
    let mut numbers = [0.0; 4];
    let sent = dataset(&mut numbers);
    ok!(tensor_channel::acltdtSendTensor(channel, sent, 0));
    let received = call!(tensor_channel::acltdtCreateDataset());
    ok!(tensor_channel::acltdtReceiveTensor(channel, received, 0));
    // The channel, two datasets, one item of the program's and one that was received.
    assert_eq!(control::live().tensor_channel_objects, 5);
    let own = call!(tensor_channel::acltdtGetDataItem(sent, 0));
    fails!(ACL_ERROR_FEATURE_UNSUPPORTED, "were received", tensor_channel::acltdtAddDataItem(received, own));
    fails!(ACL_ERROR_INVALID_PARAM, "an empty one", tensor_channel::acltdtReceiveTensor(channel, sent, 0));
    ok!(tensor_channel::acltdtDestroyDataset(received));
    ok!(tensor_channel::acltdtDestroyDataset(sent));
    assert_eq!(control::live().tensor_channel_objects, 2);
    ok!(tensor_channel::acltdtDestroyDataItem(own));
    ok!(tensor_channel::acltdtDestroyChannel(channel));
    assert_eq!(control::live().tensor_channel_objects, 0);
}

#[test]
fn a_channel_wants_a_name_and_a_device() {
    let _world = world();
    assert!(call!(tensor_channel::acltdtCreateChannel(0, null_mut())).is_null());
    assert!(call!(tensor_channel::acltdtCreateChannel(99, c("name").as_ptr())).is_null());
}

#[test]
fn the_mark_of_an_end_carries_no_data() {
    let _world = world();
    let end = acltdtTensorType::ACL_TENSOR_DATA_END_OF_SEQUENCE;
    let none = aclDataType::ACL_DT_UNDEFINED;
    let item = call!(tensor_channel::acltdtCreateDataItem(end, null_mut(), 0, none, null_mut(), 0));
    let sent = call!(tensor_channel::acltdtCreateDataset());
    ok!(tensor_channel::acltdtAddDataItem(sent, item));
    let channel = channel("ended", 8);
    ok!(tensor_channel::acltdtSendTensor(channel, sent, 0));
    let received = call!(tensor_channel::acltdtCreateDataset());
    ok!(tensor_channel::acltdtReceiveTensor(channel, received, 0));
    let item = call!(tensor_channel::acltdtGetDataItem(received, 0));
    assert_eq!(call!(tensor_channel::acltdtGetTensorTypeFromItem(item)), end);
    assert_eq!(call!(tensor_channel::acltdtGetDimNumFromItem(item)), 0);
}

#[test]
fn dims_and_their_number_are_there_together() {
    let _world = world();
    let (kind, mut data, dims) = (aclDataType::ACL_FLOAT, [0.0_f32; 4], [2_i64, 2]);
    let (data, size) = (data.as_mut_ptr().cast(), size_of_val(&data));
    let create = |dims, count| call!(tensor_channel::acltdtCreateDataItem(TENSOR, dims, count, kind, data, size));
    assert!(create(core::ptr::null(), 2).is_null(), "two axes without their lengths");
    assert!(create(dims.as_ptr(), 0).is_null(), "lengths of no axis");
    assert!(!create(core::ptr::null(), 0).is_null(), "a scalar");
    assert!(!create(dims.as_ptr(), 2).is_null());
}

#[test]
fn dims_and_data_are_looked_at_when_they_are_sent() {
    let _world = world();
    let (kind, nothing) = (aclDataType::ACL_FLOAT, core::ptr::null_mut());
    let create = |kind, dims: &[i64], data, size| {
        let (dims, count) = (dims.as_ptr(), dims.len());
        call!(tensor_channel::acltdtCreateDataItem(kind, dims, count, aclDataType::ACL_FLOAT, data, size))
    };
    let item = create(TENSOR, &[-1, 2], nothing, 8);
    assert!(!item.is_null());
    assert_eq!(call!(tensor_channel::acltdtGetDataTypeFromItem(item)), kind);
    let sent = call!(tensor_channel::acltdtCreateDataset());
    ok!(tensor_channel::acltdtAddDataItem(sent, item));
    fails!(ACL_ERROR_INVALID_PARAM, "data is null", tensor_channel::acltdtSendTensor(channel("odd", 8), sent, 0));
    assert!(!create(TENSOR, &[1; 128], nothing, 0).is_null());
    assert!(create(TENSOR, &[1; 129], nothing, 0).is_null());
    let end = acltdtTensorType::ACL_TENSOR_DATA_END_OF_SEQUENCE;
    assert!(create(end, &[1], nothing, 0).is_null(), "the mark of an end has no dims");
    let mark = call!(tensor_channel::acltdtCreateDataItem(end, core::ptr::null(), 0, kind, nothing, 0));
    assert_eq!(call!(tensor_channel::acltdtGetDataTypeFromItem(mark)), aclDataType::ACL_DT_UNDEFINED);

    let mut dims = [7_i64; 2];
    let wrong = ACL_ERROR_INVALID_PARAM;
    fails!(wrong, "not null", tensor_channel::acltdtGetDimsFromItem(mark, dims.as_mut_ptr(), 0));
    fails!(wrong, "is null", tensor_channel::acltdtGetDimsFromItem(mark, nothing.cast(), 2));
    ok!(tensor_channel::acltdtGetDimsFromItem(mark, nothing.cast(), 0));
    ok!(tensor_channel::acltdtGetDimsFromItem(mark, dims.as_mut_ptr(), 2));
    fails!(wrong, "room for 1", tensor_channel::acltdtGetDimsFromItem(item, dims.as_mut_ptr(), 1));
    assert_eq!(dims, [7; 2]);
    ok!(tensor_channel::acltdtGetDimsFromItem(item, dims.as_mut_ptr(), 2));
    assert_eq!(dims, [-1, 2]);
}

#[test]
fn tensors_of_a_dataset_are_on_one_side() {
    let _world = world();
    let mut numbers = [0.0; 4];
    let on_host = dataset(&mut numbers);
    let on_device = call!(tensor_channel::acltdtCreateDataset());
    let item = |data, size| {
        let (none, float) = (core::ptr::null(), aclDataType::ACL_FLOAT);
        call!(tensor_channel::acltdtCreateDataItem(TENSOR, none, 0, float, data, size))
    };
    let (there, empty) = (item(device_memory(64), 4), item(null_mut(), 0));
    let mixed = "of the host and of the device";
    fails!(ACL_ERROR_INVALID_PARAM, mixed, tensor_channel::acltdtAddDataItem(on_host, there));
    ok!(tensor_channel::acltdtAddDataItem(on_host, empty));
    assert_eq!(call!(tensor_channel::acltdtGetDatasetSize(on_host)), 2);
    ok!(tensor_channel::acltdtAddDataItem(on_device, empty));
    ok!(tensor_channel::acltdtAddDataItem(on_device, there));
    let here = call!(tensor_channel::acltdtGetDataItem(on_host, 0));
    fails!(ACL_ERROR_INVALID_PARAM, mixed, tensor_channel::acltdtAddDataItem(on_device, here));
}

#[test]
fn a_channel_without_a_capacity_has_no_limit_of_time_and_does_not_tell_its_size() {
    let _world = world();
    let plain = call!(tensor_channel::acltdtCreateChannel(0, c("TF_RECEIVE_plain").as_ptr()));
    let sends = call!(tensor_channel::acltdtCreateChannel(0, c("plain").as_ptr()));
    let mut numbers = [1.0; 4];
    let (sent, received, mut size) = (dataset(&mut numbers), call!(tensor_channel::acltdtCreateDataset()), 7);
    fails!(ACL_ERROR_INVALID_PARAM, "without a limit", tensor_channel::acltdtSendTensor(plain, sent, 0));
    ok!(tensor_channel::acltdtSendTensor(plain, sent, -1));
    fails!(ACL_ERROR_INVALID_PARAM, "without a limit", tensor_channel::acltdtReceiveTensor(plain, received, 100));
    ok!(tensor_channel::acltdtReceiveTensor(plain, received, -1));
    ok!(tensor_channel::acltdtSendTensor(sends, sent, -1));
    fails!(ACL_ERROR_INVALID_PARAM, "TF_RECEIVE_", tensor_channel::acltdtReceiveTensor(sends, received, -1));
    let unsupported = ACL_ERROR_FEATURE_UNSUPPORTED;
    fails!(unsupported, "without a capacity", tensor_channel::acltdtQueryChannelSize(plain, &mut size));
    fails!(unsupported, "without a capacity", tensor_channel::acltdtCleanChannel(plain));
    for capacity in [0, 1, 1 << 32] {
        let name = c("too small");
        assert!(call!(tensor_channel::acltdtCreateChannelWithCapacity(0, name.as_ptr(), capacity)).is_null());
    }
    let queue = channel("queue", 3);
    ok!(tensor_channel::acltdtQueryChannelSize(queue, &mut size));
    assert_eq!(size, 0);
    ok!(tensor_channel::acltdtCleanChannel(queue));
    let long = |length: usize| c(&"n".repeat(length));
    assert!(!call!(tensor_channel::acltdtCreateChannelWithCapacity(0, long(127).as_ptr(), 3)).is_null());
    assert!(call!(tensor_channel::acltdtCreateChannelWithCapacity(0, long(128).as_ptr(), 3)).is_null());
    assert!(!call!(tensor_channel::acltdtCreateChannel(0, long(128).as_ptr())).is_null());
}

/// Marks are sent, and slices are not.
#[test]
fn tensors_of_other_kinds_are_made_and_not_sent() {
    let _world = world();
    let (queue, none) = (channel("kinds", 8), core::ptr::null());
    for (kind, is_sent) in [(-1, false), (0, true), (1, true), (2, true), (3, false), (4, false), (9, false)] {
        let kind = acltdtTensorType(kind);
        let float = aclDataType::ACL_FLOAT;
        let item = call!(tensor_channel::acltdtCreateDataItem(kind, none, 0, float, null_mut(), 0));
        let sent = call!(tensor_channel::acltdtCreateDataset());
        ok!(tensor_channel::acltdtAddDataItem(sent, item));
        let code = call!(tensor_channel::acltdtSendTensor(queue, sent, 0));
        assert_eq!(code, if is_sent { 0 } else { ACL_ERROR_INVALID_PARAM }, "{kind:?}");
    }
}

#[test]
fn the_mark_of_an_end_that_is_given_data_keeps_none() {
    let _world = world();
    let (end, kind) = (acltdtTensorType::ACL_TENSOR_DATA_END_OF_SEQUENCE, aclDataType::ACL_FLOAT);
    // Nothing stands at this address.
    let nowhere = core::ptr::without_provenance_mut(8);
    let item = call!(tensor_channel::acltdtCreateDataItem(end, core::ptr::null(), 0, kind, nowhere, 64));
    assert_eq!(call!(tensor_channel::acltdtGetDataSizeFromItem(item)), 0);
    assert!(call!(tensor_channel::acltdtGetDataAddrFromItem(item)).is_null());
    let sent = call!(tensor_channel::acltdtCreateDataset());
    ok!(tensor_channel::acltdtAddDataItem(sent, item));
    ok!(tensor_channel::acltdtSendTensor(channel("marked", 8), sent, 0));
}

#[test]
fn a_wait_on_a_channel_that_is_destroyed_ends() {
    let _world = world();
    let (channel, empty) = (Shared::new(channel("gone", 8)), call!(tensor_channel::acltdtCreateDataset()));
    let empty = Shared::new(empty);
    let waits = std::thread::spawn(move || {
        ok!(device::aclrtSetDevice(0));
        call!(tensor_channel::acltdtReceiveTensor(channel.get(), empty.get(), -1))
    });
    std::thread::sleep(Duration::from_millis(20));
    ok!(tensor_channel::acltdtDestroyChannel(channel.get()));
    assert_eq!(waits.join().unwrap(), ACL_ERROR_INVALID_PARAM);
    // A new channel of the name is another one.
    let again = self::channel("gone", 8);
    ok!(tensor_channel::acltdtSendTensor(again, dataset(&mut [1.0; 4]), 0));
}

#[test]
fn a_channel_that_is_created_while_another_of_its_name_ends_has_not_stopped() {
    let _world = world();
    let mut numbers = [0.0; 4];
    let sent = Shared(dataset(&mut numbers));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                ok!(device::aclrtSetDevice(0));
                for _ in 0..10_000 {
                    let channel = channel("race", 100_000);
                    ok!(tensor_channel::acltdtSendTensor(channel, sent.get(), 0));
                    ok!(tensor_channel::acltdtDestroyChannel(channel));
                }
            });
        }
    });
}
