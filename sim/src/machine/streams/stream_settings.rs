//! Settings that a program makes one by one, to create streams with them.

use crate::abi::{Address, Name};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::handles::Table;
use crate::machine::watch;
use ascendcl_sys::types::aclrtStreamConfigHandle;
use std::sync::{Arc, Mutex};

/// As `aclrtCreateStreamWithConfig` takes them, and working memory for models.
#[derive(Clone, Copy, Default)]
pub(crate) struct StreamSettings {
    pub(crate) priority: u32,
    pub(crate) flags: u32,
    pub(crate) work: (Option<Address>, usize),
}

static SETTINGS: Table<Mutex<StreamSettings>> = Table::new();

pub(crate) fn create() -> Name<aclrtStreamConfigHandle> {
    let number = SETTINGS.add(Mutex::default());
    watch::is_described(number);
    Name::new(number)
}

pub(crate) fn destroy(name: Name<aclrtStreamConfigHandle>) -> Answer {
    SETTINGS.remove(name.0).ok_or_else(|| unknown(name))?;
    watch::is_described_no_more(name.0);
    Ok(())
}

pub(crate) fn find(name: Name<aclrtStreamConfigHandle>) -> Answer<StreamSettings> {
    Ok(*lock(&*entry(name)?))
}

pub(crate) fn change(name: Name<aclrtStreamConfigHandle>, settings: StreamSettings) -> Answer {
    *lock(&*entry(name)?) = settings;
    Ok(())
}

pub(crate) fn clear() {
    SETTINGS.remove_all(|_| true);
}

fn entry(name: Name<aclrtStreamConfigHandle>) -> Answer<Arc<Mutex<StreamSettings>>> {
    SETTINGS.get(name.0).ok_or_else(|| unknown(name))
}

fn unknown(name: Name<aclrtStreamConfigHandle>) -> Failure {
    let failure = Failure::invalid("this is no object with settings for a stream, or it was destroyed");
    watch::no_description(name.0, failure)
}
