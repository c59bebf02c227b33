//! Loaded models: each belongs to the context in which it was loaded, and ends with it.

use super::dump::{self, Dump};
use super::{Description, on_device};
use crate::abi::Address;
use crate::failure::{Answer, Failure};
use crate::locks::{lock, wait};
use crate::machine::allocators::calls::refuse_inside;
use crate::machine::contexts::context::{Context, current_context};
use crate::machine::handles::Table;
use crate::machine::memory::free_device;
use crate::machine::thread::inside;
use crate::machine::workers::served::Link;
use crate::machine::workers::waiting::{Target, Waiting};
use crate::model::Model;
use ascendcl_sys::error_codes::*;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

pub(crate) struct Loaded {
    id: u32,
    context: usize,
    pub(crate) engine: Model,
    pub(crate) description: Arc<Description>,
    memory: Mutex<Blocks>,
    /// How many bytes of working memory a run needs, if that is known before it.
    pub(super) work: Option<usize>,
    run: Mutex<()>,
    /// The outputs' dims in the gear that was chosen or the run that ended last.
    outputs: Mutex<Option<Vec<Vec<i64>>>>,
    queued: Mutex<Queued>,
    drained: Condvar,
    pub(super) dump: Option<Dump>,
    /// Of its streams. The simulator runs tasks in the order in which they come, whatever their priority.
    priority: AtomicU32,
}

/// The device memory of a model.
#[derive(Default)]
pub(super) struct Blocks {
    /// Blocks that the library allocated, and frees when the model goes.
    pub(super) own: Vec<Address>,
    /// The caller's (MODEL-02, MODEL-03), with what each is.
    pub(super) lent: Vec<(&'static str, Address)>,
}

/// Executions that streams have yet to finish.
#[derive(Default)]
struct Queued {
    closed: bool,
    /// How many, by the stream's number.
    by_stream: BTreeMap<usize, usize>,
}

static MODELS: Table<Loaded> = Table::new();

thread_local! {
    /// Whether this thread is running a model.
    static RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// The model with this id, whatever its context (145003).
pub(crate) fn find(id: u32) -> Answer<Arc<Loaded>> {
    MODELS.get(id as usize).ok_or_else(|| unknown(id))
}

/// The model with this id and its context, which has to be the current one (107004, MODEL-01).
pub(crate) fn find_here(id: u32) -> Answer<(Arc<Loaded>, Arc<Context>)> {
    let model = find(id)?;
    let context = current_context()?;
    if context.id() != model.context {
        let text = format!("model {id} was loaded in another context than the current one");
        return Err(Failure::new(ACL_ERROR_RT_MODEL_CONTEXT, text));
    }
    Ok((model, context))
}

/// Unloads a model once what is queued of it is over: the vendor's library leaves that open (MODEL-14).
pub(crate) fn unload(id: u32) -> Answer {
    refuse_inside()?;
    let (model, _) = find_here(id)?;
    model.refuse_self_wait()?;
    // When two threads unload the same model, one of them finds it unloaded.
    let model = MODELS.remove(id as usize).ok_or_else(|| unknown(id))?;
    if let Err(failure) = model.drain() {
        // It stays loaded.
        lock(&model.queued).closed = false;
        MODELS.insert(id as usize, model);
        return Err(failure);
    }
    model.release();
    Ok(())
}

/// The context ends, and its models with it: no id leads to them any more.
pub(in crate::machine) fn take_of_context(context: usize) -> Vec<Arc<Loaded>> {
    MODELS.remove_all(|model| model.context == context)
}

/// The streams of their context have run out.
pub(in crate::machine) fn release(models: Vec<Arc<Loaded>>) {
    for model in models {
        lock(&model.queued).closed = true;
        model.release();
    }
}

pub(super) fn count() -> usize {
    MODELS.len()
}

pub(super) fn clear() {
    MODELS.remove_all(|_| true);
}

impl Loaded {
    /// Enters a model under a new id. `file` is the name of the file that it was read from.
    pub(super) fn enter(
        context: &Context,
        file: Option<&str>,
        engine: Model,
        description: Description,
        memory: Blocks,
        work: Option<usize>,
    ) -> u32 {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let id = NEXT.fetch_add(1, Relaxed);
        let dump = dump::of_model(file, engine.name(), id, context.device().id());
        let model = Self {
            id,
            context: context.id(),
            engine,
            description: Arc::new(description),
            memory: Mutex::new(memory),
            work,
            run: Mutex::default(),
            outputs: Mutex::default(),
            queued: Mutex::default(),
            drained: Condvar::new(),
            dump,
            priority: AtomicU32::new(0),
        };
        MODELS.insert(id as usize, Arc::new(model));
        id
    }

    pub(crate) fn priority(&self) -> u32 {
        self.priority.load(Relaxed)
    }

    pub(crate) fn set_priority(&self, priority: u32) {
        self.priority.store(priority, Relaxed);
    }

    /// Whether working memory is taken for each run, because its size is known only then.
    pub(crate) fn takes_work_per_run(&self) -> bool {
        self.work.is_none()
    }

    /// The outputs' dims in the gear that was chosen or the run that ended last.
    pub(crate) fn current_outputs(&self) -> Option<Vec<Vec<i64>>> {
        lock(&self.outputs).clone()
    }

    pub(crate) fn set_current_outputs(&self, dims: Vec<Vec<i64>>) {
        *lock(&self.outputs) = Some(dims);
    }

    /// Refuses a model whose memory the caller freed.
    pub(super) fn check_memory(&self, context: &Context) -> Answer {
        let memory = lock(&self.memory);
        memory.lent.iter().try_for_each(|(what, address)| on_device(what, *address, context))
    }

    /// Lets one run after the other go on.
    ///
    /// A thread that runs a model already may get here again: while the engine works for a thread of a thread pool,
    /// that thread may be given another task of its pool. It does not wait then, for it could only wait for itself.
    pub(super) fn turn(&self) -> Turn<'_> {
        Turn(if RUNNING.replace(true) { None } else { Some(lock(&self.run)) })
    }

    /// Counts an execution that goes to the stream with this number; refused once the model is being unloaded.
    pub(super) fn ticket(self: &Arc<Self>, stream: usize) -> Answer<Ticket> {
        let mut queued = lock(&self.queued);
        if queued.closed {
            drop(queued);
            return Err(unknown(self.id));
        }
        *queued.by_stream.entry(stream).or_default() += 1;
        Ok(Ticket { model: Arc::clone(self), stream })
    }

    fn refuse_self_wait(&self) -> Answer {
        let inside = lock(&self.queued).by_stream.keys().any(|stream| inside::is_inside_of(*stream));
        if inside || RUNNING.get() {
            return Err(Failure::unsupported("a model cannot be unloaded by what its own execution waits for"));
        }
        Ok(())
    }

    /// A stream that has an execution yet to finish.
    pub(in crate::machine) fn queued_on(&self) -> Option<usize> {
        lock(&self.queued).by_stream.keys().next().copied()
    }

    fn drain(&self) -> Answer {
        // One after the other, and also for the last of them.
        let awaits = || self.queued_on().map(Link::Stream);
        let mut waiting = Waiting::new(Target::Reached(&awaits), None);
        let mut queued = lock(&self.queued);
        queued.closed = true;
        while !queued.by_stream.is_empty() {
            queued = wait(&self.drained, queued, waiting.until());
            if !queued.by_stream.is_empty() {
                drop(queued);
                if let Some(failure) = waiting.given_up(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) {
                    return Err(failure);
                }
                queued = lock(&self.queued);
            }
        }
        Ok(())
    }

    fn release(&self) {
        let own = std::mem::take(&mut lock(&self.memory).own);
        // A block that went with its device before is no failure of an unload.
        own.into_iter().for_each(|address| drop(free_device(address)));
    }
}

/// The right to run a model, while no other thread does.
pub(super) struct Turn<'a>(Option<MutexGuard<'a, ()>>);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.0.is_some() {
            RUNNING.set(false);
        }
    }
}

/// An execution on its way through a stream.
pub(super) struct Ticket {
    model: Arc<Loaded>,
    stream: usize,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut queued = lock(&self.model.queued);
        if let Some(count) = queued.by_stream.get_mut(&self.stream) {
            *count -= 1;
            if *count == 0 {
                queued.by_stream.remove(&self.stream);
            }
        }
        drop(queued);
        self.model.drained.notify_all();
    }
}

fn unknown(id: u32) -> Failure {
    let text = format!("there is no model {id}; it was never loaded, or unloaded");
    Failure::new(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, text)
}
