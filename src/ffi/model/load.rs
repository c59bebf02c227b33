//! Loading, onto memory of the library or of the caller.

use super::super::api::c_path;
use super::super::{Api, Block, Home};
use super::{LoadedModel, unload};
use crate::error::Error;
use crate::ledger::Shelf;
use ascendcl_macros::rule;
use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::path::Path;
use std::sync::Arc;

/// A model file, or its contents in the program's own memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ModelImage<'a> {
    File(&'a Path),
    /// The contents, and the file that they were read from, if they were.
    Memory(&'a [u8], Option<&'a Path>),
}

/// The bytes that a model needs on the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sizes {
    pub(crate) work: usize,
    pub(crate) weights: usize,
}

/// The caller's memory for a model; what is `None` is the library's business. A loaded model keeps it: while the model's
/// row is there, the memory has a name and is not freed (MODEL-02, MODEL-03).
#[derive(Default, Debug)]
#[rule(MODEL_08)]
pub(crate) struct Onto {
    pub(crate) work: Option<Share>,
    pub(crate) weights: Option<Arc<Block>>,
}

/// What one model needs of a working memory that others may work in, too; it is given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    block: Arc<Block>,
    taken: Arc<AtomicUsize>,
    bytes: usize,
}

impl Share {
    /// Takes `bytes` bytes of the memory, of which so many are `taken` already.
    pub(crate) fn take(
        block: &Arc<Block>,
        taken: &Arc<AtomicUsize>,
        bytes: usize,
        what: &'static str,
    ) -> Result<Self, Error> {
        let have = block.bytes();
        let more = |taken: usize| taken.checked_add(bytes).filter(|need| *need <= have);
        match taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, more) {
            Ok(_) => Ok(Self { block: Arc::clone(block), taken: Arc::clone(taken), bytes }),
            Err(before) => Err(Error::TooShort { what, need: before.saturating_add(bytes), have }),
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

impl ModelImage<'_> {
    pub(crate) fn name(self) -> String {
        match self {
            Self::File(path) | Self::Memory(_, Some(path)) => format!("the model {}", path.display()),
            Self::Memory(image, None) => format!("a model of {} bytes from memory", image.len()),
        }
    }

    pub(crate) fn sizes(self, api: Api) -> Result<Sizes, Error> {
        api.may_be_called()?;
        api.in_place()?;
        let (mut work, mut weights) = (0, 0);
        let doing = || format!("ask for the size of {}", self.name());
        match self {
            Self::File(path) => {
                let name = c_path(path)?;
                // SAFETY: a terminated string, read during the call, and places for two numbers.
                let code = unsafe { api.library().aclmdlQuerySize(name.as_ptr(), &raw mut work, &raw mut weights) };
                api.done("aclmdlQuerySize", code, doing)?;
            }
            Self::Memory(image, _) => {
                let image = Placed::new(api, image)?;
                let (start, length) = (image.start(), image.length);
                // SAFETY: the image is read during the call, and there are places for two numbers.
                let code =
                    unsafe { api.library().aclmdlQuerySizeFromMem(start, length, &raw mut work, &raw mut weights) };
                let freed = image.give_back(api);
                api.done("aclmdlQuerySizeFromMem", code, doing).and(freed)?;
            }
        }
        Ok(Sizes { work, weights })
    }
}

impl LoadedModel {
    /// Loads a model; the memory in `onto` stays allocated until it is unloaded. The caller has compared the memory with
    /// the model's [sizes](ModelImage::sizes).
    pub(crate) fn load(api: Api, image: ModelImage<'_>, onto: Onto) -> Result<Self, Error> {
        api.may_be_called()?;
        api.in_place()?;
        let mut id = 0;
        let part = |block: Option<&Arc<Block>>| block.map_or((null_mut(), 0), |own| (own.start(), own.bytes()));
        let (work, work_bytes) = part(onto.work.as_ref().map(|share| &share.block));
        let (weights, weight_bytes) = part(onto.weights.as_ref());
        let library = api.library();
        let theirs = work.is_null() && weights.is_null();
        let mut placed = None;
        let (call, code) = match image {
            ModelImage::File(path) => {
                let path = c_path(path)?;
                let path = path.as_ptr();
                if theirs {
                    // SAFETY: a terminated string, read during the call, and a place for the number.
                    ("aclmdlLoadFromFile", unsafe { library.aclmdlLoadFromFile(path, &raw mut id) })
                } else {
                    // SAFETY: as above; the blocks stay allocated while the model is loaded: it keeps them.
                    ("aclmdlLoadFromFileWithMem", unsafe {
                        library.aclmdlLoadFromFileWithMem(path, &raw mut id, work, work_bytes, weights, weight_bytes)
                    })
                }
            }
            ModelImage::Memory(image, _) => {
                let image = placed.insert(Placed::new(api, image)?);
                let (start, length) = (image.start(), image.length);
                if theirs {
                    // SAFETY: the image is read during the call, and there is a place for the number.
                    ("aclmdlLoadFromMem", unsafe { library.aclmdlLoadFromMem(start, length, &raw mut id) })
                } else {
                    // SAFETY: as above; the blocks stay allocated while the model is loaded: it keeps them.
                    ("aclmdlLoadFromMemWithMem", unsafe {
                        library.aclmdlLoadFromMemWithMem(
                            start,
                            length,
                            &raw mut id,
                            work,
                            work_bytes,
                            weights,
                            weight_bytes,
                        )
                    })
                }
            }
        };
        let freed = placed.map_or(Ok(()), |placed| placed.give_back(api));
        api.done(call, code, || format!("load {}", image.name()))?;
        let model = Self::described(api, id, onto)?;
        match freed {
            Ok(()) => Ok(model),
            Err(error) => {
                // The first error is the one to report.
                let _ = unload(api, id);
                Err(error)
            }
        }
    }
}

/// The contents of a model file where the library reads them: in the program's own memory on a host, in the device's
/// for a program that runs there.
#[rule(MODEL_10, MODEL_11, MODE_02)]
struct Placed<'a> {
    image: &'a [u8],
    length: usize,
    copy: Option<Block>,
}

impl<'a> Placed<'a> {
    fn new(api: Api, image: &'a [u8]) -> Result<Self, Error> {
        let length = image.len();
        if !api.on_device() {
            return Ok(Self { image, length, copy: None });
        }
        let copy = Block::allocate(api, Home::Device, length)?;
        match copy.write(api, image) {
            Ok(()) => Ok(Self { image, length, copy: Some(copy) }),
            Err(error) => {
                // The first error is the one to report.
                let _ = copy.free(api, &Shelf::default());
                Err(error)
            }
        }
    }

    fn start(&self) -> *const c_void {
        self.copy.as_ref().map_or(self.image.as_ptr().cast(), |copy| copy.start().cast_const())
    }

    /// Frees the copy, when the library has read it.
    fn give_back(self, api: Api) -> Result<(), Error> {
        self.copy.map_or(Ok(()), |copy| copy.free(api, &Shelf::default()))
    }
}
