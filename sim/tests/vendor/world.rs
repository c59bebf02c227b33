//! The objects of a case, by the names that its lines give them.

use crate::call::Outcome;
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::without_provenance_mut;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::time::Duration;

/// A call with its arguments, to be made on some thread.
pub(crate) type Ready = Box<dyn FnOnce() -> Outcome + Send>;

/// How large every piece of memory is.
pub(crate) const SIZE: usize = 4096;

/// What callbacks of a case count.
pub(crate) static ENTERED: AtomicU32 = AtomicU32::new(0);
pub(crate) static ENDED: AtomicU32 = AtomicU32::new(0);
/// Lets the callbacks end that wait.
pub(crate) static GO_ON: AtomicBool = AtomicBool::new(false);

/// Does nothing but count.
pub(crate) unsafe extern "C" fn count(_: *mut c_void) {
    ENTERED.fetch_add(1, SeqCst);
    ENDED.fetch_add(1, SeqCst);
}

/// Lasts until the case lets it end.
pub(crate) unsafe extern "C" fn wait(_: *mut c_void) {
    ENTERED.fetch_add(1, SeqCst);
    while !GO_ON.load(SeqCst) {
        std::thread::sleep(Duration::from_millis(1));
    }
    ENDED.fetch_add(1, SeqCst);
}

#[derive(Default)]
pub(crate) struct World {
    named: BTreeMap<(&'static str, String), usize>,
    /// The stream that was made last.
    pub(crate) last_stream: usize,
    /// The event that was made last.
    pub(crate) last_event: usize,
    /// With which flags events are made that a line uses first.
    pub(crate) event_flags: EventKind,
    /// The mode of captures whose line names none.
    pub(crate) mode: &'static str,
    /// The stream of calls whose line names none.
    pub(crate) unnamed: &'static str,
    /// The context in which the case begins.
    pub(crate) home: usize,
    pub(crate) other: usize,
    pub(crate) on_device_one: usize,
}

/// How an event is made.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum EventKind {
    #[default]
    Plain,
    WithFlag(u32),
    Ex(u32),
}

pub(crate) fn pointer<T>(number: usize) -> *mut T {
    if (1 << 12..1 << 45).contains(&number) {
        core::ptr::with_exposed_provenance_mut(number)
    } else {
        without_provenance_mut(number)
    }
}

/// A place for a result that stays in place.
pub(crate) fn place<T: Send + 'static>(value: T) -> &'static mut T {
    Box::leak(Box::new(value))
}

fn fresh_memory() -> usize {
    Box::leak(Box::new([0_u64; SIZE / 8])).as_mut_ptr().expose_provenance()
}

impl World {
    pub(crate) fn get(&self, kind: &'static str, name: &str) -> Option<usize> {
        self.named.get(&(kind, name.to_owned())).copied()
    }

    pub(crate) fn put(&mut self, kind: &'static str, name: &str, number: usize) {
        self.named.insert((kind, name.to_owned()), number);
    }

    pub(crate) fn zeroed(&mut self) -> usize {
        match self.get("memory", "zeroed") {
            Some(zeroed) => zeroed,
            None => {
                let zeroed = fresh_memory();
                self.put("memory", "zeroed", zeroed);
                zeroed
            }
        }
    }

    /// What is not the handle of a live object; `None` for any other name.
    fn dead(&mut self, kind: &'static str, name: &str) -> Option<usize> {
        if name.starts_with("NULL") {
            return Some(0);
        }
        if name.starts_with("zeroed memory") {
            return Some(self.zeroed());
        }
        if name.starts_with("bogus") {
            return Some(0x1234);
        }
        if !name.starts_with("destroyed") {
            return None;
        }
        if let Some(known) = self.get(kind, "destroyed") {
            return Some(known);
        }
        let here = current();
        if self.home != 0 {
            call!(device::aclrtSetCurrentContext(aclrtContext(pointer(self.home))));
        }
        let dead = match kind {
            "stream" => {
                let mut stream = aclrtStream::NULL;
                assert_eq!(call!(stream::aclrtCreateStream(&mut stream)), 0);
                assert_eq!(call!(stream::aclrtDestroyStream(stream)), 0);
                stream.0.addr()
            }
            "event" => {
                let mut event = aclrtEvent::NULL;
                assert_eq!(call!(event::aclrtCreateEvent(&mut event)), 0);
                assert_eq!(call!(event::aclrtDestroyEvent(event)), 0);
                event.0.addr()
            }
            "notify" => {
                let mut notify = aclrtNotify::NULL;
                call!(event::aclrtCreateNotify(&mut notify, 0));
                call!(event::aclrtDestroyNotify(notify));
                notify.0.addr()
            }
            _ => 0x1234,
        };
        if here != 0 {
            call!(device::aclrtSetCurrentContext(aclrtContext(pointer(here))));
        }
        self.put(kind, "destroyed", dead);
        Some(dead)
    }

    pub(crate) fn stream(&mut self, name: &str) -> usize {
        if let Some(dead) = self.dead("stream", name) {
            return dead;
        }
        let name = match name {
            "foreign stream" | "stream of this context" => "foreign",
            "" | "ordinary stream" | "capturing stream" => "s",
            "persistent stream" | "bound stream" => "p",
            "default stream's handle" | "handle of the default stream" => "default stream",
            "default stream of the default context" => "later default stream",
            name if name.starts_with("default stream") => "default stream",
            "new stream" => return self.last_stream,
            name if name.starts_with("stream with flags") => return self.last_stream,
            name => name.split([' ', ':']).next().filter(|short| short.len() <= 2).unwrap_or(name),
        };
        if let Some(known) = self.get("stream", name) {
            return known;
        }
        let made = match name {
            "default stream" => {
                let mut stream = aclrtStream::NULL;
                call!(stream::aclrtCtxGetCurrentDefaultStream(&mut stream));
                stream.0.addr()
            }
            "foreign" => self.elsewhere(|world| world.other(), || new_stream(0)),
            "stream of device 1" => self.elsewhere(|world| world.device_one(), || new_stream(0)),
            "p" | "p2" => new_stream(ascendcl_sys::constants::ACL_STREAM_PERSISTENT),
            _ => new_stream(0),
        };
        self.put("stream", name, made);
        made
    }

    pub(crate) fn event(&mut self, name: &str) -> usize {
        if let Some(dead) = self.dead("event", name) {
            return dead;
        }
        let name = match name {
            "it" => return self.last_event,
            name if name.starts_with("event with ") || name.starts_with("event of ") => return self.last_event,
            "recorded event" | "recorded" | "recorded event that nobody awaited" => "recorded",
            name => name,
        };
        if let Some(known) = self.get("event", name) {
            return known;
        }
        let kind = match name {
            "SYNC|TIME_LINE event" => EventKind::WithFlag(0x9),
            "event without SYNC" => EventKind::WithFlag(0x8),
            "progress event" => EventKind::WithFlag(0x2),
            _ => self.event_flags,
        };
        let (code, made) = new_event(kind);
        assert_eq!(code, 0, "the event {name}");
        if name == "recorded" {
            let stream = self.stream("s");
            assert_eq!(call!(event::aclrtRecordEvent(aclrtEvent(pointer(made)), aclrtStream(pointer(stream)))), 0);
            assert_eq!(call!(stream::aclrtSynchronizeStream(aclrtStream(pointer(stream)))), 0);
        }
        self.put("event", name, made);
        made
    }

    /// The handle of a context of the case.
    pub(crate) fn context(&mut self, name: &str) -> usize {
        match name {
            _ if name.starts_with("bogus") => 0x1234,
            _ if name.starts_with("NULL") => 0,
            _ if name.starts_with("default context") => self.home,
            _ if name.starts_with("explicit") => self.get("context", "explicit").unwrap_or(0x1234),
            _ => self.get("context", name).unwrap_or(self.home),
        }
    }

    /// Memory of the device, pinned or ordinary memory, by its name.
    pub(crate) fn memory(&mut self, name: &str) -> usize {
        let name = name.trim();
        if name.starts_with("NULL") {
            return 0;
        }
        if let Some((base, offset)) = name.split_once(" + ") {
            return self.memory(base) + crate::arguments::number(offset) as usize;
        }
        let name = match name {
            _ if name.contains("pageable") => "pageable",
            _ if name.contains("pinned") => "h",
            _ => name,
        };
        if let Some(known) = self.get("memory", name) {
            return known;
        }
        let mut made = core::ptr::null_mut();
        let number = match name {
            "pageable" | "p" | "a" => {
                let layout = std::alloc::Layout::from_size_align(SIZE, SIZE).unwrap();
                // SAFETY: the size is not 0.
                unsafe { std::alloc::alloc_zeroed(layout) }.expose_provenance()
            }
            "h" | "h2" => {
                assert_eq!(call!(memory::aclrtMallocHost(&mut made, SIZE)), 0);
                made.expose_provenance()
            }
            "memory of device 1" => self.elsewhere(|world| world.device_one(), new_memory),
            _ => new_memory(),
        };
        self.put("memory", name, number);
        number
    }

    /// Another context of the device.
    pub(crate) fn other(&mut self) -> usize {
        if self.other == 0 {
            let here = current();
            let mut context = aclrtContext::NULL;
            assert_eq!(call!(device::aclrtCreateContext(&mut context, 0)), 0);
            self.other = context.0.addr();
            back_to(here);
        }
        self.other
    }

    /// A context of the other device.
    pub(crate) fn device_one(&mut self) -> usize {
        if self.on_device_one == 0 {
            let here = current();
            assert_eq!(call!(device::aclrtSetDevice(1)), 0);
            self.on_device_one = current();
            back_to(here);
        }
        self.on_device_one
    }

    fn elsewhere(&mut self, context: impl FnOnce(&mut Self) -> usize, make: impl FnOnce() -> usize) -> usize {
        let here = current();
        let context = context(self);
        back_to(context);
        let made = make();
        back_to(here);
        made
    }
}

/// The thread's current context, 0 for none.
pub(crate) fn current() -> usize {
    let mut context = aclrtContext::NULL;
    call!(device::aclrtGetCurrentContext(&mut context));
    context.0.addr()
}

pub(crate) fn back_to(context: usize) {
    if context != 0 {
        call!(device::aclrtSetCurrentContext(aclrtContext(pointer(context))));
    }
}

pub(crate) fn new_stream(flags: u32) -> usize {
    let mut stream = aclrtStream::NULL;
    assert_eq!(call!(stream::aclrtCreateStreamWithConfig(&mut stream, 0, flags)), 0);
    stream.0.addr()
}

pub(crate) fn new_event(kind: EventKind) -> (i32, usize) {
    let mut event = aclrtEvent::NULL;
    let code = match kind {
        EventKind::Plain => call!(event::aclrtCreateEvent(&mut event)),
        EventKind::WithFlag(flags) => call!(event::aclrtCreateEventWithFlag(&mut event, flags)),
        EventKind::Ex(flags) => call!(event::aclrtCreateEventExWithFlag(&mut event, flags)),
    };
    (code, event.0.addr())
}

/// Memory of the device; ordinary memory for calls without a context, which do not come to use it.
fn new_memory() -> usize {
    let mut made = core::ptr::null_mut();
    let policy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;
    match call!(memory::aclrtMalloc(&mut made, SIZE, policy)) {
        0 => made.expose_provenance(),
        _ => fresh_memory(),
    }
}
