// Also the crate that declares a life cycle gives a state no other bound.
mod protocols {
    ascendcl_macros::protocol! {
        /// A file that can be mapped.
        pub mod file;

        /// FILE-01: what was opened is closed.
        [*] --> Open : open;
        Open --> Open : read;
        /// FILE-02: after an input error the position is unknown.
        Open --> Lost : read fails;
        Open --> Mapped : map;
        /// FILE-03: a mapping ends before its file does.
        Mapped --> Open : unmap;
        Open --> [*] : close;
        Lost --> [*] : close;

        on close {
            message: "a file in state `{Self}` cannot be closed",
            label: "expected a file without a mapping",
            note: "FILE-03: the mapping would outlive its file",
            note: "unmap it first: `file.unmap()`",
        }

        /// Mapped as a slice of `T`.
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

impl protocols::file::CanClose for Mapped<u8> {
    const THEN: protocols::file::At = protocols::file::At::End;
    const OTHERWISE: protocols::file::At = protocols::file::At::Open;
}

fn main() {
    File::open().map::<u8>().close();
}
