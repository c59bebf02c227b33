//! Live objects, and the objects that ended last.

use super::clock::InFlight;
use super::recent::Recent;
use crate::events::Object;
use crate::finding::Call;
use std::collections::BTreeMap;

/// The objects of a kind.
#[derive(Debug)]
pub(super) struct Registry<T> {
    live: BTreeMap<Object, Entry<T>>,
    dead: Recent<Object, Dead>,
}

#[derive(Debug)]
pub(super) struct Entry<T> {
    pub(super) made: Call,
    /// How many calls had begun when the object was inserted. If one of these calls names the object, it means an
    /// earlier object with the same handle: a program learns of an object only when the call that creates it returns.
    pub(super) since: u64,
    /// The last call that it took part in.
    pub(super) used: Option<Call>,
    /// A call that is under way and ends the object.
    pub(super) ending: Option<Call>,
    pub(super) in_flight: InFlight,
    pub(super) data: T,
}

/// What is remembered of an object that ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dead {
    pub(super) made: Call,
    pub(super) used: Option<Call>,
    pub(super) ended: Call,
}

impl<T> Default for Registry<T> {
    fn default() -> Self {
        Self { live: BTreeMap::new(), dead: Recent::default() }
    }
}

impl<T> Registry<T> {
    pub(super) fn insert(&mut self, object: Object, made: Call, since: u64, data: T) {
        self.dead.remove(object);
        self.live.insert(object, Entry { made, since, used: None, ending: None, in_flight: InFlight::default(), data });
    }

    pub(super) fn get(&self, object: Object) -> Option<&Entry<T>> {
        self.live.get(&object)
    }

    pub(super) fn get_mut(&mut self, object: Object) -> Option<&mut Entry<T>> {
        self.live.get_mut(&object)
    }

    pub(super) fn dead(&self, object: Object) -> Option<Dead> {
        self.dead.get(object).copied()
    }

    /// Removes an object that this call has ended, and remembers it as dead.
    pub(super) fn end(&mut self, object: Object, ended: Call) -> Option<T> {
        let entry = self.live.remove(&object)?;
        self.dead.insert(object, Dead { made: entry.made, used: entry.used, ended });
        Some(entry.data)
    }

    /// Remembers an object as dead that was live under another name.
    pub(super) fn remember(&mut self, object: Object, dead: Dead) {
        self.dead.insert(object, dead);
    }

    pub(super) fn live(&self) -> impl DoubleEndedIterator<Item = (Object, &Entry<T>)> {
        self.live.iter().map(|(object, entry)| (*object, entry))
    }

    pub(super) fn live_mut(&mut self) -> impl Iterator<Item = (Object, &mut Entry<T>)> {
        self.live.iter_mut().map(|(object, entry)| (*object, entry))
    }

    /// The live object with the highest number up to this one.
    pub(super) fn up_to(&self, object: Object) -> Option<(Object, &Entry<T>)> {
        self.live.range(..=object).next_back().map(|(found, entry)| (*found, entry))
    }

    /// The live objects with lower numbers than this one, the highest first.
    pub(super) fn below(&self, object: Object) -> impl Iterator<Item = (Object, &Entry<T>)> {
        self.live.range(..object).rev().map(|(found, entry)| (*found, entry))
    }

    /// The live objects for which `wanted` holds.
    pub(super) fn matching(&self, wanted: impl Fn(&T) -> bool) -> Vec<Object> {
        self.live().filter(|(_, entry)| wanted(&entry.data)).map(|(object, _)| object).collect()
    }
}
