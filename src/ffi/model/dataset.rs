//! Datasets: the vendor's lists of buffers, with the shapes that were chosen for them.

use super::super::{Api, Block};
use super::{Port, pointer};
use crate::error::Error;
use ascendcl_macros::rule;
use ascendcl_sys::types::*;
use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{NonNull, null_mut};

/// A list of data buffers. It owns the list and the buffer records, never the memory they describe.
///
/// Destroyed by [`destroy`](Self::destroy) or [`discard`](Self::discard) on every path; there is no `Drop`.
#[derive(Debug)]
#[rule(DATA_01, DATA_04, DATA_05)]
pub(super) struct Dataset {
    raw: NonNull<aclmdlDataset>,
    /// Null where a buffer record was destroyed.
    buffers: Vec<Cell<*mut aclDataBuffer>>,
    gone: Cell<bool>,
}

const DOING: &str = "put a dataset together";

impl Dataset {
    pub(super) fn create(api: Api) -> Result<Self, Error> {
        // SAFETY: takes nothing; a null answer is an error.
        let created = unsafe { api.library().aclmdlCreateDataset() };
        let raw = pointer(api, "aclmdlCreateDataset", created, DOING)?;
        Ok(Self { raw, buffers: Vec::new(), gone: Cell::new(false) })
    }

    pub(super) fn raw(&self) -> *mut aclmdlDataset {
        self.raw.as_ptr()
    }

    /// Adds a buffer over a block.
    pub(super) fn add(&mut self, api: Api, block: &Block, bytes: usize) -> Result<(), Error> {
        self.add_raw(api, block.start(), bytes)
    }

    /// Adds an empty buffer, into which an execution may put memory of its own (DATA-06).
    #[rule(DATA_03, DATA_06)]
    pub(super) fn add_empty(&mut self, api: Api) -> Result<(), Error> {
        self.add_raw(api, null_mut(), 0)
    }

    fn add_raw(&mut self, api: Api, start: *mut c_void, bytes: usize) -> Result<(), Error> {
        // SAFETY: only describes the memory; what uses the dataset vouches for it.
        let created = unsafe { api.library().aclCreateDataBuffer(start, bytes) };
        let buffer = pointer(api, "aclCreateDataBuffer", created, DOING)?;
        // From here on `destroy` takes care of the buffer, also when adding it fails.
        self.buffers.push(Cell::new(buffer.as_ptr()));
        // SAFETY: the dataset and the buffer are alive.
        let code = unsafe { api.library().aclmdlAddDatasetBuffer(self.raw(), buffer.as_ptr()) };
        api.done("aclmdlAddDatasetBuffer", code, || DOING.into())
    }

    /// States the shape of the buffer at `index`, which has to be there (DATA-09). The library copies the statement.
    #[rule(DATA_09, DATA_11)]
    pub(super) fn set_shape(&self, api: Api, index: usize, port: &Port, dims: &[i64]) -> Result<(), Error> {
        let count = i32::try_from(dims.len()).unwrap_or(i32::MAX);
        // SAFETY: `dims` holds `count` numbers (DATA-11).
        let created =
            unsafe { api.library().aclCreateTensorDesc(port.element.raw(), count, dims.as_ptr(), port.format) };
        let desc = pointer(api, "aclCreateTensorDesc", created, DOING)?;
        // SAFETY: the dataset and the description are alive.
        let code = unsafe { api.library().aclmdlSetDatasetTensorDesc(self.raw(), desc.as_ptr(), index) };
        let set = api.done("aclmdlSetDatasetTensorDesc", code, || format!("set the shape of input {index}"));
        // SAFETY: created above, and destroyed once.
        let destroyed = unsafe { api.library().aclDestroyTensorDesc(desc.as_ptr()) };
        set.and(destroyed.map_err(|missing| api.lacks(missing, DOING.into())))
    }

    /// The shape of the buffer at `index` after an execution; `None` when the library does not say.
    pub(super) fn shape(&self, api: Api, index: usize) -> Option<Vec<i64>> {
        let library = api.library();
        // SAFETY: the dataset is alive; the answer is null or belongs to it.
        let desc = NonNull::new(unsafe { library.aclmdlGetDatasetTensorDesc(self.raw(), index) }.ok()?)?.as_ptr();
        // SAFETY: `desc` lives as long as the dataset, until the next execution.
        let rank = unsafe { library.aclGetTensorDescNumDims(desc) }.ok()?;
        let size = |axis| {
            let mut size = 0;
            // SAFETY: as above; `size` is a place for the number.
            let code = unsafe { library.aclGetTensorDescDimV2(desc, axis, &raw mut size) }.ok()?;
            (code == 0).then_some(size)
        };
        // An unknown rank is a huge number; no tensor has more than 128 axes.
        (rank <= 128).then(|| (0..rank).map(size).collect())?
    }

    /// The memory that the buffer at `index` describes now.
    pub(super) fn memory(&self, api: Api, index: usize) -> Option<(NonNull<c_void>, usize)> {
        let buffer = self.buffers.get(index)?.get();
        // SAFETY: the buffer is alive.
        let start = NonNull::new(unsafe { api.library().aclGetDataBufferAddr(buffer) }.ok()?)?;
        // SAFETY: as above.
        let bytes = unsafe { api.library().aclGetDataBufferSizeV2(buffer) }.ok()?;
        Some((start, bytes))
    }

    /// Makes the buffer at `index` describe nothing any more.
    pub(super) fn empty(&self, api: Api, index: usize) -> Result<(), Error> {
        let Some(buffer) = self.buffers.get(index) else { return Ok(()) };
        // SAFETY: the buffer is alive, and nothing is what a null pointer of the size zero describes (DATA-03).
        let code = unsafe { api.library().aclUpdateDataBuffer(buffer.get(), null_mut(), 0) };
        api.done("aclUpdateDataBuffer", code, || format!("empty output {index} of a model"))
    }

    /// Destroys the buffer records and the list. The first error is reported, the rest is destroyed all the same; what was
    /// refused is tried again by the next call, and nothing else is. Nothing may use the dataset from the first call on.
    pub(super) fn destroy(&self, api: Api) -> Result<(), Error> {
        let mut result = Ok(());
        for buffer in self.buffers.iter().filter(|buffer| !buffer.get().is_null()) {
            // SAFETY: created by this dataset and not destroyed yet.
            let code = unsafe { api.library().aclDestroyDataBuffer(buffer.get()) };
            let destroyed = api.done("aclDestroyDataBuffer", code, || "destroy a data buffer".into());
            if destroyed.is_ok() {
                buffer.set(null_mut());
            }
            result = result.and(destroyed);
        }
        if !self.gone.get() {
            // SAFETY: created by `create` and not destroyed yet.
            let code = unsafe { api.library().aclmdlDestroyDataset(self.raw.as_ptr()) };
            let destroyed = api.done("aclmdlDestroyDataset", code, || "destroy a dataset".into());
            self.gone.set(destroyed.is_ok());
            result = result.and(destroyed);
        }
        result
    }

    /// Destroys a dataset that no row keeps: what the library refuses is tried once more here, and is lost then.
    pub(super) fn discard(self, api: Api) -> Result<(), Error> {
        self.destroy(api).or_else(|_| self.destroy(api))
    }
}
