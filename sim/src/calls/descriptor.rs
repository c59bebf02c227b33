//! Descriptors in device memory: one call writes them, and the device reads them when it comes to the work of another.
//! Those of a device look otherwise.

use super::notify::on_device;
use crate::abi::Address;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::memory::hold;
use crate::machine::watch;
use ascendcl_rules::{Flag, Op, Place as Claimed, Role};
use ascendcl_sys::error_codes::ACL_ERROR_RT_DRV_INTERNAL_ERROR;
use ascendcl_sys::types::aclrtStream;

pub(super) const WORD: usize = size_of::<u64>();

/// A mark, and so many words behind it.
pub(super) struct Descriptor<const WORDS: usize> {
    pub(super) mark: [u8; WORD],
    /// The function that writes it.
    pub(super) written_by: &'static str,
}

impl<const WORDS: usize> Descriptor<WORDS> {
    pub(super) const BYTES: usize = (1 + WORDS) * WORD;

    pub(super) fn write(&self, desc: Address, words: [u64; WORDS]) -> Answer {
        on_device(desc)?;
        let call = watch::call(Op::Use, desc);
        let call = call.writes(desc, Self::BYTES, Role::Target, Some(Claimed::Device)).begin()?;
        current_context()?;
        let _hold = hold(desc, Self::BYTES)?;
        desc.write(&self.mark);
        for (index, word) in words.into_iter().enumerate() {
            desc.offset((1 + index) * WORD).write(&word.to_ne_bytes());
        }
        call.end(Ok(()))
    }

    /// Queues work on a stream, which gets the words.
    pub(super) fn queue(
        &'static self,
        desc: Address,
        stream: aclrtStream,
        named: Named,
        work: impl Fn([[u8; WORD]; WORDS]) -> Answer + Send + Sync + 'static,
    ) -> Answer {
        on_device(desc)?;
        let call = watch::call(Op::Use, stream).queue(stream).flag(Flag::Elsewhere, true);
        let call = call.reads(desc, Self::BYTES, Role::Source, Some(Claimed::Device)).begin()?;
        let stream = named.for_work()?;
        let kept = hold(desc, Self::BYTES)?;
        let queued = stream.submit_each(move |_| {
            let _kept = &kept;
            if desc.array::<WORD>() != self.mark {
                let text = format!("what is at the descriptor's place was not written by {}", self.written_by);
                return Err(Failure::new(ACL_ERROR_RT_DRV_INTERNAL_ERROR, text));
            }
            work(core::array::from_fn(|index| desc.offset((1 + index) * WORD).array::<WORD>()))
        });
        call.end(queued.map(drop))
    }
}
