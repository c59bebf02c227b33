//! Instances that a program builds task by task: it binds persistent streams, gives them work, and ends both.
//!
//! The work does not run when it is given; each run of the instance runs all of it. A stream that was bound with
//! `ACL_MODEL_STREAM_FLAG_HEAD` starts with the run, any other when a stream of the instance starts it.

use crate::failure::{Answer, Failure};
use crate::locks::{lock, wait};
use crate::machine::instances::Instance;
use crate::machine::instances::run::Run;
use crate::machine::recording::Recorder;
use crate::machine::recording::assembly::{Assembly, Bound, in_no_model};
use crate::machine::recording::program::Program;
use crate::machine::recording::tasks;
use crate::machine::streams::refusals::{refuse_bound, refuse_on};
use crate::machine::streams::stream::Stream;
use crate::machine::streams::table;
use crate::machine::watch;
use crate::machine::workers::pool;
use crate::machine::workers::waiting::Busy;
use ascendcl_sys::constants::ACL_STREAM_FAST_LAUNCH;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

impl Instance {
    /// Whether streams of this kind can be bound to it, in whichever context.
    pub(crate) fn takes(&self, stream: &Stream) -> Answer {
        let out_of_order = |failure| match self.assembly() {
            Ok(assembly) => assembly.out_of_order(failure),
            Err(_) => failure,
        };
        if !stream.is_persistent() {
            return Err(out_of_order(Failure::refused(
                "the stream is not persistent; a model takes streams made with ACL_STREAM_PERSISTENT",
            )));
        }
        refuse_bound(stream, "bound again").map_err(out_of_order)?;
        self.assembly()?;
        refuse_on(stream, "bound to a model instance")?;
        if stream.settings.stops_at_failure() {
            return Err(Failure::unsupported("a stream that stops at failures is bound to no model instance"));
        }
        if stream.flags() & ACL_STREAM_FAST_LAUNCH != 0 {
            return Err(Failure::unsupported(
                "a stream made with ACL_STREAM_FAST_LAUNCH is bound to no model instance",
            ));
        }
        Ok(())
    }

    /// What a captured instance alone has can be changed, in whichever context.
    pub(crate) fn refuse_built(&self) -> Answer {
        if self.assembly().is_ok() {
            return Err(Failure::unsupported(
                "a model instance that was built task by task has no changes to take over",
            ));
        }
        Ok(())
    }
}

impl Assembly {
    /// Binds a stream that the instance [takes](Instance::takes).
    pub(crate) fn bind(self: &Arc<Self>, stream: &Arc<Stream>, is_head: bool) -> Answer {
        if stream.context() != self.context {
            watch::elsewhere(stream.named());
            return Err(Failure::other_context("stream"));
        }
        if lock(&self.state).complete {
            let text = "the build of the model instance has ended, so it takes no more streams";
            return Err(self.out_of_order(Failure::refused(text)));
        }
        if !stream.bind(Recorder::Built(Arc::clone(self))) {
            return Err(in_no_model("the stream is captured, or part of another model instance"));
        }
        let bound = Bound { stream: stream.number(), is_head, ended: false, steps: Vec::new() };
        lock(&self.state).bound.push(bound);
        Ok(())
    }

    /// The stream is free again; its tasks are no longer part of the instance.
    pub(crate) fn unbind(&self, stream: &Stream) -> Answer {
        let bound = self.take(stream.number());
        let unbound = || self.out_of_order(in_no_model("the stream is not bound to this model instance"));
        let bound = bound.ok_or_else(unbound)?;
        stream.stop_recording();
        tasks::forget(&bound.nodes());
        Ok(())
    }

    /// Runs it once, as part of the work of the stream with this number.
    pub(super) fn run(&self, program: &Program, stream: usize) -> Answer {
        // The stream waits for this thread.
        let _busy = Busy::on(stream);
        let aborts = self.aborts.load(SeqCst);
        let _turn = pool::lend(|| self.turn());
        Run::new(program, || self.aborts.load(SeqCst) != aborts).all()
    }

    fn turn(&self) -> OneRun<'_> {
        let mut busy = lock(&self.busy);
        while *busy {
            busy = wait(&self.free, busy, None);
        }
        *busy = true;
        OneRun(self)
    }

    /// The instance is destroyed; its streams are free.
    pub(super) fn release(&self) {
        let bound = std::mem::take(&mut lock(&self.state).bound);
        for bound in bound {
            if let Some(stream) = table::numbered(bound.stream) {
                stream.stop_recording();
            }
        }
    }
}

/// The run that is under way.
struct OneRun<'a>(&'a Assembly);

impl Drop for OneRun<'_> {
    fn drop(&mut self) {
        *lock(&self.0.busy) = false;
        self.0.free.notify_one();
    }
}
