//! Descriptors in device memory: one call writes them, and the device reads them when it comes to the work of another.
//! Those of a device look otherwise.

use crate::abi::Address;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::Named;
use crate::machine::memory::{Place, describe, hold};
use crate::machine::watch;
use ascendcl_rules::{COPY_12, Flag, Object, Op, Place as Claimed, Role};
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

    /// A descriptor is in device memory, and as long as the query for its size says.
    fn in_place(&self, desc: Address) -> Answer {
        let there = describe(desc).filter(|found| matches!(found.place, Place::Device(_))).map(|found| found.left);
        let failure = match there {
            Some(left) if left >= Self::BYTES => return Ok(()),
            Some(left) => Failure::refused(format!("the descriptor has {} bytes, and {left} are there", Self::BYTES)),
            None => Failure::refused(format!("{:#x} is in no memory of a device", desc.number())),
        };
        let fix = "allocate as many bytes of device memory as the query for the size reports";
        let failure = failure.breaks(COPY_12, "a descriptor in device memory that is large enough", fix);
        Err(failure.about(Object::memory(desc.number() as u64)))
    }

    pub(super) fn write(&self, desc: Address, words: [u64; WORDS]) -> Answer {
        self.in_place(desc)?;
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
        self.in_place(desc)?;
        let call = watch::call(Op::Use, stream).queue(stream).flag(Flag::Elsewhere, true);
        let call = call.reads(desc, Self::BYTES, Role::Source, Some(Claimed::Device)).begin()?;
        let stream = named.for_work()?;
        let kept = hold(desc, Self::BYTES)?;
        let queued = stream.submit_each(move |_| {
            let _kept = &kept;
            if desc.array::<WORD>() != self.mark {
                let text = format!("what is at the descriptor's place was not written by {}", self.written_by);
                let failure = Failure::new(ACL_ERROR_RT_DRV_INTERNAL_ERROR, text);
                let fix = "set the descriptor first, and give the stream the work that reads it then";
                let failure = failure.breaks(COPY_12, "a descriptor that was set before", fix);
                return Err(failure.about(Object::memory(desc.number() as u64)));
            }
            work(core::array::from_fn(|index| desc.offset((1 + index) * WORD).array::<WORD>()))
        });
        call.end(queued.map(drop))
    }
}
