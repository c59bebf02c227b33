//! Settings that a program makes one by one, to load a model or to run one with them.

use super::Memory;
use crate::abi::{Address, Name};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::handles::Table;
use crate::machine::memory::areas::Area;
use crate::machine::watch;
use ascendcl_rules::MODEL_26;
use ascendcl_sys::types::{aclmdlConfigHandle, aclmdlExecConfigHandle};
use std::sync::{Arc, Mutex};

/// How a model is to be loaded.
#[derive(Clone, Default)]
pub(crate) struct LoadSettings {
    pub(crate) way: Option<Way>,
    pub(crate) path: Option<String>,
    pub(crate) image: Option<Address>,
    pub(crate) image_size: Option<usize>,
    /// The folder in which the weights are that the model keeps in other files.
    pub(crate) data: Option<String>,
    pub(crate) work: (Option<Address>, usize),
    pub(crate) weights: (Option<Address>, usize),
    pub(crate) priority: u32,
    /// Which of the four settings of queues were made.
    pub(crate) queues: [bool; 4],
}

/// From where, and whether into memory of the caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    pub(crate) from_file: bool,
    pub(crate) with_memory: bool,
    /// Its inputs and outputs come and go by queues.
    pub(crate) with_queues: bool,
}

static LOADS: Table<Mutex<LoadSettings>> = Table::new();

/// How a model is to be run. The time limits among the settings end no run of the simulator, so that they are not kept.
#[derive(Clone, Copy, Default)]
pub(crate) struct RunSettings {
    pub(crate) work: (Option<Address>, usize),
}

static RUNS: Table<Mutex<RunSettings>> = Table::new();

pub(crate) fn create_load_settings() -> Name<aclmdlConfigHandle> {
    described(LOADS.add(Mutex::default()))
}

pub(crate) fn destroy_load_settings(name: Name<aclmdlConfigHandle>) -> Answer {
    LOADS.remove(name.0).map(|_| ()).ok_or_else(|| unknown(name.0, "loading"))?;
    watch::is_described_no_more(name.0);
    Ok(())
}

pub(crate) fn change_load_settings(name: Name<aclmdlConfigHandle>, change: impl FnOnce(&mut LoadSettings)) -> Answer {
    change(&mut lock(&*found(name)?));
    Ok(())
}

pub(crate) fn load_settings(name: Name<aclmdlConfigHandle>) -> Answer<LoadSettings> {
    Ok(lock(&*found(name)?).clone())
}

pub(crate) fn create_run_settings() -> Name<aclmdlExecConfigHandle> {
    described(RUNS.add(Mutex::default()))
}

pub(crate) fn destroy_run_settings(name: Name<aclmdlExecConfigHandle>) -> Answer {
    RUNS.remove(name.0).map(|_| ()).ok_or_else(|| unknown(name.0, RUNNING))?;
    watch::is_described_no_more(name.0);
    Ok(())
}

pub(crate) fn run_settings(name: Name<aclmdlExecConfigHandle>) -> Answer<RunSettings> {
    Ok(*lock(&*found_for_runs(name)?))
}

pub(crate) fn change_run_settings(name: Name<aclmdlExecConfigHandle>, settings: RunSettings) -> Answer {
    *lock(&*found_for_runs(name)?) = settings;
    Ok(())
}

pub(super) fn clear() {
    LOADS.remove_all(|_| true);
    RUNS.remove_all(|_| true);
}

impl RunSettings {
    /// Working memory of the caller for the run. A null address leaves it to the library (MODEL-08).
    pub(crate) fn work(&self) -> Option<Area> {
        lent(self.work)
    }
}

/// Memory whose address and size the program sets one by one.
pub(crate) fn lent((start, size): (Option<Address>, usize)) -> Option<Area> {
    let address = start.filter(|address| !address.is_null())?;
    Some(Area { address, size })
}

impl LoadSettings {
    /// The memory of the caller, if the model is to be loaded into it.
    pub(crate) fn memory(&self, way: Way) -> Option<Memory> {
        let given = |(start, bytes): (Option<Address>, usize)| (start.unwrap_or(Address::NULL), bytes);
        way.with_memory.then(|| Memory { work: given(self.work), weights: given(self.weights) })
    }
}

fn found(name: Name<aclmdlConfigHandle>) -> Answer<Arc<Mutex<LoadSettings>>> {
    LOADS.get(name.0).ok_or_else(|| unknown(name.0, "loading"))
}

fn found_for_runs(name: Name<aclmdlExecConfigHandle>) -> Answer<Arc<Mutex<RunSettings>>> {
    RUNS.get(name.0).ok_or_else(|| match name.0 {
        0 => unconfigured(Failure::invalid("the settings of the run are null")),
        number => unknown(number, RUNNING),
    })
}

fn described<C>(number: usize) -> Name<C> {
    watch::is_described(number);
    Name::new(number)
}

const RUNNING: &str = "running";

/// A run that takes settings lacks them, or its stream (MODEL-26).
pub(crate) fn unconfigured(failure: Failure) -> Failure {
    let fix = "create the settings (aclmdlCreateExecConfigHandle) and a stream, check what the calls returned, and pass \
               both; without settings call aclmdlExecute or aclmdlExecuteAsync";
    failure.breaks(MODEL_26, "settings of the run, and a stream that the program created", fix)
}

fn unknown(number: usize, what: &str) -> Failure {
    let text = format!("this is no object with settings for {what} a model, or it was destroyed");
    watch::no_description(number, Failure::invalid(text))
}
