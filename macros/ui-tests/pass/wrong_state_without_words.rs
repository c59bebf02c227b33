// FILE-03: an operation without an `on` says where it can be done, and why.
mod protocols {
    ascendcl_macros::protocol! {
        pub mod file;

        /// FILE-01: only what is open is closed.
        [*] --> Open : open;
        Open --> Mapped : map;
        /// FILE-02: what is mapped can still be protected.
        Mapped --> Mapped : protect;
        /// FILE-03: a mapping is removed before its file is closed.
        Mapped --> Open : unmap;
        Open --> [*] : close;

        on close {
            message: "a file in state `{Self}` cannot be closed",
            label: "expected a file in state `Open`",
            note: "FILE-03: its mapping would outlive it",
            note: "unmap it first: `file.unmap().close()`",
        }

        state Mapped<T>;
    }
}

use core::marker::PhantomData;
use protocols::file::{CanClose, CanMap, CanUnmap, Mapped, Open, State};

pub struct File<S: State>(PhantomData<S>);

impl File<Open> {
    pub fn open() -> Self {
        File(PhantomData)
    }
}

impl<S: State> File<S> {
    fn then<T: State>(self) -> File<T> {
        File(PhantomData)
    }

    pub fn map<T>(self) -> File<Mapped<T>>
    where
        S: CanMap,
    {
        const { assert!(S::THEN.is(<Mapped<T> as State>::AT)) };
        self.then()
    }

    pub fn unmap(self) -> File<Open>
    where
        S: CanUnmap,
    {
        const { assert!(S::THEN.is(Open::AT)) };
        self.then()
    }

    pub fn close(self)
    where
        S: CanClose,
    {
    }
}

fn main() {
    let file = File::open();
    file.map::<u8>().unmap().close();
}
