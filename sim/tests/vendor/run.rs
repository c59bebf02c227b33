//! Runs one case in this process.

use crate::arguments::{Named, Place};
use crate::call::Outcome;
use crate::compare::Record;
use crate::table::{Answer, cases};
use crate::threads::{CALLBACK, Threads};
use crate::world::{EventKind, Ready, World, back_to, current, pointer};
use crate::{building, capture, contexts, events, hooks, memory, notices, pools, seen, streams};
use ascendcl_sys::types::*;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A simulator that hangs must not hang the tests.
const LONGEST: Duration = Duration::from_secs(60);

pub(crate) fn case(name: &str) -> ExitCode {
    let cases = cases();
    let Some(case) = cases.iter().find(|case| case.name == name) else {
        eprintln!("there is no case `{name}`");
        return ExitCode::FAILURE;
    };
    std::thread::spawn(|| {
        std::thread::sleep(LONGEST);
        eprintln!("the case did not end within {LONGEST:?}");
        std::process::abort();
    });
    let mut world = World::default();
    let mut threads = Threads::default();
    begin(name, &mut world);
    let mut last = Outcome::default();
    for line in &case.lines {
        if std::env::var_os("VENDOR_TRACE").is_some() {
            eprintln!("{}", line.text);
        }
        let record = if line.text.starts_with('(') || line.result == Answer::Seen {
            seen::what(&mut world, &mut threads, line.text, &last)
        } else {
            make(&mut world, &mut threads, line.text, &mut last)
        };
        println!("{}", record.write());
    }
    // What the case leaves behind may still wait for something.
    std::process::exit(0);
}

/// What a case starts with, and how it makes events.
fn begin(name: &str, world: &mut World) {
    if name.starts_with("hooks: init") {
        return;
    }
    assert_eq!(call!(process::aclInit(core::ptr::null())), 0);
    world.event_flags = if name.contains("capture") { EventKind::Ex(1) } else { EventKind::Plain };
    world.unnamed = if name == "capture: stream flags" { "new stream" } else { "s" };
    world.mode = match name {
        name if name.contains("THREAD_LOCAL") => "THREAD_LOCAL",
        name if name.contains("RELAXED") => "RELAXED",
        _ => "GLOBAL",
    };
    let without_device = ["default:", "slot:", "force: reset", "device status", "attributes", "hooks", "peers: calls"];
    if !without_device.iter().any(|start| name.starts_with(start)) {
        assert_eq!(call!(device::aclrtSetDevice(0)), 0);
        world.home = current();
    }
}

fn make(world: &mut World, threads: &mut Threads, text: &'static str, last: &mut Outcome) -> Record {
    let named = Named::read(text);
    let makers = [
        streams::ready,
        events::ready,
        memory::ready,
        capture::ready,
        building::ready,
        contexts::ready,
        hooks::ready,
        notices::ready,
        pools::ready,
    ];
    if world.home == 0 {
        world.home = current();
    }
    let Some(ready) = makers.iter().find_map(|make| make(world, &named)) else {
        *last = Outcome::default();
        return Record::NotMade;
    };
    if !matches!(named.place, Place::Callback) {
        threads.end(CALLBACK);
    }
    let Some(outcome) = at(world, threads, &named.place, ready) else {
        return Record::NotMade;
    };
    world.note(&named, &outcome);
    *last = outcome;
    Record::Code(last.code)
}

/// Makes the call where the line says.
pub(crate) fn at(world: &mut World, threads: &mut Threads, place: &Place, ready: Ready) -> Option<Outcome> {
    match place {
        Place::Main => Some(ready()),
        Place::OtherContext => {
            let here = current();
            let other = world.other();
            back_to(other);
            let outcome = ready();
            back_to(here);
            Some(outcome)
        }
        Place::DeviceOne => {
            let here = current();
            let there = world.device_one();
            back_to(there);
            let outcome = ready();
            back_to(here);
            Some(outcome)
        }
        Place::Thread(name) | Place::EndingThread(name) => {
            let new = !threads.has(name);
            let enters = new && (name == "other thread" || name == "thread");
            let home = world.home;
            let outcome = Arc::new(Mutex::new(Outcome::default()));
            let shared = Arc::clone(&outcome);
            threads.run(name, move || {
                if enters {
                    assert_eq!(call!(device::aclrtSetCurrentContext(aclrtContext(pointer(home)))), 0);
                }
                *shared.lock().unwrap() = ready();
            });
            if matches!(place, Place::EndingThread(_)) {
                threads.end(name);
            }
            Some(outcome.lock().unwrap().clone())
        }
        Place::Callback => {
            let outcome = Arc::new(Mutex::new(Outcome::default()));
            let shared = Arc::clone(&outcome);
            threads.run(CALLBACK, move || *shared.lock().unwrap() = ready());
            Some(outcome.lock().unwrap().clone())
        }
    }
}
