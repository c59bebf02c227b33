//! Memory that moves between host and device by itself. This device has none: right calls are refused.

use super::wanted;
use crate::abi::{Address, In, Out};
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::device;
use ascendcl_sys::constants::ACL_RT_MEM_ATTACH_GLOBAL;
use ascendcl_sys::error_codes::ACL_ERROR_RT_INTERNAL_ERROR;
use ascendcl_sys::types::*;

pub(crate) fn aclrtMemAllocManaged(ptr: Out<'_, *mut core::ffi::c_void>, size: u64, flag: u32) -> Answer {
    wanted(&ptr)?;
    if flag != ACL_RT_MEM_ATTACH_GLOBAL {
        return Err(Failure::invalid(format!("the flag is {flag}; expected {ACL_RT_MEM_ATTACH_GLOBAL}")));
    }
    check_size(size as usize)?;
    current_context()?;
    Err(unsupported())
}

pub(crate) fn aclrtMemManagedAdvise(
    ptr: Address,
    size: u64,
    advise: aclrtMemManagedAdviseType,
    location: aclrtMemManagedLocation,
) -> Answer {
    check_given(!ptr.is_null() && size != 0)?;
    if advise > aclrtMemManagedAdviseType::ACL_MEM_ADVISE_UNSET_ACCESSED_BY {
        return Err(Failure::refused(format!("there is no advice {}", advise.0)));
    }
    check_location(location)?;
    current_context()?;
    Err(unsupported())
}

pub(crate) fn aclrtMemManagedGetAttr(
    attribute: aclrtMemManagedRangeAttribute,
    ptr: Address,
    size: usize,
    data: Address,
    _data_size: usize,
) -> Answer {
    check_given(!ptr.is_null() && !data.is_null() && size != 0)?;
    check_attribute(attribute)?;
    Err(unsupported())
}

/// The runtime looks at these arguments, and not the layer above it.
pub(crate) fn aclrtMemManagedGetAttrs(
    attributes: In<'_, aclrtMemManagedRangeAttribute>,
    num_attributes: usize,
    ptr: Address,
    size: usize,
    data: In<'_, *mut core::ffi::c_void>,
    data_sizes: In<'_, usize>,
) -> Answer {
    if data.is_null() || data_sizes.is_null() || attributes.is_null() || ptr.is_null() {
        return Err(Failure::refused("an argument is null"));
    }
    check_size(size)?;
    attributes.list(num_attributes).into_iter().try_for_each(check_attribute)?;
    Err(unsupported())
}

pub(crate) fn aclrtMemManagedPrefetchAsync(
    ptr: Address,
    size: usize,
    location: aclrtMemManagedLocation,
    flags: u32,
    stream: aclrtStream,
) -> Answer {
    check_given(!ptr.is_null() && size != 0)?;
    check_reserved(flags.into())?;
    let stream = Named::find(stream)?;
    check_some_stream(&stream)?;
    check_location(location)?;
    Err(unsupported())
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclrtMemManagedPrefetchBatchAsync(
    ptrs: In<'_, *const core::ffi::c_void>,
    sizes: In<'_, usize>,
    count: usize,
    prefetch_locs: In<'_, aclrtMemManagedLocation>,
    prefetch_loc_idxs: In<'_, usize>,
    num_prefetch_locs: usize,
    flags: u64,
    stream: aclrtStream,
) -> Answer {
    check_given(!ptrs.is_null() && !sizes.is_null() && !prefetch_locs.is_null() && !prefetch_loc_idxs.is_null())?;
    check_given(count != 0 && num_prefetch_locs != 0)?;
    check_reserved(flags)?;
    let stream = Named::find(stream)?;
    if num_prefetch_locs > count {
        return Err(Failure::refused(format!("there are {num_prefetch_locs} places for {count} pieces of memory")));
    }
    let places = prefetch_loc_idxs.list(num_prefetch_locs);
    if places.first() != Some(&0) {
        return Err(Failure::refused("the first place is not for the memory that comes first"));
    }
    if ptrs.names(count).iter().any(|ptr| ptr.0 == 0) {
        return Err(Failure::refused("an address is null"));
    }
    let rises = places.windows(2).all(|pair| matches!(pair, [one, next] if one < next));
    if !rises || places.iter().any(|index| *index >= count) {
        return Err(Failure::refused("the numbers of the places do not rise, or there is no memory for one"));
    }
    prefetch_locs.list(num_prefetch_locs).into_iter().try_for_each(check_location)?;
    check_some_stream(&stream)?;
    Err(unsupported())
}

fn check_given(holds: bool) -> Answer {
    if holds { Ok(()) } else { Err(Failure::invalid("an argument is null or 0")) }
}

fn check_reserved(flags: u64) -> Answer {
    if flags == 0 { Ok(()) } else { Err(Failure::invalid(format!("the flags are {flags:#x}; they are reserved as 0"))) }
}

fn check_size(size: usize) -> Answer {
    if size == 0 { Err(Failure::refused("the size is 0")) } else { Ok(()) }
}

fn check_attribute(attribute: aclrtMemManagedRangeAttribute) -> Answer {
    use aclrtMemManagedRangeAttribute as A;
    if !(A::ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY..=A::ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID)
        .contains(&attribute)
    {
        return Err(Failure::refused(format!("memory has no attribute {}", attribute.0)));
    }
    Ok(())
}

fn check_location(location: aclrtMemManagedLocation) -> Answer {
    let is_device = location.kind == aclrtMemManagedLocationType::ACL_MEM_LOCATIONTYPE_DEVICE;
    if is_device && device::device(location.id.into()).is_err() {
        return Err(Failure::refused(format!("there is no device {}", location.id)));
    }
    Ok(())
}

/// Without a context there is no default stream, for which this call has a code of its own (507000).
fn check_some_stream(stream: &Named) -> Answer {
    if stream.stream().is_none() && current_context().is_err() {
        return Err(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, "there is no default stream without a context"));
    }
    Ok(())
}

fn unsupported() -> Failure {
    Failure::unsupported("this device has no memory that moves by itself")
}
