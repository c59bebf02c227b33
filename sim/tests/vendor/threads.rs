//! The threads of a case: each makes its calls in its own order, one at a time.

use core::ffi::c_void;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

type Work = Box<dyn FnOnce() + Send>;

/// The name of the thread of the callback that makes calls.
pub(crate) const CALLBACK: &str = "callback";

/// What the callback that makes calls is given, and whom it tells that it has done it.
static CALLS: Mutex<Option<(Receiver<Work>, Sender<()>)>> = Mutex::new(None);

/// A callback that makes the calls that the lines name, until another line comes.
pub(crate) unsafe extern "C" fn make_calls(_: *mut c_void) {
    let (todo, ended) = loop {
        if let Some(calls) = CALLS.lock().unwrap().take() {
            break calls;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    todo.into_iter().for_each(|work| {
        work();
        let _ = ended.send(());
    });
}

/// A thread that does what it is given, and answers when it has done it.
struct Helper {
    work: Option<Sender<Work>>,
    done: Receiver<()>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
pub(crate) struct Threads(BTreeMap<String, Helper>);

impl Threads {
    /// Whether a thread of this name was there before.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Runs the work on the thread of this name and waits for its end.
    pub(crate) fn run(&mut self, name: &str, work: impl FnOnce() + Send + 'static) {
        let start = if name == CALLBACK { Helper::in_a_callback } else { Helper::start };
        let helper = self.0.entry(name.to_owned()).or_insert_with(start);
        let sent = helper.work.as_ref().map(|sender| sender.send(Box::new(work)));
        assert!(matches!(sent, Some(Ok(()))), "the thread {name} is there");
        helper.done.recv().expect("the thread goes on");
    }

    /// Lets the thread of this name end.
    pub(crate) fn end(&mut self, name: &str) {
        if let Some(mut helper) = self.0.remove(name) {
            helper.work.take();
            if let Some(thread) = helper.thread.take() {
                thread.join().expect("the thread ends in order");
            }
        }
    }
}

impl Helper {
    /// The thread of a callback, which is there or comes.
    fn in_a_callback() -> Self {
        let (work, todo) = channel::<Work>();
        let (ended, done) = channel();
        *CALLS.lock().unwrap() = Some((todo, ended));
        Self { work: Some(work), done, thread: None }
    }

    fn start() -> Self {
        let (work, todo) = channel::<Work>();
        let (ended, done) = channel();
        let thread = std::thread::spawn(move || {
            for work in todo {
                work();
                if ended.send(()).is_err() {
                    return;
                }
            }
        });
        Self { work: Some(work), done, thread: Some(thread) }
    }
}
