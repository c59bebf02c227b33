//! Elements as bytes.

use crate::element::{Element, Pod};

pub(crate) fn bytes_of<E: Pod>(elements: &[E]) -> &[u8] {
    // SAFETY: `from_raw_parts` asks for initialised bytes that nobody writes while the slice exists. The slice is as
    // long as stated and is borrowed, and `Pod` promises that it has no padding, so each byte is initialised.
    unsafe { core::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

pub(crate) fn bytes_of_mut<E: Pod>(elements: &mut [E]) -> &mut [u8] {
    // SAFETY: `from_raw_parts_mut` asks for initialised bytes that nobody else uses while the slice exists, and for
    // valid elements afterwards. The slice is as long as stated and is borrowed exclusively. `Pod` promises that it has
    // no padding, and that every bit pattern is a valid value.
    unsafe { core::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements)) }
}

/// Copies the bytes into elements. Bytes that do not fill a whole element are ignored.
pub(crate) fn collect_elements<E: Element>(bytes: &[u8]) -> Vec<E> {
    let mut elements = vec![E::default(); bytes.len() / size_of::<E>()];
    bytes_of_mut(&mut elements).iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    elements
}
