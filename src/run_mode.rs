//! The run mode: where the program runs.

/// Where the program runs.
///
/// ```
/// use ascendcl::{Acl, Library, RunMode};
///
/// let acl = Acl::init(Library::Simulator)?;
/// assert_eq!(acl.run_mode()?, RunMode::Host);
/// # Ok::<(), ascendcl::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RunMode {
    /// On a host, with memory of its own (`ACL_HOST`).
    Host,
    /// On the device (`ACL_DEVICE`). Host and device share their memory, and buffers for transfers are in device
    /// memory.
    Device,
}
