//! The objects that calls name, as objects of the rules.

use crate::abi::{Address, Name};
use ascendcl_rules::*;
use ascendcl_sys::types::*;

/// Something that a call can be about.
pub(crate) trait Named {
    fn named(self) -> Object;
}

impl Named for Object {
    fn named(self) -> Object {
        self
    }
}

impl Named for Address {
    fn named(self) -> Object {
        Object::memory(self.number() as u64)
    }
}

macro_rules! named {
    ($($handle:ty: $make:ident;)*) => { $(
        impl Named for $handle {
            fn named(self) -> Object {
                Object::$make(self.0.addr() as u64)
            }
        }
    )* };
}
named! {
    aclrtStream: stream;
    aclrtEvent: event;
    aclrtNotify: notify;
    aclrtContext: context;
    aclrtAllocatorDesc: descriptor;
    aclrtAllocator: allocator;
    aclmdlRI: graph;
    aclrtMemPool: pool;
    aclrtDrvMemHandle: physical;
}

impl Named for Name<aclmdlDataset> {
    fn named(self) -> Object {
        Object::dataset(self.0 as u64)
    }
}

impl Named for Name<acldvppChannelDesc> {
    fn named(self) -> Object {
        Object::channel(self.0 as u64)
    }
}

impl Named for Name<aclDataBuffer> {
    fn named(self) -> Object {
        Object::data_buffer(self.0 as u64)
    }
}
