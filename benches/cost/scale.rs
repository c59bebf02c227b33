//! What operations cost beside many other objects, and what it costs to take many objects down.

use crate::common;
use crate::count::{counted_operation, rounds};
use crate::table::ROOM;
use crate::valgrind::{collected, is_there, per_round};
use ascendcl::{Current, Runtime};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

ascendcl::names!(Scaled);

const ROUNDS: u32 = 1000;
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scale.md");

/// A question, and the numbers of objects with which it is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scale {
    /// A copy and the wait for it, beside so many streams.
    Streams,
    /// A buffer is made and freed beside so many buffers.
    Buffers,
    /// A runtime with so many buffers is closed. Counted per buffer, without what an empty one costs.
    Teardown,
}

/// As many streams as a device has beside the one that is used.
const STREAMS: [usize; 5] = [0, 250, 500, 1000, 1981];
const BUFFERS: [usize; 5] = [0, 1000, 10_000, 50_000, 200_000];
const TEARDOWN: [usize; 5] = [1000, 10_000, 50_000, 100_000, 200_000];

/// How much the dearest number may differ from the cheapest, in percent.
const FLAT: u64 = 15;

const HEAD: &str = "\
# What many objects cost

Instructions of one operation beside many other objects, in a runtime, on the library that does nothing. The cost of an
operation does not depend on how many objects there are, and what the end of a context costs grows with their number
alone: the largest number of each table may be at most 15 % above the smallest. At the end of a context, the difference comes
from `malloc`, and shows most where few buffers share it. What the end of an empty context costs is not counted.

`cargo bench -p ascendcl --bench cost -- --scale` writes this page, and fails where that does not hold. So does
`-- --check`, which writes nothing, and also fails where the last number of a table is more than a twentieth off. It needs
valgrind.
";

impl Scale {
    const ALL: [Self; 3] = [Self::Streams, Self::Buffers, Self::Teardown];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scale| scale.name() == name)
    }

    fn name(self) -> String {
        format!("{self:?}")
    }

    /// Title, what is counted, and beside what.
    fn in_words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Streams => ("Copies beside streams", "a copy and its wait", "streams"),
            Self::Buffers => ("Buffers beside buffers", "a buffer made and freed", "buffers"),
            Self::Teardown => ("The end of a context", "closing, per buffer", "buffers"),
        }
    }

    fn numbers(self) -> [usize; 5] {
        match self {
            Self::Streams => STREAMS,
            Self::Buffers => BUFFERS,
            Self::Teardown => TEARDOWN,
        }
    }

    fn count(self, many: usize) -> u64 {
        let words = |many: usize, rounds: u32| ["many".to_owned(), self.name(), many.to_string(), rounds.to_string()];
        match self {
            // Less what the end of an empty context costs.
            Self::Teardown => (collected(&words(many, 1)) - collected(&words(0, 1))) / many as u64,
            Self::Streams | Self::Buffers => per_round(ROUNDS, |rounds| words(many, rounds)),
        }
    }
}

/// Counts everything. Fails where a cost is not flat, and where the page is out of date unless it is written.
pub(crate) fn counts(write: bool) -> ExitCode {
    if !is_there() {
        println!("SKIPPED: no instructions were counted, because valgrind is not installed");
        return ExitCode::SUCCESS;
    }
    let (mut page, mut is_right) = (HEAD.to_owned(), true);
    let printed = std::fs::read_to_string(FILE).unwrap_or_default();
    for scale in Scale::ALL {
        let counted = scale.numbers().map(|many| (many, scale.count(many)));
        let (title, what, beside) = scale.in_words();
        let table = counted.map(|(many, count)| format!("| {many} | {count} |\n")).concat();
        writeln!(page, "\n## {title}\n\n| {beside} | instructions: {what} |\n| --- | --- |\n{table}").unwrap();
        page.push_str(&chart(title, beside, what, &counted));
        print!("{title}\n{table}");
        let [least, most] =
            [u64::min, u64::max].map(|of| counted.map(|(_, count)| count).into_iter().reduce(of).unwrap());
        if most * 100 > least * (100 + FLAT) {
            eprintln!("NOT FLAT: {title}: {least} to {most} instructions");
            is_right = false;
        }
        // The end of a context has calls of `malloc`. What they cost differs between two builds, by tens of thousands of
        // instructions in all: with the largest number of objects, that is less than one for each.
        let [.., (largest, count)] = counted;
        let is_near = |printed: u64| printed.abs_diff(count) <= ROOM.max(count / 20);
        if !write && !printed_count(&printed, title, largest).is_some_and(is_near) {
            eprintln!(
                "OUT OF DATE: {title}: {count} instructions, and docs/scale.md has another number: run `cargo bench -p \
                 ascendcl --bench cost -- --scale`"
            );
            is_right = false;
        }
    }
    if write {
        std::fs::write(FILE, page).unwrap();
    }
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The count of this row of this table on the page.
fn printed_count(page: &str, title: &str, many: usize) -> Option<u64> {
    let (_, table) = page.split_once(&format!("## {title}\n"))?;
    let row = format!("| {many} | ");
    table.lines().find_map(|line| line.strip_prefix(&row)?.strip_suffix(" |")?.parse().ok())
}

/// A chart that viewers of Markdown draw.
fn chart(title: &str, beside: &str, what: &str, counted: &[(usize, u64)]) -> String {
    let list = |of: &dyn Fn(&(usize, u64)) -> String| counted.iter().map(of).collect::<Vec<_>>().join(", ");
    let (numbers, counts) = (list(&|(many, _)| format!("\"{many}\"")), list(&|(_, count)| count.to_string()));
    let top = counted.iter().map(|(_, count)| count * 3 / 2).max().unwrap();
    let axes = format!("    x-axis \"{beside}\" [{numbers}]\n    y-axis \"instructions: {what}\" 0 --> {top}\n");
    format!("```mermaid\nxychart-beta\n    title \"{title}\"\n{axes}    line [{counts}]\n```\n")
}

/// Runs what is counted.
pub(crate) fn run(library: &Path, scale: Scale, many: usize, n: u32) {
    let runtime = Runtime::<Scaled>::open(common::library_at(library)).unwrap();
    match scale {
        Scale::Streams => runtime.with(|current| beside_streams(current, many, n)).unwrap(),
        Scale::Buffers => runtime.with(|current| beside_buffers(current, many, n)).unwrap(),
        Scale::Teardown => {
            runtime.with(|current| (0..many).for_each(|_| drop(current.device_buffer::<u8>(64).unwrap()))).unwrap();
            counted_operation(&mut |()| runtime.close(), ()).unwrap();
        }
    }
    runtime.close().unwrap();
}

fn beside_streams(current: &Current<Scaled>, many: usize, n: u32) {
    let others: Vec<_> = (0..many).map(|_| current.stream().unwrap()).collect();
    let stream = current.stream().unwrap().without_allocator();
    let both = (current.host_buffer::<u8>(64).unwrap(), current.upload(&[0_u8; 64]).unwrap());
    let copy =
        |(host, device)| stream.copy_to_device(current, host, device)?.wait(current).map_err(ascendcl::Error::from);
    rounds(n, both, copy, |both| both.unwrap());
    drop(others);
}

fn beside_buffers(current: &Current<Scaled>, many: usize, n: u32) {
    let others: Vec<_> = (0..many).map(|_| current.device_buffer::<u8>(64).unwrap()).collect();
    let made = |()| current.device_buffer::<u8>(64)?.free(current).map_err(ascendcl::Error::from);
    rounds(n, (), made, |freed| freed.unwrap());
    drop(others);
}
