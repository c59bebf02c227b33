//! Element types, shapes and bytes, compared at run time.

use crate::brand::Brand;
use crate::current::Current;
use crate::element::{Element, ElementType, elements_of};
use crate::error::{Error, InputError};
use crate::ffi::RawBuffer;
use crate::memory::check_elements;

/// The bytes of one element.
fn size(shape: &[usize], element: ElementType) -> Result<usize, Error> {
    element.size().ok_or_else(|| Error::UnknownElement { name: format!("a tensor of the shape {shape:?}"), element })
}

/// How many bytes a tensor has.
pub(super) fn bytes_of(shape: &[usize], element: ElementType) -> Result<usize, Error> {
    Ok(elements_of(shape).saturating_mul(size(shape, element)?))
}

/// An error unless a tensor of this shape has this many bytes.
pub(super) fn check_length(shape: &[usize], element: ElementType, found: usize) -> Result<(), Error> {
    match bytes_of(shape, element)? {
        expected if expected == found => Ok(()),
        expected => Err(InputError::Bytes { shape: format!("{shape:?}"), element, expected, found }.into()),
    }
}

/// An error unless the device can read the memory as elements of this type.
pub(super) fn check_alignment(block: &RawBuffer, element: ElementType) -> Result<(), Error> {
    // The alignment of each type is its size.
    let alignment = size(&[], element)?.max(1);
    check_elements(block, alignment, alignment)
}

/// An error unless the elements fit, as those of `E`.
pub(super) fn check_type<E: Element>(found: ElementType, fits: bool) -> Result<(), Error> {
    if fits { Ok(()) } else { Err(Error::OtherElement { found, asked: E::TYPE }) }
}

/// All elements of the block, on the host.
pub(super) fn read<C: Brand, E: Element>(
    block: &RawBuffer,
    element: ElementType,
    current: &Current<C>,
) -> Result<Vec<E>, Error> {
    check_type::<E>(element, element.takes::<E>())?;
    let mut elements = vec![E::default(); block.elements::<E>()];
    block.read(current.here(), &mut elements)?;
    Ok(elements)
}

/// All bytes of the block, on the host.
pub(super) fn read_bytes<C: Brand>(block: &RawBuffer, current: &Current<C>) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; block.bytes()];
    block.read(current.here(), &mut bytes)?;
    Ok(bytes)
}
