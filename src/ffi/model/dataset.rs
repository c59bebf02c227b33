//! Datasets: the vendor's lists of buffers, with the shapes that were chosen for them.

use super::super::call::call;
use super::super::{Api, RawBuffer};
use super::description::Port;
use crate::error::{Error, ObjectKind};
use ascendcl_macros::rule;
use ascendcl_sys::types::*;
use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{NonNull, null_mut};

/// A list of data buffers. It owns the list and the buffer records, never the memory that they describe.
///
/// Its owner has a row before any record is created, so each record has an owner from the beginning. There is no
/// `Drop`: a record that the library refused to [`destroy`](Self::destroy) stays here, and the next call tries again.
#[derive(Debug)]
#[rule(DATA_01, DATA_04, DATA_05)]
pub(super) struct Dataset {
    /// Null before it is created, and after the library has destroyed it.
    raw: Cell<*mut aclmdlDataset>,
    /// Null before a buffer is created, and after the library has destroyed it.
    buffers: Box<[Cell<*mut aclDataBuffer>]>,
    /// The description of a shape, while the library reads it.
    shape: Cell<*mut aclTensorDesc>,
}

const DOING: &str = "put a dataset together";

impl Dataset {
    /// The place for a list of `buffers` buffers. This calls nothing of the library.
    pub(super) fn of(buffers: usize) -> Self {
        let buffers = core::iter::repeat_with(|| Cell::new(null_mut())).take(buffers).collect();
        Self { raw: Cell::new(null_mut()), buffers, shape: Cell::new(null_mut()) }
    }

    /// Creates the list, and a buffer over each block. A buffer without a block is empty, and an execution may put
    /// memory of the library's into it (DATA-06).
    #[rule(DATA_03, DATA_06)]
    pub(super) fn create<'b>(
        &self,
        api: Api,
        blocks: impl IntoIterator<Item = Option<(&'b RawBuffer, usize)>>,
    ) -> Result<(), Error> {
        // SAFETY: the function takes no arguments, so it requires only that its signature is that of the table. Null,
        // which stands for a failure, is checked (ERR-06).
        let created = unsafe { call!(api.aclmdlCreateDataset()) };
        self.raw.set(created.pointer(DOING)?.as_ptr());
        self.buffers.iter().zip(blocks).try_for_each(|(buffer, block)| {
            let (start, bytes) = block.map_or((null_mut(), 0), |(block, bytes)| (block.start(), bytes));
            self.add(api, buffer, start, bytes)
        })
    }

    fn add(&self, api: Api, buffer: &Cell<*mut aclDataBuffer>, start: *mut c_void, bytes: usize) -> Result<(), Error> {
        // SAFETY: the function records the address and the size, and does not access the memory. The code that executes
        // with the dataset keeps the memory in place (DATA-02).
        let created = unsafe { call!(api.aclCreateDataBuffer(start, bytes)) };
        buffer.set(created.pointer(DOING)?.as_ptr());
        // SAFETY: the function asks for a live dataset and a live buffer. Both were created above, and only `destroy`
        // destroys them (DATA-05).
        let answer = unsafe { call!(api.aclmdlAddDatasetBuffer(self.raw(), buffer.get())) };
        answer.done(|| DOING.into())
    }

    pub(super) fn raw(&self) -> *mut aclmdlDataset {
        self.raw.get()
    }

    /// Sets the shape of the buffer at `index`, which must exist (DATA-09). The library copies the shape.
    #[rule(DATA_09, DATA_11)]
    pub(super) fn set_shape(&self, api: Api, index: usize, port: &Port, dims: &[i64]) -> Result<(), Error> {
        self.destroy_shape(api)?;
        let count = i32::try_from(dims.len()).unwrap_or(i32::MAX);
        // SAFETY: the function reads `count` numbers at `dims`, and copies them (DATA-11). The slice has that many.
        let created = unsafe { call!(api.aclCreateTensorDesc(port.element.raw(), count, dims.as_ptr(), port.format)) };
        self.shape.set(created.pointer(DOING)?.as_ptr());
        // SAFETY: the function asks for a live dataset and a live description. `create` created the dataset and the
        // call above the description, and both are destroyed only later (DATA-05).
        let answer = unsafe { call!(api.aclmdlSetDatasetTensorDesc(self.raw(), self.shape.get(), index)) };
        let set = answer.done(|| format!("set the shape of input {index}"));
        set.and(self.destroy_shape(api))
    }

    fn destroy_shape(&self, api: Api) -> Result<(), Error> {
        if self.shape.get().is_null() {
            return Ok(());
        }
        // SAFETY: the function asks for a live description, once. `set_shape` created it, and null is stored when it is
        // destroyed. The call cannot fail if the function exists.
        let destroyed = unsafe { call!(api.aclDestroyTensorDesc(self.shape.get())) };
        destroyed.value(|| DOING.into())?;
        self.shape.set(null_mut());
        Ok(())
    }

    /// The shape of the buffer at `index` after an execution. `None` if the library does not report it.
    pub(super) fn shape(&self, api: Api, index: usize) -> Option<Vec<i64>> {
        self.sizes(api, index)?.collect()
    }

    /// The number of elements of that shape. `None` also if a size is unknown.
    pub(super) fn elements(&self, api: Api, index: usize) -> Option<usize> {
        self.sizes(api, index)?.try_fold(1, |all: usize, size| Some(all.saturating_mul(usize::try_from(size?).ok()?)))
    }

    /// The sizes of that shape, each as the library reports it.
    fn sizes(&self, api: Api, index: usize) -> Option<impl Iterator<Item = Option<i64>>> {
        // SAFETY: the function asks for a live dataset, which this is until `destroy` (DATA-05). The answer is null or
        // belongs to the dataset.
        let desc = NonNull::new(unsafe { call!(api.aclmdlGetDatasetTensorDesc(self.raw(), index)) }.ok()?)?.as_ptr();
        // SAFETY: the function asks for a live description. `desc` belongs to the dataset, and lives until the next
        // execution, for which the caller would need the binding.
        let rank = unsafe { call!(api.aclGetTensorDescNumDims(desc)) }.ok()?;
        let size = move |axis| {
            let mut size = 0;
            // SAFETY: the function asks for a live description, and writes the number to `size` during the call. `desc`
            // belongs to the dataset, and lives until the next execution; a pointer to a live local is valid for writes
            // (`core::ptr`, "Safety").
            let answer = unsafe { call!(api.aclGetTensorDescDimV2(desc, axis, &raw mut size)) };
            answer.is_success().then_some(size)
        };
        // An unknown rank is reported as a huge number. No tensor has more than 128 axes.
        (rank <= 128).then(|| (0..rank).map(size))
    }

    /// The memory that the buffer at `index` describes now.
    pub(super) fn memory(&self, api: Api, index: usize) -> Option<(NonNull<c_void>, usize)> {
        let buffer = self.buffers.get(index)?.get();
        if buffer.is_null() {
            return None;
        }
        // SAFETY: the function asks for a live buffer. It is not null, so it was created and not destroyed (DATA-05).
        let start = NonNull::new(unsafe { call!(api.aclGetDataBufferAddr(buffer)) }.ok()?)?;
        // SAFETY: the function asks for a live buffer. It is not null, so it was created and not destroyed (DATA-05).
        // If the size is unknown, the memory must still be freed.
        let bytes = unsafe { call!(api.aclGetDataBufferSizeV2(buffer)) }.ok().unwrap_or_default();
        Some((start, bytes))
    }

    /// Makes the buffer at `index` describe this block from now on. Nothing may use the dataset during the call
    /// (DATA-10).
    pub(super) fn describe(&self, api: Api, index: usize, block: &RawBuffer) -> Result<(), Error> {
        let buffer = self.buffers.get(index).map_or(null_mut(), Cell::get);
        if buffer.is_null() {
            return Err(Error::Gone { what: ObjectKind::MODEL_TENSORS });
        }
        // SAFETY: the function asks for a live buffer, and memory that it is to describe. The buffer is not null, so it
        // was created and not destroyed (DATA-05). The function records the address and the size, and does not access
        // the memory. The code that executes with the dataset keeps the memory in place (DATA-02).
        let answer = unsafe { call!(api.aclUpdateDataBuffer(buffer, block.start(), block.bytes())) };
        answer.done(|| format!("exchange the memory of tensor {index} of a model"))
    }

    /// Makes the buffer at `index` describe no memory.
    pub(super) fn empty(&self, api: Api, index: usize) -> Result<(), Error> {
        let buffer = self.buffers.get(index).map_or(null_mut(), Cell::get);
        if buffer.is_null() {
            return Ok(());
        }
        // SAFETY: the function asks for a live buffer, and memory that it is to describe. The buffer is not null, so it
        // was created and not destroyed (DATA-05). A null pointer with the size zero describes no memory (DATA-03).
        let answer = unsafe { call!(api.aclUpdateDataBuffer(buffer, null_mut(), 0)) };
        answer.done(|| format!("empty output {index} of a model"))
    }

    /// Destroys the buffer records and the list. Reports the first error and destroys the rest anyway. The next call
    /// tries only the refused records again. Nothing may use the dataset from the first call on.
    pub(super) fn destroy(&self, api: Api) -> Result<(), Error> {
        let mut result = self.destroy_shape(api);
        for buffer in self.buffers.iter().filter(|buffer| !buffer.get().is_null()) {
            // SAFETY: the function asks for a live buffer that no work uses, once (DATA-05). This dataset created it,
            // null is stored when it is destroyed, and the caller knows that nothing uses the dataset (DATA-10).
            let answer = unsafe { call!(api.aclDestroyDataBuffer(buffer.get())) };
            let destroyed = answer.done(|| "destroy a data buffer".into());
            if destroyed.is_ok() {
                buffer.set(null_mut());
            }
            result = result.and(destroyed);
        }
        if !self.raw.get().is_null() {
            // SAFETY: the function asks for a live dataset that no work uses, once (DATA-05). `create` created it, null
            // is stored when it is destroyed, and the caller knows that nothing uses it (DATA-10).
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
