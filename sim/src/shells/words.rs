//! The arguments of a call that may be handles or addresses, as numbers.

use ascendcl_sys::types::*;

/// An argument.
pub(super) struct Word<T>(pub(super) T);

impl<T> Word<*mut T> {
    pub(super) fn number(self) -> usize {
        self.0.addr()
    }
}

impl<T> Word<*const T> {
    pub(super) fn number(self) -> usize {
        self.0.addr()
    }
}

macro_rules! handles {
    ($($ty:ty),* $(,)?) => { $(
        impl Word<$ty> {
            pub(super) fn number(self) -> usize {
                self.0.0.addr()
            }
        }
    )* };
}
handles!(aclrtStream, aclrtEvent, aclrtNotify, aclrtContext, aclrtTaskGrp, aclrtMemPool, aclrtDrvMemHandle);
handles!(aclmdlRI, aclmdlRICondHandle, aclrtLabel, aclrtLabelList, aclrtAllocatorDesc, acltdtBuf);

/// Any other argument is no handle. The methods above come before this one.
pub(super) trait NoHandle: Sized {
    fn number(self) -> usize {
        0
    }
}
impl<T> NoHandle for Word<T> {}

/// What a function that is not simulated was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Argument {
    Address(*const core::ffi::c_void),
    /// A handle or a number. Null is 0.
    Word(u64),
    /// A structure, or a choice among named values.
    Other,
}

impl Argument {
    pub(super) fn is_nothing(self) -> bool {
        match self {
            Self::Address(address) => address.is_null(),
            Self::Word(word) => word == 0,
            Self::Other => false,
        }
    }
}

impl<T> Word<*mut T> {
    pub(super) fn argument(self) -> Argument {
        Argument::Address(self.0.cast())
    }
}

impl<T> Word<*const T> {
    pub(super) fn argument(self) -> Argument {
        Argument::Address(self.0.cast())
    }
}

impl<T> Word<Option<T>> {
    pub(super) fn argument(self) -> Argument {
        Argument::Word(self.0.is_some().into())
    }
}

macro_rules! words {
    ($($ty:ty: $word:expr),* $(,)?) => { $(
        impl Word<$ty> {
            pub(super) fn argument(self) -> Argument {
                let word: fn($ty) -> u64 = $word;
                Argument::Word(word(self.0))
            }
        }
    )* };
}
words! {
    u32: u64::from,
    u64: u64::from,
    usize: |size| size as u64,
    i32: |number| number.cast_unsigned().into(),
    aclrtArgsHandle: |handle| handle.0.addr() as u64,
    aclrtBinHandle: |handle| handle.0.addr() as u64,
    aclrtBinary: |handle| handle.0.addr() as u64,
    aclrtFuncHandle: |handle| handle.0.addr() as u64,
    aclrtMbuf: |handle| handle.0.addr() as u64,
    aclrtParamHandle: |handle| handle.0.addr() as u64,
    aclmdlRITask: |handle| handle.0.addr() as u64,
    aclrtHacType: |kind| kind.0.into(),
    aclrtSnapShotStage: |stage| stage.0.into(),
}

/// Any other argument. The methods above come before this one.
pub(super) trait NoWord: Sized {
    fn argument(self) -> Argument {
        Argument::Other
    }
}
impl<T> NoWord for Word<T> {}
