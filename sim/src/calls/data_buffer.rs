//! Data buffers: an address with a size, for a dataset. The memory stays the caller's.

use super::model::told;
use crate::abi::{Address, Name};
use crate::failure::Answer;
use crate::machine::memory::areas::{Area, create_area, destroy_area, read_area, update_area};
use crate::machine::watch;
use ascendcl_rules::{Object, Op, Role};
use ascendcl_sys::types::aclDataBuffer;

/// Nothing is asked of the memory before a run needs it.
pub(crate) fn aclCreateDataBuffer(data: Address, size: usize) -> Option<Name<aclDataBuffer>> {
    let call = watch::call(Op::Create, Object::data_buffer(0)).writes(data, size, Role::Contents, None).begin_always();
    let created = create_area(Area { address: data, size });
    call.made(created.0);
    Some(created)
}

pub(crate) fn aclDestroyDataBuffer(data_buffer: Name<aclDataBuffer>) -> Answer {
    watch::call(Op::Destroy, data_buffer).begin()?.end(destroy_area(data_buffer))
}

pub(crate) fn aclUpdateDataBuffer(data_buffer: Name<aclDataBuffer>, data: Address, size: usize) -> Answer {
    let call = watch::call(Op::Change, data_buffer).writes(data, size, Role::Contents, None).begin()?;
    call.end(update_area(data_buffer, Area { address: data, size }))
}

pub(crate) fn aclGetDataBufferAddr(data_buffer: Name<aclDataBuffer>) -> Option<Address> {
    told(find(data_buffer)).map(|area| area.address)
}

/// The size in 32 bits; a size that does not fit is cut off at the top, as C does it.
pub(crate) fn aclGetDataBufferSize(data_buffer: Name<aclDataBuffer>) -> u32 {
    aclGetDataBufferSizeV2(data_buffer) as u32
}

pub(crate) fn aclGetDataBufferSizeV2(data_buffer: Name<aclDataBuffer>) -> usize {
    told(find(data_buffer)).map_or(0, |area| area.size)
}

fn find(data_buffer: Name<aclDataBuffer>) -> Answer<Area> {
    read_area(data_buffer).inspect_err(|_| watch::read_missed(data_buffer))
}
