//! Objects that only describe, by their names.

use crate::abi::Name;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::handles::Table;
use crate::machine::watch;
use core::marker::PhantomData;
use std::sync::Mutex;

/// Descriptions of one kind, whose C type is `C`.
pub(crate) struct Kind<C, T> {
    what: &'static str,
    table: Table<Mutex<T>>,
    _named: PhantomData<fn() -> C>,
}

impl<C, T: Clone> Kind<C, T> {
    pub(super) const fn new(what: &'static str) -> Self {
        Self { what, table: Table::new(), _named: PhantomData }
    }

    pub(crate) fn create(&self, value: T) -> Name<C> {
        let number = self.table.add(Mutex::new(value));
        watch::is_described(number);
        Name::new(number)
    }

    pub(crate) fn destroy(&self, name: Name<C>) -> Answer {
        self.table.remove(name.0).map(drop).ok_or_else(|| self.unknown(name))?;
        watch::is_described_no_more(name.0);
        Ok(())
    }

    pub(crate) fn read(&self, name: Name<C>) -> Answer<T> {
        self.table.get(name.0).map(|value| lock(&value).clone()).ok_or_else(|| self.unknown(name))
    }

    /// Hands the object itself to `look`, and not a copy.
    pub(crate) fn look<R>(&self, name: Name<C>, look: impl FnOnce(&T) -> R) -> Answer<R> {
        self.table.get(name.0).map(|value| look(&lock(&value))).ok_or_else(|| self.unknown(name))
    }

    pub(crate) fn change(&self, name: Name<C>, change: impl FnOnce(&mut T)) -> Answer {
        let value = self.table.get(name.0).ok_or_else(|| self.unknown(name))?;
        change(&mut lock(&value));
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    pub(super) fn clear(&self) {
        self.table.remove_all(|_| true);
    }

    fn unknown(&self, name: Name<C>) -> Failure {
        let failure = Failure::invalid(match name.0 {
            0 => format!("the {} is null", self.what),
            _ => format!("this is no {}, or it was destroyed", self.what),
        });
        watch::no_description(name.0, failure)
    }
}
