//! Handles: numbers that look like aligned heap addresses and are never followed.
//!
//! A number is given out once in the life of the process, for whatever kind of object, so a stale handle cannot come
//! to mean another object, and any other number is simply unknown. The exception is a switch: [`Numbers`] are then given out
//! again, as the vendor's library does with its addresses.

use crate::config::switches::{self, Switch};
use crate::locks::{lock, read, write};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock};

/// Objects of one kind by their numbers.
pub(crate) struct Table<T> {
    entries: RwLock<Entries<T>>,
}

type Entries<T> = HashMap<usize, Arc<T>, BuildHasherDefault<NumberHasher>>;

impl<T> Table<T> {
    pub(crate) const fn new() -> Self {
        Self { entries: RwLock::new(HashMap::with_hasher(BuildHasherDefault::new())) }
    }

    /// Enters an object under a fresh number.
    pub(crate) fn add(&self, object: T) -> usize {
        let number = fresh();
        self.insert(number, Arc::new(object));
        number
    }

    /// Enters an object under a number that came from [`fresh`].
    pub(crate) fn insert(&self, number: usize, object: Arc<T>) {
        write(&self.entries).insert(number, object);
    }

    pub(crate) fn get(&self, number: usize) -> Option<Arc<T>> {
        read(&self.entries).get(&number).cloned()
    }

    /// The object with this number. It is created if it does not exist.
    pub(crate) fn get_or_default(&self, number: usize) -> Arc<T>
    where
        T: Default,
    {
        Arc::clone(write(&self.entries).entry(number).or_default())
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        read(&self.entries).contains_key(&number)
    }

    /// Takes an object out; of several threads that try, one gets it.
    pub(crate) fn remove(&self, number: usize) -> Option<Arc<T>> {
        write(&self.entries).remove(&number)
    }

    /// The objects for which `wanted` holds, in no order.
    pub(crate) fn select(&self, wanted: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
        read(&self.entries).values().filter(|object| wanted(object)).cloned().collect()
    }

    /// Takes out the objects for which `wanted` holds.
    pub(crate) fn remove_all(&self, wanted: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
        write(&self.entries).extract_if(|_, object| wanted(object)).map(|(_, object)| object).collect()
    }

    pub(crate) fn len(&self) -> usize {
        read(&self.entries).len()
    }
}

/// The numbers of one kind of object: contexts, streams, or events.
pub(crate) struct Numbers {
    /// Of objects that were destroyed, while numbers are used again.
    free: Mutex<Vec<usize>>,
}

impl Numbers {
    pub(crate) const fn new() -> Self {
        Self { free: Mutex::new(Vec::new()) }
    }

    /// A number that no live object has.
    pub(crate) fn take(&self) -> usize {
        let again = if switches::is_on(Switch::ReuseHandles) { lock(&self.free).pop() } else { None };
        again.unwrap_or_else(fresh)
    }

    /// The object is destroyed: the number no longer refers to it. Called once per object.
    pub(crate) fn give_back(&self, number: usize) {
        if switches::is_on(Switch::ReuseHandles) {
            lock(&self.free).push(number);
        }
    }
}

/// A number that no object has had.
pub(crate) fn fresh() -> usize {
    // Above everything that a program or its shared objects are usually mapped to, and below the mappings of large
    // blocks: following such a number faults at once.
    const FIRST: usize = 0x2000_0000_0000;
    const STRIDE: usize = 64;
    static NEXT: AtomicUsize = AtomicUsize::new(FIRST);
    NEXT.fetch_add(STRIDE, Ordering::Relaxed)
}

/// Numbers are multiples of 64 in a row; this spreads them over the table.
#[derive(Default)]
struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    fn write_usize(&mut self, number: usize) {
        let mixed = (self.0 ^ number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}
