//! Datasets: the vendor's lists of buffers, with the shapes that were chosen for them.

use super::super::call::call;
use super::super::{Api, Block};
use super::Port;
use crate::error::Error;
use ascendcl_macros::rule;
use ascendcl_sys::types::*;
use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{NonNull, null_mut};

/// A list of data buffers. It owns the list and the buffer records, never the memory they describe.
///
/// What owns it has a row before anything is created, so that each record has an owner from its first moment. There is no
/// `Drop`: what [`destroy`](Self::destroy) was refused stays here and is tried again by the next call.
#[derive(Debug)]
#[rule(DATA_01, DATA_04, DATA_05)]
pub(super) struct Dataset {
    /// Null before it is created, and after the library has destroyed it.
    raw: Cell<*mut aclmdlDataset>,
    /// The same for each buffer.
    buffers: Box<[Cell<*mut aclDataBuffer>]>,
    /// The description of a shape, for as long as the library is told of it.
    shape: Cell<*mut aclTensorDesc>,
}

const DOING: &str = "put a dataset together";

impl Dataset {
    /// The place for a list of so many buffers; nothing is called.
    pub(super) fn of(buffers: usize) -> Self {
        let buffers = core::iter::repeat_with(|| Cell::new(null_mut())).take(buffers).collect();
        Self { raw: Cell::new(null_mut()), buffers, shape: Cell::new(null_mut()) }
    }

    /// Creates the list, and a buffer over each block; one without a block is empty, and an execution may put memory of its
    /// own into it (DATA-06).
    #[rule(DATA_03, DATA_06)]
    pub(super) fn create<'b>(
        &self,
        api: Api,
        blocks: impl IntoIterator<Item = Option<(&'b Block, usize)>>,
    ) -> Result<(), Error> {
        // SAFETY: takes nothing; a null answer is an error.
        let created = unsafe { call!(api.aclmdlCreateDataset()) };
        self.raw.set(created.pointer(DOING)?.as_ptr());
        self.buffers.iter().zip(blocks).try_for_each(|(buffer, block)| {
            let (start, bytes) = block.map_or((null_mut(), 0), |(block, bytes)| (block.start(), bytes));
            self.add(api, buffer, start, bytes)
        })
    }

    fn add(&self, api: Api, buffer: &Cell<*mut aclDataBuffer>, start: *mut c_void, bytes: usize) -> Result<(), Error> {
        // SAFETY: only describes the memory; what uses the dataset vouches for it.
        let created = unsafe { call!(api.aclCreateDataBuffer(start, bytes)) };
        buffer.set(created.pointer(DOING)?.as_ptr());
        // SAFETY: the dataset and the buffer were created and not destroyed.
        let answer = unsafe { call!(api.aclmdlAddDatasetBuffer(self.raw(), buffer.get())) };
        answer.done(|| DOING.into())
    }

    pub(super) fn raw(&self) -> *mut aclmdlDataset {
        self.raw.get()
    }

    /// States the shape of the buffer at `index`, which has to be there (DATA-09). The library copies the statement.
    #[rule(DATA_09, DATA_11)]
    pub(super) fn set_shape(&self, api: Api, index: usize, port: &Port, dims: &[i64]) -> Result<(), Error> {
        self.destroy_shape(api)?;
        let count = i32::try_from(dims.len()).unwrap_or(i32::MAX);
        // SAFETY: `dims` holds `count` numbers (DATA-11).
        let created = unsafe { call!(api.aclCreateTensorDesc(port.element.raw(), count, dims.as_ptr(), port.format)) };
        self.shape.set(created.pointer(DOING)?.as_ptr());
        // SAFETY: the dataset and the description are alive.
        let answer = unsafe { call!(api.aclmdlSetDatasetTensorDesc(self.raw(), self.shape.get(), index)) };
        let set = answer.done(|| format!("set the shape of input {index}"));
        set.and(self.destroy_shape(api))
    }

    fn destroy_shape(&self, api: Api) -> Result<(), Error> {
        if self.shape.get().is_null() {
            return Ok(());
        }
        // SAFETY: created by `set_shape` and not destroyed yet; it has no way to fail once the function is there.
        let destroyed = unsafe { call!(api.aclDestroyTensorDesc(self.shape.get())) };
        destroyed.value(|| DOING.into())?;
        self.shape.set(null_mut());
        Ok(())
    }

    /// The shape of the buffer at `index` after an execution; `None` when the library does not say.
    pub(super) fn shape(&self, api: Api, index: usize) -> Option<Vec<i64>> {
        // SAFETY: the dataset is alive; the answer is null or belongs to it.
        let desc = NonNull::new(unsafe { call!(api.aclmdlGetDatasetTensorDesc(self.raw(), index)) }.ok()?)?.as_ptr();
        // SAFETY: `desc` lives as long as the dataset, until the next execution.
        let rank = unsafe { call!(api.aclGetTensorDescNumDims(desc)) }.ok()?;
        let size = |axis| {
            let mut size = 0;
            // SAFETY: `desc` lives as long as the dataset, until the next execution; `size` is a place for the number.
            let answer = unsafe { call!(api.aclGetTensorDescDimV2(desc, axis, &raw mut size)) };
            answer.is_success().then_some(size)
        };
        // An unknown rank is a huge number; no tensor has more than 128 axes.
        (rank <= 128).then(|| (0..rank).map(size).collect())?
    }

    /// The memory that the buffer at `index` describes now.
    pub(super) fn memory(&self, api: Api, index: usize) -> Option<(NonNull<c_void>, usize)> {
        let buffer = self.buffers.get(index)?.get();
        if buffer.is_null() {
            return None;
        }
        // SAFETY: the buffer was created and not destroyed.
        let start = NonNull::new(unsafe { call!(api.aclGetDataBufferAddr(buffer)) }.ok()?)?;
        // SAFETY: the buffer was created and not destroyed. Memory of an unknown size is memory all the same, and has to be freed.
        let bytes = unsafe { call!(api.aclGetDataBufferSizeV2(buffer)) }.ok().unwrap_or_default();
        Some((start, bytes))
    }

    /// Makes the buffer at `index` describe nothing any more.
    pub(super) fn empty(&self, api: Api, index: usize) -> Result<(), Error> {
        let buffer = self.buffers.get(index).map_or(null_mut(), Cell::get);
        if buffer.is_null() {
            return Ok(());
        }
        // SAFETY: the buffer is alive, and nothing is what a null pointer of the size zero describes (DATA-03).
        let answer = unsafe { call!(api.aclUpdateDataBuffer(buffer, null_mut(), 0)) };
        answer.done(|| format!("empty output {index} of a model"))
    }

    /// Destroys the buffer records and the list. The first error is reported, the rest is destroyed all the same; what was
    /// refused is tried again by the next call, and nothing else is. Nothing may use the dataset from the first call on.
    pub(super) fn destroy(&self, api: Api) -> Result<(), Error> {
        let mut result = self.destroy_shape(api);
        for buffer in self.buffers.iter().filter(|buffer| !buffer.get().is_null()) {
            // SAFETY: created by this dataset and not destroyed yet.
            let answer = unsafe { call!(api.aclDestroyDataBuffer(buffer.get())) };
            let destroyed = answer.done(|| "destroy a data buffer".into());
            if destroyed.is_ok() {
                buffer.set(null_mut());
            }
            result = result.and(destroyed);
        }
        if !self.raw.get().is_null() {
            // SAFETY: created by `create` and not destroyed yet.
            let answer = unsafe { call!(api.aclmdlDestroyDataset(self.raw.get())) };
            let destroyed = answer.done(|| "destroy a dataset".into());
            if destroyed.is_ok() {
                self.raw.set(null_mut());
            }
            result = result.and(destroyed);
        }
        result
    }
}
