//! The answers of functions that were not measured: those of the measured functions of their family.
//!
//! Every simulated function is called with arguments of which one is wrong: null, a handle that was destroyed or never
//! was one, a value that an enumeration does not name, a device that is not there; and with good arguments on a thread
//! without a context, or in another context than that of its stream. `families.tsv` says what code answers that, by the
//! kind of the argument; `exceptions.tsv` has the functions that answer otherwise, each with the reason. The patterns are
//! those of the measured rows in `tests/behaviour`. A function that returns no code is called all the same: it returns.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod arguments;
mod expected;
mod world;

use arguments::{Argument, Kind, Wrong};
use ascendcl_sys::types::*;
use core::ffi::*;
use expected::Expected;
use std::any::Any;
use std::collections::BTreeSet;
use world::World;

/// How the arguments of one call are chosen.
#[derive(Clone, Copy)]
pub(crate) struct Choice<'a> {
    world: &'a World,
    /// Which argument is wrong, and in what way.
    wrong: Option<(usize, Wrong)>,
    then: Then,
}

/// What happens to the current context between the making of the arguments and the call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Nothing,
    /// The thread has none any more.
    NoContext,
    /// Another one of the same device is current.
    OtherContext,
}

/// One function that can be probed.
struct Probe {
    name: &'static str,
    arguments: &'static [(&'static str, fn(&str) -> Kind)],
    /// The code; `None` of a function that returns something else.
    call: fn(Choice<'_>) -> Option<aclError>,
}

macro_rules! probes_of_group {
    ([] $group:ident $files:tt
     $([$($flag:ident)*] fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)*) => {
        mod $group {
            use super::*;

            pub(super) fn probes() -> Vec<Probe> {
                #[allow(unused_mut)]
                let mut probes = Vec::new();
                $(probe!(probes $group [$($flag)*] $name ($($arg: $ty),*) $($ret)?);)*
                probes
            }
        }
    };
}
macro_rules! probe {
    ($probes:ident $group:ident [variadic $($flags:tt)*] $($rest:tt)*) => {};
    ($probes:ident $group:ident [$need:ident sim] $name:ident ($($arg:ident: $ty:ty),*) $($ret:ty)?) => {
        $probes.push(Probe {
            name: stringify!($name),
            arguments: &[$((stringify!($arg), <$ty as Argument>::kind)),*],
            #[allow(unused_variables, unused_mut, unused_assignments)]
            call: |choice| {
                let mut place = 0;
                $(
                    let $arg = <$ty as Argument>::choose(stringify!($arg), choice.world, choice.wrong_at(place));
                    place += 1;
                )*
                match choice.then {
                    Then::Nothing => {}
                    Then::NoContext => choice.world.leave_the_context(),
                    Then::OtherContext => choice.world.enter_another_context(),
                }
                // SAFETY: the world keeps what the arguments point to, with room for every structure of the library;
                // handles are looked up and never followed.
                let answer = unsafe { ascendcl_sim::exports::$group::$name($($arg),*) };
                (&answer as &dyn Any).downcast_ref::<aclError>().copied()
            },
        });
    };
    ($probes:ident $group:ident [$($flags:ident)*] $($rest:tt)*) => {};
}
ascendcl_sys::for_each_group!(probes_of_group);

impl Choice<'_> {
    fn wrong_at(&self, place: usize) -> Option<Wrong> {
        self.wrong.and_then(|(at, wrong)| (at == place).then_some(wrong))
    }
}

fn probes() -> impl Iterator<Item = Probe> {
    [
        process::probes,
        device::probes,
        stream::probes,
        event::probes,
        memory::probes,
        copy::probes,
        callback::probes,
        kernel::probes,
        allocator::probes,
        model::probes,
        model_aipp::probes,
        model_instance::probes,
        operator::probes,
        op_compiler::probes,
        tensor_desc::probes,
        base::probes,
        profiling::probes,
        dump::probes,
        tensor_channel::probes,
        tensor_queue::probes,
        memory_pool::probes,
        blas::probes,
        media::probes,
        media_tasks::probes,
        media_video::probes,
    ]
    .into_iter()
    .flat_map(|probes| probes())
}

#[test]
fn a_wrong_argument_is_answered_as_in_the_rest_of_its_family() {
    let expected = Expected::read();
    let mut differs = Vec::new();
    let mut used = BTreeSet::new();
    let mut asked = 0;
    for probe in probes() {
        for (place, (argument, kind)) in probe.arguments.iter().enumerate() {
            for &wrong in kind(argument).wrong() {
                let code = world::with(|world| {
                    let wrong = Some((place, wrong));
                    (probe.call)(Choice { world, wrong, then: Then::Nothing })
                });
                asked += 1;
                let situation = format!("{argument} {wrong}");
                let demanded = expected.code(probe.name, &situation, kind(argument), wrong, &mut used);
                if code.is_some_and(|code| !demanded.admits(code)) {
                    differs.push(format!("{}\t{situation}\t{}\tnot {demanded:?}", probe.name, code.unwrap_or(-1)));
                }
            }
        }
        let has_stream = probe.arguments.iter().any(|(argument, kind)| kind(argument) == Kind::Stream);
        for (situation, then) in [("no context", Then::NoContext), ("other context", Then::OtherContext)] {
            if then == Then::OtherContext && !has_stream {
                continue;
            }
            let code = world::with(|world| (probe.call)(Choice { world, wrong: None, then }));
            asked += 1;
            let demanded = expected.of_context(probe.name, situation, &mut used);
            if code.is_some_and(|code| !demanded.admits(code)) {
                differs.push(format!("{}\t{situation}\t{}\tnot {demanded:?}", probe.name, code.unwrap_or(-1)));
            }
        }
    }
    differs.extend(expected.unused(&used).map(|line| format!("{line}: is a line that says nothing")));
    let (measured, departures) = expected.counts();
    println!("{asked} calls; {measured} measured, of which {departures} are answered otherwise");
    assert!(differs.is_empty(), "{} of {asked} calls:\n{}", differs.len(), differs.join("\n"));
}
