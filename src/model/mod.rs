//! Models: loading, their description, and running them.

mod description;
mod run;
mod tensor;

use crate::brand::{Brand, Unnamed};
use crate::current::Current;
use crate::error::{Error, Undone};
use crate::ffi::{Api, LoadedModel};
use crate::ledger::Ledger;
use core::cell::Cell;
use core::marker::PhantomData;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

pub use description::TensorInfo;
pub use tensor::{Input, Output, Outputs};

/// A loaded model.
///
/// It is run and unloaded with a [`Current`] of the context that it was loaded in (MODEL-01), by one thread at a time
/// (MODEL-16): it can be sent, not shared. A model that is dropped is unloaded by [`Current::collect`] or the end of its
/// scope.
#[derive(Debug)]
#[must_use = "a model that is dropped is unloaded by `collect` or at the end of its scope; `unload` shows the errors"]
pub struct Model<'c, N = Unnamed> {
    loaded: Arc<LoadedModel>,
    inputs: Vec<TensorInfo>,
    outputs: Vec<TensorInfo>,
    _brand: Brand<'c, N>,
    _one_thread: PhantomData<Cell<()>>,
}

assert_impl_all!(Model<'static>: Send);
assert_not_impl_any!(Model<'static>: Sync, Clone);

impl<'c, N> Model<'c, N> {
    pub(crate) fn load(
        ledger: &'c Ledger,
        load: impl FnOnce(Api) -> Result<LoadedModel, Error>,
    ) -> Result<Self, Error> {
        let loaded = ledger.load(load)?;
        let inputs = loaded.inputs().iter().map(TensorInfo::new).collect();
        let outputs = loaded.outputs().iter().map(TensorInfo::new).collect();
        Ok(Self { loaded, inputs, outputs, _brand: Brand::NEW, _one_thread: PhantomData })
    }

    /// The inputs, in order.
    pub fn inputs(&self) -> &[TensorInfo] {
        &self.inputs
    }

    /// The outputs, in order.
    pub fn outputs(&self) -> &[TensorInfo] {
        &self.outputs
    }

    /// Unloads the model (`aclmdlUnload`).
    ///
    /// # Errors
    ///
    /// The model as it was, when the library refuses.
    pub fn unload(self, current: &Current<'c, N>) -> Result<(), Undone<Self>> {
        current.ledger().unload(&self.loaded).map_err(|error| Undone { error, value: self })
    }
}
