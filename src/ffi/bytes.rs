//! Elements as bytes.

use crate::element::{Element, Pod};

pub(crate) fn bytes_of<E: Pod>(elements: &[E]) -> &[u8] {
    // SAFETY: `from_raw_parts` asks for initialised bytes that nobody writes meanwhile. The slice is as long as stated
    // and is borrowed, and `Pod` promises that it has no padding: each byte is initialised.
    unsafe { core::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

pub(crate) fn bytes_of_mut<E: Pod>(elements: &mut [E]) -> &mut [u8] {
    // SAFETY: `from_raw_parts_mut` asks for initialised bytes that nobody else uses meanwhile, and for valid elements
    // afterwards. The slice is as long as stated and is borrowed exclusively. `Pod` promises that it has no padding,
    // and that every pattern of bits is a value.
    unsafe { core::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements)) }
}

/// As many elements as the bytes make up.
pub(crate) fn collect_elements<E: Element>(bytes: &[u8]) -> Vec<E> {
    let mut elements = vec![E::default(); bytes.len() / size_of::<E>()];
    bytes_of_mut(&mut elements).iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    elements
}
