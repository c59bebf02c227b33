//! Memory that is to be written again.

use super::DeviceBuffer;
use crate::brand::Brand;
use crate::element::Element;
use ascendcl_macros::rule;
use core::mem::MaybeUninit;

impl<C: Brand, E: Element> DeviceBuffer<C, E> {
    /// The same memory, to be written before it is read again. Nothing is called, and no byte changes. For a cache, in which
    /// memory that was used and memory that is new have one type.
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let mut cache = vec![current.device_buffer::<f32>(2)?];
    /// cache.push(current.upload(&[1.0, 2.0])?.into_unwritten());
    /// for memory in cache {
    ///     assert_eq!(memory.write(current, &[3.0, 4.0])?.to_vec(current)?, [3.0, 4.0]);
    /// }
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    #[rule(MEM_07)]
    pub fn into_unwritten(self) -> DeviceBuffer<C, MaybeUninit<E>> {
        DeviceBuffer::of(self.into_row())
    }
}
