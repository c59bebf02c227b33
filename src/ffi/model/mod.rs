//! Loaded models and their descriptions.

mod binding;
mod dataset;
mod description;
mod gear_outputs;
mod gears;
mod load;
mod preprocessed;

use super::call::call;
use super::stamp::Obstacles;
use super::stream::RawStream;
use super::{Api, Here, LastUse, Owner, RawBuffer};
use crate::error::{Error, ObjectKind};
use crate::ffi::shelf::{Row, Shelf, ShelfPlace};
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, ACL_ERROR_INVALID_MODEL_ID};
use ascendcl_sys::types::*;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::OnceLock;

pub(crate) use binding::{BoundInput, DoubtOnDrop, NotExecuted, NotRun, RawBinding, TensorPlace};
use dataset::Dataset;
pub(crate) use description::Port;
use description::{DESCRIBE, Description};
use gear_outputs::{ChosenOutputs, chosen_outputs};
use gears::GearInput;
pub(crate) use gears::RawGears;
pub(crate) use load::{Image, LoadInto, ModelImage, Share};

/// A model in the device's memory, or the row for one: the row exists before the model is [loaded](Self::load). It has
/// no `Drop`: a model that is not unloaded stays loaded, and keeps the memory into which it was loaded.
#[derive(Debug)]
#[rule(MODEL_02, MODEL_03, MODEL_12)]
pub(crate) struct LoadedModel {
    place: ShelfPlace,
    /// The library's number for the model, while the library may have it.
    id: AtomicU32,
    /// Whether the program may use the model: from the end of the load until the first call that is to unload it.
    is_loaded: AtomicBool,
    /// Whether the library may have the model.
    is_left: AtomicBool,
    /// The library's description, until the library has destroyed it. Otherwise null. A model with gears keeps it until it
    /// is unloaded, because only with it the library says which shapes the outputs have in a gear.
    desc: AtomicPtr<aclmdlDesc>,
    /// The contents of the description.
    description: OnceLock<Description>,
    last_use: LastUse,
    /// Whether a thread is unloading the model, or has unloaded it.
    ending: AtomicBool,
    memory: LoadInto,
    owner: Owner,
}

impl Row for LoadedModel {
    #[inline]
    fn place(&self) -> &ShelfPlace {
        &self.place
    }
}

impl LoadedModel {
    /// The row for a model in this memory. This calls nothing of the library.
    pub(crate) fn new(memory: LoadInto) -> Self {
        Self {
            place: ShelfPlace::new(),
            id: AtomicU32::new(0),
            is_loaded: AtomicBool::new(false),
            is_left: AtomicBool::new(false),
            desc: AtomicPtr::new(null_mut()),
            description: OnceLock::new(),
            last_use: LastUse::of(Owner::current().number()),
            ending: AtomicBool::new(false),
            memory,
            owner: Owner::current(),
        }
    }

    /// An error unless this thread has entered the model's context.
    #[inline]
    #[rule(MODEL_01)]
    pub(crate) fn check_current(&self) -> Result<(), Error> {
        self.owner.check_current(ObjectKind::MODEL)
    }

    /// An error unless the model is loaded. An unload that the library refused may have taken effect.
    #[rule(MODEL_14)]
    fn check_loaded(&self) -> Result<(), Error> {
        match self.is_loaded.load(Ordering::Acquire) {
            true => Ok(()),
            false => Err(Error::Gone { what: ObjectKind::MODEL }),
        }
    }

    /// Reads the description of a model that has just been loaded. If the library refuses to destroy the description,
    /// it stays here until the model is unloaded.
    pub(crate) fn describe(&self, api: Api) -> Result<(), Error> {
        // SAFETY: the function takes no arguments, so it requires only that its signature is that of the table. Null,
        // which stands for a failure, is checked (ERR-06).
        let created = unsafe { call!(api.aclmdlCreateDesc()) };
        let desc = created.pointer(DESCRIBE)?.as_ptr();
        self.desc.store(desc, Ordering::Release);
        // SAFETY: the function asks for a live description, which it fills in. It was created above, and is destroyed
        // below.
        let answer = unsafe { call!(api.aclmdlGetDesc(desc, self.id())) };
        let description = answer.done(|| DESCRIBE.into()).and_then(|()| preprocessed::read(api, desc));
        if !description.as_ref().is_ok_and(|description| description.gears.is_some()) {
            // If the library refuses, unloading the model tries again.
            let _ = self.destroy_description(api);
        }
        description.map(|description| {
            self.description.get_or_init(|| description);
        })
    }

    fn destroy_description(&self, api: Api) -> Result<(), Error> {
        let desc = self.desc.load(Ordering::Acquire);
        if desc.is_null() {
            return Ok(());
        }
        // SAFETY: the function asks for a live description, once. `describe` created it, and null is stored when it is
        // destroyed. Nothing keeps a pointer into it, because names were copied, and nothing reads it meanwhile: whoever
        // binds the model has its handle.
        let answer = unsafe { call!(api.aclmdlDestroyDesc(desc)) };
        let destroyed = answer.done(|| DESCRIBE.into());
        if destroyed.is_ok() {
            self.desc.store(null_mut(), Ordering::Release);
        }
        destroyed
    }

    /// Whether the library may have this model under this number.
    pub(crate) fn is_left_as(&self, id: u32) -> bool {
        self.is_left.load(Ordering::Acquire) && self.id() == id
    }

    #[inline]
    pub(crate) fn id(&self) -> u32 {
        self.id.load(Ordering::Relaxed)
    }

    /// Marks the model idle: all work that used it is known to be done.
    pub(crate) fn mark_idle(&self) {
        self.last_use.mark_idle();
    }

    /// Marks the model idle if all work that used it is done. This also ends a doubt.
    pub(super) fn forget_what_is_done(&self, streams: &Shelf<RawStream>) {
        if streams.has_done(&self.last_use) {
            self.last_use.end_doubt(self.owner.number());
        }
    }

    /// Records that the work queued on this stream so far comes after all work that used the model.
    pub(crate) fn follow(&self, queue: &RawStream) {
        queue.stamp_latest(&self.last_use);
    }

    /// Whether this is the memory of the caller in which the model works.
    #[inline]
    pub(crate) fn works_in(&self, block: &RawBuffer) -> bool {
        self.memory.work.as_ref().is_some_and(|work| core::ptr::eq(work.block(), block))
    }

    #[inline]
    fn last_use(&self) -> &LastUse {
        &self.last_use
    }

    /// Marks the model's working memory as in doubt, which other models may share: a failed call may have left work
    /// running in it.
    fn doubt_workspace(&self, stream: &RawStream) {
        if let Some(work) = &self.memory.work {
            work.block().mark_in_doubt(stream);
        }
    }

    /// Whether the model, or something in its working memory, may be running although the call that was to start it
    /// failed.
    #[inline]
    fn is_in_doubt(&self) -> bool {
        self.last_use.is_in_doubt() || self.memory.work.as_ref().is_some_and(|work| work.block().is_in_doubt())
    }

    /// None if fast paths may queue executions of the model here.
    #[inline(always)]
    fn unless_at_hand(&self, here: Here<'_>) -> Obstacles {
        // A stamp in doubt does not have the number of the context.
        let obstacles = here.unless_has(self.last_use.context());
        match &self.memory.work {
            Some(work) => obstacles.and(Obstacles::when(work.block().is_in_doubt())),
            None => obstacles,
        }
    }

    /// Whether the model is in the caller's working memory, which other models may share.
    #[inline(always)]
    fn has_working_memory(&self) -> bool {
        self.memory.work.is_some()
    }

    /// None if the stamp of the model alone shows that it is idle. It does not show whether its
    /// [working memory](Self::has_working_memory) is.
    #[inline(always)]
    fn unless_marked_idle(&self) -> Obstacles {
        self.last_use.unless_marked_idle()
    }

    fn idle(&self, streams: &Shelf<RawStream>) -> Result<(), Error> {
        self.idle_where(|used| streams.has_done(used))
    }

    fn idle_where(&self, is_idle: impl Fn(&LastUse) -> bool) -> Result<(), Error> {
        if !is_idle(&self.last_use) {
            return Err(Error::StillRunning { what: ObjectKind::MODEL });
        }
        self.memory.idle_where(is_idle)
    }

    /// All inputs of the dataset, including the input for the gear.
    pub(crate) fn inputs(&self) -> &[Port] {
        self.description.get().map_or(&[], |description| &description.inputs)
    }

    pub(crate) fn outputs(&self) -> &[Port] {
        self.description.get().map_or(&[], |description| &description.outputs)
    }

    fn gear_choice(&self) -> Option<&GearInput> {
        self.description.get().and_then(|description| description.gears.as_ref())
    }

    /// The shapes that the model was compiled for, if it takes only some shapes.
    pub(crate) fn gears(&self) -> Option<&RawGears> {
        self.gear_choice().map(|own| &own.gears)
    }

    /// The input in which the library records the chosen gear: its index, and the bytes that it needs.
    pub(crate) fn gear_input(&self) -> Option<(usize, usize)> {
        let index = self.gear_choice()?.input;
        self.inputs().get(index).map(|port| (index, port.bytes))
    }

    /// Sets the shapes of the next executions' inputs, in the one way that the model supports (MODEL-20). Returns the
    /// shapes of the outputs in the gear, if the model has gears and the library says them. The caller has the model's
    /// handle.
    fn set_shapes(&self, api: Api, dataset: &Dataset, shapes: &[impl AsRef<[i64]>]) -> Result<ChosenOutputs, Error> {
        if let Some(gears) = self.gear_choice() {
            let shapes: Vec<_> = shapes.iter().map(AsRef::as_ref).collect();
            gears.choose(api, self.id(), dataset, self.inputs(), &shapes)?;
            let desc = self.desc.load(Ordering::Acquire);
            return Ok(if desc.is_null() { vec![] } else { chosen_outputs(api, desc, self.outputs().len()) });
        }
        let free = self.inputs().iter().zip(shapes).enumerate().filter(|(_, (port, _))| port.dims.contains(&-1));
        free.into_iter().try_for_each(|(index, (port, dims))| dataset.set_shape(api, index, port, dims.as_ref()))?;
        Ok(vec![])
    }

    /// An error if an execution writes more to an output than its memory has: the library writes outputs of a fixed shape
    /// and of a gear without comparing. `rooms` are the bytes of the outputs, `None` where the library allocates.
    #[rule(DATA_08)]
    fn check_outputs_fit(&self, chosen: &[Option<Vec<i64>>], rooms: &[Option<usize>]) -> Result<(), Error> {
        let has_gears = self.gear_choice().is_some();
        for (index, (port, room)) in self.outputs().iter().zip(rooms).enumerate() {
            let in_gear = chosen.get(index).and_then(|dims| port.bytes_of(dims.as_ref()?));
            // An unknown gear may be the largest.
            let need = if has_gears { in_gear.unwrap_or(port.bytes) } else { port.fixed_bytes() };
            if let Some(have) = room.filter(|have| *have < need) {
                return Err(Error::TooShort { what: ObjectKind::MODEL_OUTPUT_MEMORY, need, have });
            }
        }
        Ok(())
    }

    /// Unloads the model, once only (MODEL-14). Refuses while queued work may use it. Its context must be current
    /// (MODEL-01). A model that was not loaded, or of which only the library's description is left, ends in the same
    /// way. What a refusal of the library leaves can only be unloaded again.
    ///
    /// The caller holds the model's only handle, or its scope has ended.
    #[rule(MODEL_14)]
    pub(crate) fn unload(&self, api: Api, streams: &Shelf<RawStream>) -> Result<(), Error> {
        if !streams.has_done(&self.last_use) {
            return Err(Error::StillRunning { what: ObjectKind::MODEL });
        }
        self.check_current()?;
        if self.ending.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let unloaded = self.unload_now(api);
        let ended = unloaded.and(self.destroy_description(api));
        self.ending.store(ended.is_ok(), Ordering::Release);
        ended
    }

    fn unload_now(&self, api: Api) -> Result<(), Error> {
        if !self.is_left.load(Ordering::Acquire) {
            return Ok(());
        }
        let was_loaded = self.is_loaded.swap(false, Ordering::AcqRel);
        // SAFETY: the function takes a number by value, and no pointer. The library returns an error for an unknown
        // number.
        let answer = unsafe { call!(api.aclmdlUnload(self.id())) };
        let code = answer.code();
        let unloaded = answer.done(|| "unload a model".into());
        // A call that failed before may have unloaded it.
        let was_gone = matches!(code, Some(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID | ACL_ERROR_INVALID_MODEL_ID));
        let unloaded = if was_gone && !was_loaded { Ok(()) } else { unloaded };
        // Without a call, everything is as before.
        self.is_loaded.store(was_loaded && code.is_none(), Ordering::Release);
        self.is_left.store(unloaded.is_err(), Ordering::Release);
        unloaded
    }
}
