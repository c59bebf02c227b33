//! The pages that device memory is made of.

use ascendcl_sys::types::aclrtMemMallocPolicy;

/// The pages that device memory is made of (`aclrtMemMallocPolicy`). Larger ones take less time to translate, and waste
/// more memory in small blocks.
///
/// ```
/// use ascendcl::memory::MemoryPolicy;
///
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let small = current.device_buffer_with::<f32>(16, MemoryPolicy::NormalOnly)?;
/// # drop(small);
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum MemoryPolicy {
    /// Huge pages of 2 MiB for blocks of more than 1 MiB, if the device has some left; otherwise normal pages. This is
    /// the policy of [`device_buffer`](crate::Current::device_buffer).
    #[default]
    HugeFirst,
    /// Huge pages of 2 MiB, or an error.
    HugeOnly,
    /// Normal pages of 4 KiB.
    NormalOnly,
    /// Pages of 1 GiB, or an error; on releases and products that have them.
    GigabyteOnly,
    /// As [`HugeFirst`](Self::HugeFirst), for memory that another device copies from or to.
    HugeFirstForPeers,
    /// As [`HugeOnly`](Self::HugeOnly), for memory that another device copies from or to.
    HugeOnlyForPeers,
    /// As [`NormalOnly`](Self::NormalOnly), for memory that another device copies from or to.
    NormalOnlyForPeers,
}

impl MemoryPolicy {
    pub(crate) fn raw(self) -> aclrtMemMallocPolicy {
        match self {
            Self::HugeFirst => aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST,
            Self::HugeOnly => aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_ONLY,
            Self::NormalOnly => aclrtMemMallocPolicy::ACL_MEM_MALLOC_NORMAL_ONLY,
            Self::GigabyteOnly => aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE1G_ONLY,
            Self::HugeFirstForPeers => aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST_P2P,
            Self::HugeOnlyForPeers => aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_ONLY_P2P,
            Self::NormalOnlyForPeers => aclrtMemMallocPolicy::ACL_MEM_MALLOC_NORMAL_ONLY_P2P,
        }
    }
}
