//! How parts of the simulator that this one does not know hear of it.

use super::context::Context;
use super::locks::lock;
use crate::control::Live;
use std::sync::Mutex;

/// What a part wants to hear. Every function may be called on any thread, with no lock held.
#[derive(Clone, Copy)]
pub(crate) struct Hooks {
    /// The context is gone and its streams have run out; what belongs to it should go too.
    pub(crate) context_ended: fn(&Context),
    /// Add what exists to the count.
    pub(crate) count: fn(&mut Live),
    /// The machine starts afresh: drop everything.
    pub(crate) cleared: fn(),
}

static HOOKS: Mutex<Vec<Hooks>> = Mutex::new(Vec::new());

/// Call it once per part (under a `Once`).
pub(crate) fn register(hooks: Hooks) {
    lock(&HOOKS).push(hooks);
}

pub(super) fn context_ended(context: &Context) {
    all().iter().for_each(|hooks| (hooks.context_ended)(context));
}

pub(crate) fn count(live: &mut Live) {
    all().iter().for_each(|hooks| (hooks.count)(live));
}

pub(crate) fn cleared() {
    all().iter().for_each(|hooks| (hooks.cleared)());
}

fn all() -> Vec<Hooks> {
    lock(&HOOKS).clone()
}
