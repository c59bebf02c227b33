//! Where memory is, and in which direction copies go.

use super::Api;
use crate::error::ObjectKind;
use ascendcl_macros::rule;
use ascendcl_sys::types::aclrtMemcpyKind;

/// Where a block is, and by which functions it is allocated and freed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[rule(MEM_03)]
pub(crate) enum Home {
    /// `aclrtMalloc`, `aclrtFree`.
    Device = 0,
    /// `aclrtMallocHost`, `aclrtFreeHost`.
    Pinned,
    /// Replaces `Pinned` if the program runs on the device: memory of the device, whose addresses the program can
    /// access like its own (MODE-01). `aclrtMalloc`, `aclrtFree`.
    Unified,
    /// Ordinary host memory that was taken from a vector.
    Pageable,
    /// Registered pages of the program. `aclrtHostRegisterV2`, `aclrtHostUnregister`.
    Registered,
    /// Device memory of other code, which also frees it.
    Adopted,
}

/// One side of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Host,
    Device,
}

/// The bits of a word that have a context's number; the bits above have a home. No context's number is larger.
const NUMBER: u64 = (1 << 56) - 1;

impl Home {
    /// The number of a block's context and this home in one word, so that one comparison is enough for both. For
    /// [`Device`](Self::Device), the word is the context's number.
    #[inline]
    pub(super) const fn in_context(self, context: u64) -> u64 {
        context | (self as u64) << 56
    }

    /// The number of the context in such a word.
    #[inline]
    pub(super) const fn context_in(word: u64) -> u64 {
        word & NUMBER
    }

    #[inline]
    pub(super) fn side(self) -> Side {
        match self {
            Self::Device | Self::Adopted => Side::Device,
            Self::Pinned | Self::Unified | Self::Pageable | Self::Registered => Side::Host,
        }
    }

    pub(crate) fn kind(self) -> ObjectKind {
        match self {
            Self::Device | Self::Adopted => ObjectKind::DEVICE_MEMORY,
            Self::Pinned | Self::Unified => ObjectKind::PINNED_MEMORY,
            Self::Pageable => ObjectKind::PAGEABLE_MEMORY,
            Self::Registered => ObjectKind::REGISTERED_MEMORY,
        }
    }
}

impl Api {
    /// The direction of a copy between these two sides. For a program that runs on the device, all memory is device
    /// memory (MODE-03).
    #[inline]
    #[rule(COPY_02, MODE_01, MODE_03)]
    pub(super) fn direction(self, to: Side, from: Side) -> aclrtMemcpyKind {
        match (to, from) {
            _ if self.on_device() => aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE,
            (Side::Device, Side::Device) => aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE,
            (Side::Device, Side::Host) => aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE,
            (Side::Host, Side::Device) => aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST,
            (Side::Host, Side::Host) => aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_HOST,
        }
    }
}
