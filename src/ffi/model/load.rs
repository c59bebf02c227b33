//! Loading a model into memory of the library or of the caller.

use super::super::api::c_path;
use super::super::call::call;
use super::super::{Api, LastUse, RawBuffer, RawStream};
use super::LoadedModel;
use crate::error::{Error, ObjectKind};
use crate::ffi::shelf::Shelf;
use crate::model_size::ModelSize;
use ascendcl_macros::rule;
use core::ffi::c_void;
use core::fmt;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::path::Path;
use std::sync::Arc;

/// A model file, or its contents in the program's own memory.
#[derive(Clone, Copy)]
pub(crate) enum ModelImage<'a> {
    File(&'a Path),
    /// The contents, and the file from which they were read, if there was one.
    Memory(&'a [u8], Option<&'a Path>),
}

/// Without the contents, which may be gigabytes.
impl fmt::Debug for ModelImage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Memory(image, file) => {
                f.debug_struct("Memory").field("bytes", &image.len()).field("of", file).finish()
            }
        }
    }
}

/// The caller's memory for a model. The library allocates the parts that are `None`. `model::Load` has the program's
/// handles of the memory; this type has the rows. The model's row keeps them, so the memory is not freed while the
/// model is loaded (MODEL-02, MODEL-03).
#[derive(Default, Debug)]
#[rule(MODEL_08)]
pub(crate) struct LoadInto {
    pub(crate) work: Option<Share>,
    pub(crate) weights: Option<Arc<RawBuffer>>,
}

/// The part of a working memory that one model needs. Other models may use the same memory. Dropping this returns the
/// part.
#[derive(Debug)]
pub(crate) struct Share {
    block: Arc<RawBuffer>,
    taken: Arc<AtomicUsize>,
    bytes: usize,
}

/// The name of working memory in errors.
const WORK: ObjectKind = ObjectKind::WORKSPACE;

impl LoadInto {
    /// An error while something may be running in the working memory.
    pub(crate) fn idle(&self, streams: &Shelf<RawStream>) -> Result<(), Error> {
        self.idle_where(|used| streams.has_done(used))
    }

    /// An error unless this thread has entered the memory's context.
    #[rule(MODEL_08, MEM_11)]
    fn check_current(&self) -> Result<(), Error> {
        self.work.as_ref().map_or(Ok(()), |work| work.block.check_current())?;
        self.weights.as_ref().map_or(Ok(()), |weights| weights.check_current())
    }

    /// An error unless `is_idle` is true for the stamp of the working memory.
    pub(super) fn idle_where(&self, is_idle: impl Fn(&LastUse) -> bool) -> Result<(), Error> {
        match &self.work {
            Some(work) if !is_idle(work.block.last_use()) => Err(Error::StillRunning { what: WORK }),
            _ => Ok(()),
        }
    }
}

impl Share {
    /// Takes `bytes` bytes of the memory. `taken` counts the bytes that shares have taken. With `alone`, there must be
    /// no other share.
    pub(crate) fn take(
        block: &Arc<RawBuffer>,
        taken: &Arc<AtomicUsize>,
        bytes: usize,
        alone: bool,
    ) -> Result<Self, Error> {
        let have = block.bytes();
        let may_join = |taken: usize| taken == 0 || !alone;
        let more = |taken: usize| taken.checked_add(bytes).filter(|need| *need <= have && may_join(taken));
        match taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, more) {
            Ok(_) => Ok(Self { block: Arc::clone(block), taken: Arc::clone(taken), bytes }),
            Err(before) if !may_join(before) => Err(Error::WorkspaceTaken),
            Err(before) => Err(Error::TooShort { what: WORK, need: before.saturating_add(bytes), have }),
        }
    }

    pub(super) fn block(&self) -> &RawBuffer {
        &self.block
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

impl<'a> ModelImage<'a> {
    pub(crate) fn name(self) -> String {
        match self {
            Self::File(path) | Self::Memory(_, Some(path)) => format!("the model {}", path.display()),
            Self::Memory(image, None) => format!("a model of {} bytes from memory", image.len()),
        }
    }

    /// The bytes that must be copied to the device before the library can read them: an image in the program's memory,
    /// if the program runs on the device (MODE-02).
    pub(crate) fn to_be_copied(self, api: Api) -> Option<&'a [u8]> {
        match self {
            Self::Memory(image, _) if api.on_device() => Some(image),
            _ => None,
        }
    }
}

/// A model file, or its contents in memory that the library can read: the program's own memory on a host, or the
/// device's memory if the program runs on the device.
#[derive(Clone, Copy, Debug)]
#[rule(MODEL_10, MODEL_11, MODE_02)]
pub(crate) struct Image<'a> {
    pub(crate) source: ModelImage<'a>,
    /// The copy of the bytes that [must be copied](ModelImage::to_be_copied).
    pub(crate) copy: Option<&'a RawBuffer>,
}

impl Image<'_> {
    fn start(&self, image: &[u8]) -> *const c_void {
        self.copy.map_or(image.as_ptr().cast(), |copy| copy.start().cast_const())
    }

    pub(crate) fn sizes(self, api: Api) -> Result<ModelSize, Error> {
        let (mut workspace, mut weights) = (0, 0);
        let answer = match self.source {
            ModelImage::File(path) => {
                let name = c_path(path)?;
                // SAFETY: the function reads a terminated string, which a `CString` is, and writes two numbers to
                // `workspace` and `weights`, during the call; a pointer to a live local is valid for writes
                // (`core::ptr`, "Safety").
                unsafe { call!(api.aclmdlQuerySize(name.as_ptr(), &raw mut workspace, &raw mut weights)) }
            }
            ModelImage::Memory(image, _) => {
                let (start, length) = (self.start(image), image.len());
                // SAFETY: the function reads `length` bytes at `start`, which is the image or its copy on the device
                // (MODE-02), and writes two numbers to `workspace` and `weights`, during the call; a pointer to a live
                // local is valid for writes (`core::ptr`, "Safety").
                unsafe { call!(api.aclmdlQuerySizeFromMem(start, length, &raw mut workspace, &raw mut weights)) }
            }
        };
        answer.done(|| format!("ask for the size of {}", self.source.name()))?;
        Ok(ModelSize { workspace, weights })
    }
}

impl LoadedModel {
    /// Loads the model. The memory into which it is loaded stays allocated until the model is unloaded. The caller has
    /// compared the memory with the model's [sizes](Image::sizes), and calls this once.
    ///
    /// A call that fails may have loaded the model, and have said its number. Then [`unload`](Self::unload) unloads it,
    /// unless `is_another` says that another model has the number.
    #[rule(MODEL_02, MODEL_03)]
    pub(crate) fn load(&self, api: Api, image: Image<'_>, is_another: impl FnOnce(u32) -> bool) -> Result<(), Error> {
        /// What is there before the library writes. If it gave this number out, a failed load would leave a model
        /// loaded.
        const NOT_WRITTEN: u32 = u32::MAX;
        self.memory.check_current()?;
        let mut id = NOT_WRITTEN;
        let part = |block: Option<&Arc<RawBuffer>>| block.map_or((null_mut(), 0), |own| (own.start(), own.bytes()));
        let (work, work_bytes) = part(self.memory.work.as_ref().map(|share| &share.block));
        let (weights, weight_bytes) = part(self.memory.weights.as_ref());
        let theirs = work.is_null() && weights.is_null();
        let answer = match image.source {
            ModelImage::File(path) => {
                let path = c_path(path)?;
                let path = path.as_ptr();
                if theirs {
                    // SAFETY: the function reads a terminated string, which a `CString` is, and writes the number to
                    // `id`, during the call; a pointer to a live local is valid for writes (`core::ptr`, "Safety").
                    unsafe { call!(api.aclmdlLoadFromFile(path, &raw mut id)) }
                } else {
                    // SAFETY: the function reads a terminated string, which a `CString` is, and writes the number to
                    // `id`, during the call; a pointer to a live local is valid for writes (`core::ptr`, "Safety"). It
                    // continues to use the blocks until the model is unloaded (MODEL-02, MODEL-03): `memory`, which is
                    // part of the row, keeps them.
                    unsafe {
                        call!(api.aclmdlLoadFromFileWithMem(path, &raw mut id, work, work_bytes, weights, weight_bytes))
                    }
                }
            }
            ModelImage::Memory(contents, _) => {
                let (start, length) = (image.start(contents), contents.len());
                if theirs {
                    // SAFETY: the function reads `length` bytes at `start`, which is the image or its copy on the
                    // device (MODE-02), and writes the number to `id`, during the call; a pointer to a live local is
                    // valid for writes (`core::ptr`, "Safety").
                    unsafe { call!(api.aclmdlLoadFromMem(start, length, &raw mut id)) }
                } else {
                    // SAFETY: the function reads `length` bytes at `start`, which is the image or its copy on the
                    // device (MODE-02), and writes the number to `id`, during the call; a pointer to a live local is
                    // valid for writes (`core::ptr`, "Safety"). It continues to use the blocks until the model is
                    // unloaded (MODEL-02, MODEL-03): `memory`, which is part of the row, keeps them.
                    unsafe {
                        call!(api.aclmdlLoadFromMemWithMem(
                            start,
                            length,
                            &raw mut id,
                            work,
                            work_bytes,
                            weights,
                            weight_bytes,
                        ))
                    }
                }
            }
        };
        let loaded = answer.done(|| format!("load {}", image.source.name()));
        if loaded.is_ok() || (id != NOT_WRITTEN && !is_another(id)) {
            self.id.store(id, Ordering::Relaxed);
            self.is_left.store(true, Ordering::Release);
        }
        self.is_loaded.store(loaded.is_ok(), Ordering::Release);
        loaded
    }
}
