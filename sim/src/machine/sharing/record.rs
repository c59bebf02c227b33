//! Records of what is shared.

use crate::abi::{Address, Pages, Shared};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::sharing::Key;
use ascendcl_rules::{IPC_01, IPC_03};
use ascendcl_sys::error_codes::{ACL_ERROR_RT_DRV_INTERNAL_ERROR, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL};
use std::sync::Mutex;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) enum Kind {
    /// A block of a device's memory.
    Block = 1,
    /// Physical memory, which has no address of its own.
    Physical = 2,
    Notify = 3,
    Event = 4,
}

/// Memory that is shared; all 0 for a notify and an event.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(in crate::machine) struct What {
    pub(in crate::machine) descriptor: u32,
    pub(in crate::machine) offset: usize,
    pub(in crate::machine) size: usize,
}

/// A record, in the process that has made it and in those that use it.
#[derive(Debug)]
pub(in crate::machine) struct Record {
    key: Key,
    what: What,
    pages: Pages,
    _memory: Shared,
    own: bool,
    /// Held while the list of processes is written.
    list: Mutex<()>,
}

const SIZE: usize = 4096;
const MAGIC: u64 = u64::from_le_bytes(*b"aclsim-1");

/// The places of the words in a record.
#[derive(Clone, Copy)]
enum Word {
    Magic,
    Nonce,
    Kind,
    Descriptor,
    Offset,
    Size,
    IsOpen,
    /// Every process may import it.
    ForAll,
    Signal,
    /// How often an event was recorded, and up to which of the records streams have come.
    Recorded,
    Reached,
    Processes,
    FirstProcess,
}

const MOST_PROCESSES: usize = SIZE / size_of::<u64>() - Word::FirstProcess as usize;

impl Record {
    /// Shares something, with every process or with those that are [allowed](Self::allow).
    pub(in crate::machine) fn new(kind: Kind, what: What, for_all: bool) -> Answer<Self> {
        let missing =
            || Failure::new(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "the system has no memory that two processes share");
        let memory = Shared::new(SIZE).ok_or_else(missing)?;
        let pages = mapped(&memory).ok_or_else(missing)?;
        let key = Key::new(memory.descriptor());
        let record = Self { key, what, pages, _memory: memory, own: true, list: Mutex::new(()) };
        record.set(Word::Magic, MAGIC);
        record.set(Word::Nonce, key.nonce.into());
        record.set(Word::Kind, kind as u64);
        record.set(Word::Descriptor, what.descriptor.into());
        record.set(Word::Offset, what.offset as u64);
        record.set(Word::Size, what.size as u64);
        record.set(Word::ForAll, for_all.into());
        record.set(Word::IsOpen, 1);
        Ok(record)
    }

    /// The record of another process. The codes of refusals were not measured.
    pub(in crate::machine) fn import(key: Key, kind: Kind) -> Answer<Self> {
        if key.process == std::process::id() {
            return Err(no_export(refused("a process does not import what it has exported itself (IPC-01)")));
        }
        let gone = || {
            let text =
                format!("process {} shares nothing under this key (any more), or this one may not see it", key.process);
            // That the system hides the other process is no mistake of this one.
            if may_be_seen(key.process) { no_export(refused(text)) } else { refused(text) }
        };
        let memory = Shared::of_process(key.process, key.descriptor).filter(|memory| memory.size() == SIZE);
        let memory = memory.ok_or_else(gone)?;
        let pages = mapped(&memory).ok_or_else(gone)?;
        let what = What::default();
        let mut record = Self { key, what, pages, _memory: memory, own: false, list: Mutex::new(()) };
        let is = |word, wanted: u64| record.word(word) == wanted;
        if !is(Word::Magic, MAGIC) || !is(Word::Nonce, key.nonce.into()) || !record.is_open() {
            return Err(gone());
        }
        if !is(Word::Kind, kind as u64) {
            return Err(no_export(refused("the key is for something of another kind")));
        }
        if is(Word::ForAll, 0) && !record.allows(std::process::id()) {
            let text = format!("process {} is not among those that may import it (IPC-03)", std::process::id());
            let fix = "give the exporter the number of aclrtDeviceGetBareTgid to list, or export with the flag that admits \
                       every process";
            return Err(refused(text).breaks(IPC_03, "a process that the exporter has listed before", fix));
        }
        let number = |word| usize::try_from(record.word(word)).unwrap_or_default();
        let descriptor = u32::try_from(record.word(Word::Descriptor)).unwrap_or_default();
        record.what = What { descriptor, offset: number(Word::Offset), size: number(Word::Size) };
        Ok(record)
    }

    pub(in crate::machine) fn key(&self) -> Key {
        self.key
    }

    pub(in crate::machine) fn what(&self) -> What {
        self.what
    }

    /// The memory that the record is about.
    pub(in crate::machine) fn memory(&self) -> Answer<Shared> {
        let memory = Shared::of_process(self.key.process, self.what.descriptor);
        let end = self.what.offset.checked_add(self.what.size);
        let memory = memory.filter(|memory| end.is_some_and(|end| end <= memory.size()));
        memory.ok_or_else(|| refused(format!("process {} has the memory no more", self.key.process)))
    }

    /// Lets these processes import it, too.
    pub(in crate::machine) fn allow(&self, processes: &[i32]) -> Answer {
        let _written = lock(&self.list);
        let before = self.count();
        if before + processes.len() > MOST_PROCESSES {
            return Err(Failure::refused(format!("at most {MOST_PROCESSES} processes import one thing here")));
        }
        for (process, index) in processes.iter().zip(before..) {
            self.process(index).store(u64::from(process.cast_unsigned()));
        }
        self.set(Word::Processes, (before + processes.len()) as u64);
        Ok(())
    }

    /// Sets the mark of a notify.
    pub(in crate::machine) fn signal(&self) {
        self.set(Word::Signal, 1);
    }

    /// Takes the mark of a notify away; answers whether it was set.
    pub(in crate::machine) fn take_signal(&self) -> bool {
        self.place(Word::Signal).replace(0) != 0
    }

    /// An event is recorded; answers which of its records this is. Words of a page are aligned.
    pub(in crate::machine) fn next(&self) -> u64 {
        self.place(Word::Recorded).add(1).unwrap_or_default()
    }

    /// A stream has come to this record of an event.
    pub(in crate::machine) fn reach(&self, record: u64) {
        self.place(Word::Reached).raise(record);
    }

    /// The newest record of an event; 0 before the first.
    pub(in crate::machine) fn newest(&self) -> u64 {
        self.word(Word::Recorded)
    }

    pub(in crate::machine) fn has_reached(&self, record: u64) -> bool {
        self.word(Word::Reached) >= record
    }

    /// Whether other processes may still import it.
    pub(in crate::machine) fn is_open(&self) -> bool {
        self.word(Word::IsOpen) == 1
    }

    /// Nobody imports it from now on. Those who have imported it keep what they have.
    pub(in crate::machine) fn close(&self) {
        self.set(Word::IsOpen, 0);
    }

    fn allows(&self, process: u32) -> bool {
        (0..self.count()).any(|index| self.process(index).load() == u64::from(process))
    }

    fn count(&self) -> usize {
        usize::try_from(self.word(Word::Processes)).map_or(0, |count| count.min(MOST_PROCESSES))
    }

    fn process(&self, index: usize) -> Address {
        self.place(Word::FirstProcess).offset(index * size_of::<u64>())
    }

    fn word(&self, word: Word) -> u64 {
        self.place(word).load()
    }

    fn set(&self, word: Word, value: u64) {
        self.place(word).store(value);
    }

    fn place(&self, word: Word) -> Address {
        self.pages.start().offset(word as usize * size_of::<u64>())
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if self.own {
            self.close();
        }
        // Without a place in the system's tables the page stays mapped, which nobody sees.
        let _ = self.pages.unmap(0, SIZE);
    }
}

fn mapped(memory: &Shared) -> Option<Pages> {
    let pages = Pages::reserve(SIZE, SIZE)?;
    pages.map(0, memory)?;
    Some(pages)
}

fn refused(text: impl Into<std::borrow::Cow<'static, str>>) -> Failure {
    Failure::new(ACL_ERROR_RT_DRV_INTERNAL_ERROR, text)
}

/// What is imported is not there: the key is wrong, or the exporter has taken back what it is for (IPC-01).
pub(in crate::machine) fn no_export(failure: Failure) -> Failure {
    let fix = "pass the whole key of the exporter's call, and let the exporter keep what it exports until then";
    failure.breaks(IPC_01, "the key of something that another process exports now", fix)
}

/// Whether the system would show what this process has open, if there is such a process.
fn may_be_seen(process: u32) -> bool {
    let denied = |error: std::io::Error| error.kind() == std::io::ErrorKind::PermissionDenied;
    !std::fs::read_dir(format!("/proc/{process}/fd")).is_err_and(denied)
}
