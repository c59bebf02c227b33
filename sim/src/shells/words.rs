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
