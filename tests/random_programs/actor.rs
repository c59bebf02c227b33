//! A thread of a program inside a context. It runs one step after the other.

use crate::holdings::{Holdings, Mailbox, take};
use crate::program::{Step, What};
use crate::world::{SEEN, World};
use ascendcl::{Context, Current, Error, ScopeError, Scoped, Thread};
use std::slice::Iter;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

pub(crate) struct Actor<'x, 'c> {
    pub(crate) world: &'x World<'x>,
    context: &'x Context<Scoped<'c>>,
    mailbox: &'x Mailbox<'c>,
    pub(crate) has: Holdings<'c>,
}

/// Goes on in the context outside this one, with this one's token.
type Outer<'o, 'c> = &'o mut dyn FnMut(&mut Current<Scoped<'c>>, &mut Iter<'_, Step>);

impl<'x, 'c> Actor<'x, 'c> {
    pub(crate) fn new(world: &'x World<'x>, context: &'x Context<Scoped<'c>>, mailbox: &'x Mailbox<'c>) -> Self {
        let has = Holdings { without_default: world.faults.recovers, ..Holdings::default() };
        Self { world, context, mailbox, has }
    }

    /// Takes all steps until the one that leaves this context.
    pub(crate) fn run(
        &mut self,
        current: &mut Current<Scoped<'c>>,
        steps: &mut Iter<'_, Step>,
        mut outer: Option<Outer<'_, 'c>>,
    ) {
        while let Some(step) = steps.next() {
            SEEN.steps.fetch_add(1, Relaxed);
            match step.what {
                What::Leave => return,
                What::EnterSame => {
                    let context = self.context;
                    let entered = context.enter(current, |current| self.run(current, steps, None));
                    self.world.well("entering once more", entered);
                }
                What::EnterOther => self.enter_other(current, steps, step.b),
                What::EnterOuter => {
                    if let Some(outer) = &mut outer {
                        outer(current, steps);
                    }
                }
                _ => self.step(current, *step),
            }
        }
    }

    /// Opens a context inside this one.
    fn enter_other(&mut self, current: &mut Current<Scoped<'c>>, steps: &mut Iter<'_, Step>, b: u16) {
        let (device, world) = (self.world.device, self.world);
        macro_rules! inside {
            ($open:ident) => {
                device.$open(current, |context, current| {
                    let mailbox = Mutex::default();
                    let mut actor = Actor::new(world, context, &mailbox);
                    let entered = context.enter(current, |current| {
                        actor.run(
                            current,
                            steps,
                            Some(&mut |current, steps| {
                                let own = self.context;
                                let entered = own.enter(current, |current| self.run(current, steps, None));
                                world.well("entering the outer context", entered);
                            }),
                        )
                    });
                    world.well("entering another context", entered);
                    actor.has.end(world.forgets);
                })
            };
        }
        let ended =
            if b.is_multiple_of(4) && !world.faults.recovers { inside!(default_context) } else { inside!(context) };
        scope_ended(world, ended);
    }

    #[expect(clippy::too_many_lines, reason = "a table: one arm per step")]
    fn step(&mut self, current: &mut Current<Scoped<'c>>, Step { what, a, b }: Step) {
        match what {
            What::Stream => self.stream(current),
            What::FreshStream => self.fresh_stream(current),
            What::PooledStream => self.pooled_stream(current),
            What::RegisterPool => self.register_pool(current, a),
            What::EndStream => self.end_stream(current, a, b),
            What::Synchronize => self.synchronize(current, a, b),
            What::TrimPool => self.trim_pool(current, a, b),
            What::ReplacePool => self.replace_pool(current, a),
            What::UnregisterPool => self.unregister_pool(current, a),
            What::Record => self.record(current, a),
            What::RecordAgain => self.record_again(current, a, b),
            What::WaitForEvent => self.wait_for_event(current, a, b),
            What::SynchronizeEvent => self.synchronize_event(current, a, b),
            What::QueryEvent => self.query_event(current, a),
            What::MeasureEvents => self.measure_events(current, a, b),
            What::EndEvent => self.end_event(current, a, b),
            What::Upload => self.upload(current, a, b),
            What::HostBuffer => self.host_buffer(current, a, b, false),
            What::PageableBuffer => self.host_buffer(current, a, b, true),
            What::WriteDevice => self.write_device(current, a, b),
            What::FillHost => self.fill_host(a, b),
            What::CheckDevice if b % 3 == 1 => self.reform(current, a),
            What::CheckDevice => self.check_device(current, a),
            What::CheckHost => self.check_host(a),
            What::EndDeviceBuffer => self.end_device_buffer(current, a, b),
            What::EndHostBuffer => self.end_host_buffer(current, a, b),
            What::Lend => self.copy_scope(current, a, b),
            What::SetBytes => self.set_bytes(current, a, b),
            What::CopyToDevice => self.copy_to_device(current, a, b),
            What::CopyToHost => self.copy_to_host(current, a, b),
            What::CopyOnDevice => self.copy_on_device(current, a, b),
            What::CopyPart => self.copy_part(current, a, b),
            What::Share => self.share(current, a, b),
            What::CallBack => self.launch_host_fn(current, a, b),
            What::LoadModel => self.load_model(current),
            What::WriteInput => self.write_input(current, a, b),
            What::Execute => self.execute(current, a, b),
            What::RunModel if b % 2 == 1 => self.run_model_in_place(current, a, b / 2),
            What::RunModel => self.run_model(current, a),
            What::ReadOutput => self.read_output(current, a),
            What::CopyToInput => self.copy_to_input(current, a, b),
            What::CopyFromOutput => self.copy_from_output(current, a, b),
            What::EndModel => self.end_model(current, a, b),
            What::Operator if b % 4 == 3 => self.operator_over_an_output(current, a, b),
            What::Operator => self.operator(current, a, b),
            What::LaunchAgain => self.launch_again(current, a, b),
            What::WorkspaceLane => self.lane(current),
            What::AllocatorGroup => self.group(current),
            What::Capture if a % 4 == 3 => self.build(current, a, b),
            What::Capture => self.capture(current, a, b),
            What::Replay => self.replay(current, a, b),
            What::UseOperands => self.use_operands(current, a, b),
            What::EndGraph => self.end_graph(current, a, b),
            What::UpdateGraph => self.update_graph(current, a, b),
            What::Condition => self.condition(current, a, b),
            What::PooledGraph => self.pooled_graph(current, a, b),
            What::Wait
            | What::WaitWithin
            | What::Await
            | What::PollAndDrop
            | What::PollAndGoOn
            | What::ForgetFuture
            | What::Query => self.settle_one(current, what, a),
            What::WaitForAll => self.wait_for_all(current),
            What::JoinAndWait => self.join_and_wait(current, a, b),
            What::TakeOver => self.adopt_after(current, a, b),
            What::DropFlight => drop(take(&mut self.has.flights, a)),
            What::ForgetFlight => std::mem::forget(take(&mut self.has.flights, a)),
            What::Give => {
                let parcel = self.has.parcel(a, b);
                self.mailbox.lock().unwrap().extend(parcel);
            }
            What::Take => {
                let parcel = take(&mut self.mailbox.lock().unwrap(), a);
                parcel.into_iter().for_each(|parcel| self.has.accept(parcel));
            }
            What::Collect => {
                let within = Duration::from_millis(u64::from(b % 8));
                let errors = if b.is_multiple_of(2) { current.collect() } else { current.collect_within(within) };
                errors.iter().for_each(|error| self.world.failed("collecting", error));
            }
            What::SynchronizeAll => self.synchronize_all(current, b),
            What::Foreign => {
                let left = current.foreign(|| a);
                // Where the library does not tell what is current, another context counts as found.
                let changed = left.changed && !self.world.is_faulty();
                assert_eq!((left.result, changed), (a, false), "{:?}", left.refused);
            }
            What::SecondThread => {
                let second = Thread::new().unwrap_err();
                assert!(matches!(second, Error::ThreadTaken), "{second}");
            }
            What::CloseByForce => self.close_by_force(a, b),
            What::Leave | What::EnterSame | What::EnterOther | What::EnterOuter => {}
        }
    }

    fn synchronize_all(&mut self, current: &Current<Scoped<'c>>, b: u16) {
        match b % 2 {
            0 => drop(self.world.well("waiting for the context", current.synchronize())),
            _ => match current.synchronize_within(Duration::from_millis(u64::from(b % 20))) {
                Err(error) if error.code().is_some_and(|code| code.is_timeout()) => {}
                result => drop(self.world.well("waiting for the context for a while", result)),
            },
        }
    }
}

/// The end of a scope is well, or something went wrong on purpose.
pub(crate) fn scope_ended(world: &World<'_>, ended: Result<(), ScopeError<()>>) {
    match ended {
        Ok(()) => {}
        Err(ScopeError::NotOpened(error)) => world.failed("opening a scope", &error),
        Err(ScopeError::Teardown { errors, .. }) => {
            errors.iter().for_each(|error| world.failed("taking down a scope", error));
            assert!(!errors.is_empty());
        }
    }
}
