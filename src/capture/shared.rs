//! Memory that several branches read.

use super::Capture;
use super::captured::Captured;
use crate::brand::Brand;
use crate::element::Element;
use crate::error::Error;
use crate::memory::{DeviceBuffer, HostBuffer, SharedBuffer};
use ascendcl_macros::rule;

impl<'g, C: Brand, K> Capture<'g, C, K> {
    /// Captures a copy of shared memory to the host (`aclrtMemcpyAsync`). No task writes shared memory, so every branch
    /// may read it: `from` may belong to any branch.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when the lengths differ, or [`Error::Vendor`].
    #[rule(GRAPH_05, GRAPH_06)]
    pub fn copy_shared_to_host<E: Element, L>(
        &mut self,
        from: &Captured<'g, SharedBuffer<C, E>, L>,
        to: &mut Captured<'g, HostBuffer<C, E>, K>,
    ) -> Result<(), Error> {
        self.copy::<E>(from.object, to.object)
    }

    /// Captures a copy of shared memory to a device buffer (`aclrtMemcpyAsync`), as
    /// [`copy_shared_to_host`](Self::copy_shared_to_host).
    ///
    /// # Errors
    ///
    /// The same, and [`Error::Misaligned`] for a part that does not begin at a multiple of 64 bytes.
    #[rule(GRAPH_05, GRAPH_06, COPY_09)]
    pub fn copy_shared_on_device<E: Element, L>(
        &mut self,
        from: &Captured<'g, SharedBuffer<C, E>, L>,
        to: &mut Captured<'g, DeviceBuffer<C, E>, K>,
    ) -> Result<(), Error> {
        self.copy::<E>(from.object, to.object)
    }
}
