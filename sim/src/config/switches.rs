//! Switches: behaviour that differs between the vendor's releases, and behaviour that would make every test slow.
//!
//! The configuration decides; where it says nothing, the words of `ASCENDCL_SIM` do.

use super::Checks;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// One thing to switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Switch {
    /// The manual's word counts where the library does something else.
    Documented = 1,
    /// Waits miss the end of the work when another thread queues more work during the wait.
    VendorWaits = 2,
    /// A new object gets the handle of one that was destroyed.
    ReuseHandles = 4,
    /// `aclrtMemcpyAsync` of host memory that is not pinned copies in the call. Copies of rows and batches stay as they are.
    CopyAtOnce = 8,
    /// Destroying a context in which a callback has run takes a second.
    SlowDestroy = 16,
    /// The program is kept out of memory that it must not use.
    Guard = 32,
    /// Findings that are advice are reported.
    Advice = 64,
}

const WORDS: [(&str, Switch); 7] = [
    ("documented", Switch::Documented),
    ("vendor-waits", Switch::VendorWaits),
    ("reuse-handles", Switch::ReuseHandles),
    ("copy-at-once", Switch::CopyAtOnce),
    ("slow-destroy", Switch::SlowDestroy),
    ("guard", Switch::Guard),
    ("advice", Switch::Advice),
];

/// The setting of each switch in a configuration.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Switches {
    on: u8,
    /// Those of which it says something.
    said: u8,
}

impl Switches {
    pub(crate) fn set(&mut self, switch: Switch, yes: bool) {
        self.said |= switch as u8;
        self.on = if yes { self.on | switch as u8 } else { self.on & !(switch as u8) };
    }

    /// Whether it says that the switch is on.
    pub(crate) fn sets(self, switch: Switch) -> bool {
        self.on & switch as u8 != 0
    }

    /// What is on when `others` decide where these say nothing.
    fn or(self, others: Self) -> u8 {
        (self.on & self.said) | (others.on & !self.said)
    }
}

/// The words of `ASCENDCL_SIM`. Which word is unknown, otherwise.
pub(crate) fn read(text: &str) -> Result<(Checks, Switches), String> {
    let (mut checks, mut switches) = (Checks::Off, Switches::default());
    for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        match (word, WORDS.iter().find(|(name, _)| *name == word)) {
            ("report", _) => checks = Checks::Report,
            ("strict", _) => checks = Checks::Strict,
            (_, Some((_, switch))) => switches.set(*switch, true),
            _ => return Err(format!("{word:?} is none of report, strict, {}", WORDS.map(|(name, _)| name).join(", "))),
        }
    }
    Ok((checks, switches))
}

/// The settings of the environment. Empty when they cannot be read.
pub(crate) fn from_env() -> Option<(Checks, Switches)> {
    std::env::var("ASCENDCL_SIM").ok().and_then(|value| read(&value).ok())
}

/// The switches that are on, and `KNOWN`.
static ON: AtomicU8 = AtomicU8::new(0);
const KNOWN: u8 = 128;

/// Whether it is on. One relaxed load.
pub(crate) fn is_on(switch: Switch) -> bool {
    let mut on = ON.load(Relaxed);
    if on & KNOWN == 0 {
        on = KNOWN | super::current().switches().or(from_env().unwrap_or_default().1);
        ON.store(on, Relaxed);
    }
    on & switch as u8 != 0
}

/// The configuration has changed.
pub(crate) fn reconsider() {
    ON.store(0, Relaxed);
}

/// A context in which a callback has run is being destroyed.
pub(crate) fn slow_destroy() {
    /// As measured.
    const TIME: Duration = Duration::from_secs(1);
    if is_on(Switch::SlowDestroy) {
        thread::sleep(TIME);
    }
}
