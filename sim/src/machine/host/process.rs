//! Initialisation of the process: counted, and ended at once or count by count.

use crate::abi::{Notice, OfEnd, OfStart, this_thread};
use crate::config;
use crate::failure::{Answer, Failure};
use crate::locks::{lock, wait};
use crate::machine::host::{configuration, dump, profiling};
use crate::machine::operators;
use crate::machine::workers::user_code;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::{aclCompileOpt, aclError, aclRegisterCallbackType};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::sync::{Condvar, Mutex, MutexGuard};

struct Count {
    inits: u64,
    /// A finalise has taken effect since the last initialisation.
    finalised: bool,
    /// The text of the configuration file that the first initialisation was given.
    configuration: Option<CString>,
    /// That of the first initialisation that there was: the process keeps it.
    first: Option<CString>,
    /// The thread that runs the caller's functions for the start or the end. No other thread starts or ends the library
    /// at that time.
    telling: Option<u64>,
    of_start: Vec<(aclRegisterCallbackType, Notice<OfStart>)>,
    of_end: Vec<(aclRegisterCallbackType, Notice<OfEnd>)>,
}

static COUNT: Mutex<Count> = Mutex::new(Count::new());
/// No thread is `telling` any more.
static TOLD: Condvar = Condvar::new();

impl Count {
    const fn new() -> Self {
        Self {
            inits: 0,
            finalised: false,
            configuration: None,
            first: None,
            telling: None,
            of_start: Vec::new(),
            of_end: Vec::new(),
        }
    }
}

/// Counts an initialisation. Only the first one looks at the configuration.
pub(crate) fn init(config_path: &str) -> Answer {
    let again = || {
        let text = "initialised already; one more finalise is owed, and this configuration is not looked at";
        Failure::new(ACL_ERROR_REPEAT_INITIALIZE, text)
    };
    let mut count = undisturbed(again)?;
    if count.inits > 0 {
        count.inits += 1;
        return Err(again());
    }
    config::checked()?;
    let configuration = configuration::text(config_path)?;
    if count.first.as_ref().is_some_and(|first| *first != configuration) {
        return Err(Failure::invalid("the configuration says something else than that of the first initialisation"));
    }
    let settings = configuration::parsed(config_path, configuration.to_bytes())?;
    configuration::check(&settings)?;
    configuration::most_operators(&settings).into_iter().for_each(operators::keep_at_most);
    configuration::choose_limits(&settings)?;
    let (mut count, answer) = tell_start(count, &configuration);
    answer?;
    dump::start(&settings);
    count.inits = 1;
    count.finalised = false;
    count.first.get_or_insert_with(|| configuration.clone());
    count.configuration = Some(configuration);
    Ok(())
}

/// Ends it all, whatever the count. The vendor's library accepts that once without an initialisation.
pub(crate) fn finalize() -> Answer {
    let mut count = undisturbed(not_initialised)?;
    if count.finalised {
        return Err(not_initialised());
    }
    if count.inits == 0 {
        config::if_documented(not_initialised)?;
    } else {
        profiling::check_finalised()?;
        let answer;
        (count, answer) = tell_end(count);
        answer?;
    }
    count.inits = 0;
    count.finalised = true;
    dump::clear();
    Ok(())
}

/// Takes back one initialisation; also answers how many are left.
pub(crate) fn finalize_reference() -> (u64, Answer) {
    let mut count = match undisturbed(not_initialised) {
        Ok(count) => count,
        Err(failure) => return (0, Err(failure)),
    };
    if count.inits == 0 {
        return (0, Err(not_initialised()));
    }
    if count.inits == 1 {
        if let Err(failure) = profiling::check_finalised() {
            return (count.inits, Err(failure));
        }
        let answer;
        (count, answer) = tell_end(count);
        if answer.is_err() {
            return (count.inits, answer);
        }
    }
    count.inits -= 1;
    count.finalised = count.inits == 0;
    if count.finalised {
        dump::clear();
    }
    (count.inits, Ok(()))
}

/// Has a function called at every start. When the library is initialised already, it is called at once.
pub(crate) fn hear_of_start(kind: aclRegisterCallbackType, notice: Notice<OfStart>) -> Answer {
    let mut count = settled();
    if count.of_start.iter().any(|(other, known)| *other == kind && known.is(&notice)) {
        return Err(registered());
    }
    count.of_start.push((kind, notice));
    let started = count.inits > 0 && is_told(kind);
    let configuration = count.configuration.clone().unwrap_or_default();
    drop(count);
    if started { told(|| notice.tell(&configuration)) } else { Ok(()) }
}

pub(crate) fn unhear_start(kind: aclRegisterCallbackType, function: OfStart) -> Answer {
    taken_out(&mut lock(&COUNT).of_start, |(other, known)| *other == kind && known.calls(function))
}

/// Has a function called at every end.
pub(crate) fn hear_of_end(kind: aclRegisterCallbackType, notice: Notice<OfEnd>) -> Answer {
    let mut count = lock(&COUNT);
    if count.of_end.iter().any(|(other, known)| *other == kind && known.is(&notice)) {
        return Err(registered());
    }
    count.of_end.push((kind, notice));
    Ok(())
}

pub(crate) fn unhear_end(kind: aclRegisterCallbackType, function: OfEnd) -> Answer {
    taken_out(&mut lock(&COUNT).of_end, |(other, known)| *other == kind && known.calls(function))
}

fn registered() -> Failure {
    Failure::new(ACL_ERROR_INTERNAL_ERROR, "the callback is registered for this part of the library already")
}

fn taken_out<T>(list: &mut Vec<T>, is_it: impl Fn(&T) -> bool) -> Answer {
    let before = list.len();
    list.retain(|entry| !is_it(entry));
    if list.len() < before {
        return Ok(());
    }
    let text = "the callback is not registered for this part of the library";
    Err(Failure::new(ACL_ERROR_INTERNAL_ERROR, text))
}

/// Registrations for parts that do not exist are kept and never called.
fn is_told(kind: aclRegisterCallbackType) -> bool {
    kind <= aclRegisterCallbackType::ACL_REG_TYPE_ACL_RETR || kind == aclRegisterCallbackType::ACL_REG_TYPE_OTHER
}

/// The count, when no other thread is in the middle of a start or an end. A function of the caller that is called for
/// one of them cannot start or end the library itself.
fn undisturbed(inside: impl FnOnce() -> Failure) -> Answer<MutexGuard<'static, Count>> {
    let count = settled();
    if count.telling.is_some() { Err(inside()) } else { Ok(count) }
}

/// The count, when no other thread than this one is in the middle of a start or an end.
fn settled() -> MutexGuard<'static, Count> {
    let mut count = lock(&COUNT);
    while count.telling.is_some_and(|thread| thread != this_thread()) {
        count = wait(&TOLD, count, None);
    }
    count
}

type Counted = MutexGuard<'static, Count>;

fn tell_start(count: Counted, configuration: &CStr) -> (Counted, Answer) {
    let notices: Vec<_> = count.of_start.iter().filter(|(kind, _)| is_told(*kind)).map(|(_, notice)| *notice).collect();
    tell(count, &notices, |notice| notice.tell(configuration))
}

fn tell_end(count: Counted) -> (Counted, Answer) {
    let notices: Vec<_> = count.of_end.iter().filter(|(kind, _)| is_told(*kind)).map(|(_, notice)| *notice).collect();
    tell(count, &notices, |notice| notice.tell())
}

/// Calls one after the other, up to the first that fails, without the lock.
fn tell<F>(mut count: Counted, notices: &[Notice<F>], call: impl Fn(&Notice<F>) -> aclError) -> (Counted, Answer) {
    if notices.is_empty() {
        return (count, Ok(()));
    }
    count.telling = Some(this_thread());
    drop(count);
    let answer = notices.iter().try_for_each(|notice| told(|| call(notice)));
    let mut count = lock(&COUNT);
    count.telling = None;
    TOLD.notify_all();
    (count, answer)
}

/// The answer of a function of the caller: it decides whether the start or the end fails.
fn told(call: impl FnOnce() -> aclError) -> Answer {
    match user_code::run_within(0, call) {
        ACL_SUCCESS => Ok(()),
        code => Err(Failure::new(code, format!("a callback of the start or the end failed with {code}"))),
    }
}

/// By the manual a call that needs the runtime needs an initialisation; the vendor's library does not look.
pub(crate) fn refuse_uninitialised() -> Answer {
    if !config::is_documented() || lock(&COUNT).inits > 0 {
        return Ok(());
    }
    Err(Failure::new(ACL_ERROR_UNINITIALIZE, "the library is not initialised"))
}

/// Whether an initialisation is owed its finalise.
pub(crate) fn is_initialised() -> bool {
    lock(&COUNT).inits > 0
}

/// The operator compiler's options.
pub(crate) fn options() -> &'static Mutex<BTreeMap<aclCompileOpt, String>> {
    static OPTIONS: Mutex<BTreeMap<aclCompileOpt, String>> = Mutex::new(BTreeMap::new());
    &OPTIONS
}

/// As if nothing had been initialised.
pub(in crate::machine) fn clear() {
    lock(options()).clear();
    *lock(&COUNT) = Count::new();
    TOLD.notify_all();
}

fn not_initialised() -> Failure {
    Failure::new(ACL_ERROR_REPEAT_FINALIZE, "finalised already, or never initialised")
}
