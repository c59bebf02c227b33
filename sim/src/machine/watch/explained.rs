//! Calls that fail for a rule that they break, without anything that the checker sees.

use super::{CHECKER, LIBRARY, Named, OFF, STRICT, Watching, blameless, mode, report, this_thread};
use crate::failure::{Answer, Breach, Failure};
use crate::locks::lock;
use crate::machine::thread::errors;
use crate::machine::trouble;
use ascendcl_rules::*;
use ascendcl_sys::error_codes::ACL_ERROR_RT_CONTEXT_NULL;
use ascendcl_sys::types::aclError;
use std::cell::Cell;

/// Why a call failed.
pub(crate) trait Fails {
    fn code(&self) -> aclError;

    /// The failure that may say which rule the call breaks.
    fn failure(&mut self) -> Option<&mut Failure> {
        None
    }
}

impl Fails for Failure {
    fn code(&self) -> aclError {
        self.code
    }

    fn failure(&mut self) -> Option<&mut Failure> {
        Some(self)
    }
}

thread_local! {
    /// The call of this thread that a finding is about.
    static FOUND: Cell<u64> = const { Cell::new(0) };
}

/// A call was judged, and whether that gave a finding.
pub(super) fn judged(found: bool) {
    if found {
        FOUND.set(errors::number());
    }
}

/// Whether it gave one.
fn is_found() -> bool {
    FOUND.get() == errors::number()
}

/// The failure of a call, which tells the rule that it breaks. With strict checks its text begins with that.
pub(crate) fn explained(mut failure: Failure) -> Failure {
    if failure.code == ACL_ERROR_RT_CONTEXT_NULL && failure.breach.is_none() {
        lacks_context();
    }
    explain(&mut failure);
    failure
}

/// The call has found no context on this thread. Programs ask whether there is one, and that is no mistake.
fn lacks_context() {
    const ASKING: [&str; 3] = ["aclrtGetCurrentContext", "aclrtGetDevice", "aclrtGetPrimaryCtxState"];
    if !ASKING.contains(&errors::current_call()) {
        of_the_context(None);
    }
}

/// The call queues work on this stream, which is of another context than the current one.
pub(crate) fn elsewhere(stream: Object) {
    of_the_context(Some(stream));
}

fn of_the_context(stream: Option<Object>) {
    if is_found() {
        return;
    }
    if let Watching(Some(mut event), _) = super::call(Op::Query, Object::PROCESS) {
        event.uses.extend(stream.map(Use::Queue));
        let found = lock(&CHECKER).get_or_insert_with(Checker::new).of_the_context(&event);
        judged(!found.is_empty());
        report::record(found);
    }
}

pub(super) fn explain(failure: &mut Failure) {
    if let Some(breach) = failure.breach.take()
        && tell(failure, &breach)
        && mode() == STRICT
    {
        let Breach { rule, fix, .. } = *breach;
        failure.text = format!("{rule}: {}; {fix} ({})", failure.text, rule.rule().text).into();
    }
}

/// The library takes what breaks a rule. Strict checks refuse it.
pub(crate) fn mistaken(failure: impl FnOnce() -> Failure) -> Answer {
    if mode() == OFF {
        return Ok(());
    }
    let failure = failure();
    if mode() == STRICT {
        return Err(failure);
    }
    drop(explained(failure));
    Ok(())
}

/// Whether a finding says so.
fn tell(failure: &Failure, breach: &Breach) -> bool {
    if mode() == OFF || is_found() || trouble::lost().is_some() || blameless::is_reason(breach) {
        return false;
    }
    let name = Some(errors::current_call()).filter(|name| !name.is_empty()).unwrap_or(LIBRARY);
    // What the call was to make is not there: later calls with its number are the same mistake.
    let begins = |with: &[&str]| with.iter().any(|with| name.starts_with(with));
    let (object, op) = match () {
        () if begins(&["aclmdlLoad"]) => (Object::model(0), Op::Load),
        () if begins(&["aclrtMalloc", "acldvppMalloc", "aclrtIpcMemImportByKey"]) => (Object::memory(0), Op::Allocate),
        () if begins(&["aclrtMemImportFromShareableHandle"]) => (Object::physical(0), Op::Allocate),
        () if begins(&["aclrtNotifyImportByKey"]) => (Object::notify(0), Op::Create),
        () if begins(&["aclrtIpcOpenEventHandle"]) => (Object::event(0), Op::Create),
        () if begins(&["aclmdlRICaptureBegin", "aclmdlRICaptureEnd", "aclmdlRIBuildBegin"]) => {
            (Object::graph(0), Op::Create)
        }
        () => (Object::PROCESS, Op::Query),
    };
    let event = Event::new(name, object, op, this_thread());
    let (rule, found, objects) = (breach.rule, failure.text.clone(), breach.objects.clone());
    let refusal = Refusal { rule, found, expected: breach.expected, fix: breach.fix, objects };
    let found = lock(&CHECKER).get_or_insert_with(Checker::new).explain(&event, &refusal);
    let told = !found.is_empty() && !report::suppresses(rule);
    judged(told);
    report::record(found);
    told
}

/// What to do when a description is used or destroyed that is none.
const DESTROYED_ONCE: &str = "destroy each object once, by its own call, after its last use";

/// What is used or destroyed is no description, or was destroyed (DATA-05). To destroy null harms nothing.
pub(crate) fn no_description(number: usize, failure: Failure) -> Failure {
    const LIVE: &str = "a live object of this kind";
    let failure = match number {
        0 if errors::current_call().contains("Destroy") => failure,
        0 => failure.breaks(DATA_05, LIVE, "use what the call returned that creates it, and check that it is not null"),
        _ => failure.breaks(DATA_05, LIVE, DESTROYED_ONCE),
    };
    failure.about(Object::description(number as u64))
}

/// A call is given null in place of a graph. To destroy null harms nothing.
pub(crate) fn no_graph(failure: Failure) -> Failure {
    if errors::current_call().contains("Destroy") {
        return failure;
    }
    let fix = "use the handle that the end of the capture or the begin of the build returned, and check its code";
    failure.breaks(MODEL_12, "a graph that was captured or built", fix).about(Object::graph(0))
}

/// A call is to use memory and is given a null address.
pub(crate) fn no_memory(rule: RuleId, failure: Failure) -> Failure {
    let fix = "pass the address that the allocation returned, and check the code of that call";
    failure.breaks(rule, "the address of memory", fix).about(Object::memory(0))
}

/// A description or configuration has this number from here on.
pub(crate) fn is_described(number: usize) {
    super::call(Op::Create, Object::description(0)).begin_always().made(number);
}

/// It was destroyed.
pub(crate) fn is_described_no_more(number: usize) {
    let ended = super::call(Op::Destroy, Object::description(number as u64)).begin_always();
    drop(ended.end(Ok::<_, Failure>(())));
}

/// The call has not found this object of the program, and fails for that.
pub(crate) fn not_there(object: impl Named, what: &'static str) -> Failure {
    missed(object);
    Failure::unknown(what)
}

/// The same, whatever the code. The call may have begun here, or not. If a finding is about it already, this is the same
/// mistake.
pub(crate) fn missed(object: impl Named) {
    if is_found() {
        return;
    }
    if let Watching(Some(event), _) = super::call(Op::Query, object) {
        let found = lock(&CHECKER).get_or_insert_with(Checker::new).look_for(&event);
        report::record(found);
    }
}

/// The same for a call that only reads: whether it may be given null is another question.
pub(crate) fn read_missed(object: impl Named) {
    let object = object.named();
    if object.number != 0 {
        missed(object);
    }
}
