//! The crate that the mutants ask whether they are switched on.

pub(crate) const MANIFEST: &str = "[package]\nname = \"guards_switch\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

/// The number of the mutant that is on. With [`ALL`], none is, and the numbers of those that are asked go to a file.
pub(crate) const NUMBER: &str = "GUARDS_NUMBER";
pub(crate) const ALL: &str = "all";
/// The file for the numbers.
pub(crate) const FILE: &str = "GUARDS_FILE";

/// The source, for so many mutants. The variable is read once. A number is written at once, and once per process: the
/// process may end in any way. Memory is allocated for the first number only: some tests count allocations.
pub(crate) fn source(count: usize) -> String {
    SOURCE.replace("COUNT", &count.max(1).to_string())
}

const SOURCE: &str = r#"use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const UNREAD: u32 = u32::MAX;
const NONE: u32 = u32::MAX - 2;
const WRITES: u32 = u32::MAX - 1;

static ACTIVE: AtomicU32 = AtomicU32::new(UNREAD);
static ASKED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];
static NUMBERS: OnceLock<Option<File>> = OnceLock::new();

#[inline]
pub fn on(number: u32) -> bool {
    let active = ACTIVE.load(Ordering::Relaxed);
    if active >= WRITES { seldom(number, active) } else { active == number }
}

#[cold]
#[inline(never)]
fn seldom(number: u32, mut active: u32) -> bool {
    if active == UNREAD {
        active = match std::env::var("GUARDS_NUMBER").as_deref() {
            Ok("all") => WRITES,
            Ok(text) => text.parse().unwrap_or(NONE),
            Err(_) => NONE,
        };
        ACTIVE.store(active, Ordering::Relaxed);
    }
    if active == WRITES && !ASKED[number as usize].swap(true, Ordering::Relaxed) {
        write(number);
    }
    active == number
}

fn write(number: u32) {
    let open = || {
        let path = std::env::var_os("GUARDS_FILE")?;
        File::options().create(true).append(true).open(path).ok()
    };
    let Some(mut file) = NUMBERS.get_or_init(open).as_ref() else { return };
    let mut line = *b"          \n";
    let (mut rest, mut at) = (number, line.len() - 1);
    while at > 0 && (rest > 0 || at == line.len() - 1) {
        at -= 1;
        line[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let _ = file.write_all(&line[at..]);
}
"#;
