//! A map that forgets its oldest entries.

use std::collections::BTreeMap;
use std::ops::RangeBounds;

/// How many entries a map keeps.
const KEPT: usize = 4096;

/// The latest entries by key. A key that is entered again counts as new.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    entries: BTreeMap<K, (u64, V)>,
    /// The keys in the order of their entries.
    order: BTreeMap<u64, K>,
    next: u64,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self { entries: BTreeMap::new(), order: BTreeMap::new(), next: 0 }
    }
}

impl<K: Ord + Copy, V> Recent<K, V> {
    pub(super) fn insert(&mut self, key: K, value: V) {
        self.remove(key);
        self.entries.insert(key, (self.next, value));
        self.order.insert(self.next, key);
        self.next += 1;
        if self.entries.len() > KEPT
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.entries.remove(&oldest);
        }
    }

    pub(super) fn remove(&mut self, key: K) {
        if let Some((number, _)) = self.entries.remove(&key) {
            self.order.remove(&number);
        }
    }

    pub(super) fn get(&self, key: K) -> Option<&V> {
        self.entries.get(&key).map(|(_, value)| value)
    }

    pub(super) fn range(&self, keys: impl RangeBounds<K>) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.entries.range(keys).map(|(key, (_, value))| (*key, value))
    }
}
