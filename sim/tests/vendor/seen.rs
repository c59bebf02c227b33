//! What a case sees beside the codes.

use crate::arguments::Place;
use crate::call::Outcome;
use crate::compare::Record;
use crate::run::at;
use crate::threads::Threads;
use crate::world::{ENDED, ENTERED, SIZE, World, pointer};
use ascendcl_sys::types::*;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

pub(crate) fn what(world: &mut World, threads: &mut Threads, text: &'static str, last: &Outcome) -> Record {
    let inner = text.trim_start_matches('(');
    let seen = if inner.starts_with("main: GetCurrentContext") {
        context_of(world, threads, "main", &Place::Main)
    } else if inner.starts_with("[T]: GetCurrentContext") {
        context_of(world, threads, "[T]", &Place::Thread("T".to_owned()))
    } else if inner.starts_with("afterwards the capture is") {
        format!("afterwards the capture is {}", status(world, "s"))
    } else if inner.starts_with("afterwards CaptureGetInfo answers") {
        format!("afterwards CaptureGetInfo answers {}", info(world, "s").0)
    } else if inner.starts_with("replay answers") {
        replay(world)
    } else if ["memory", "the memory", "the value", "6: taken"].iter().any(|start| inner.starts_with(start)) {
        let told = inner.split(")").next().unwrap_or(inner);
        let upto = told.rfind(": ").map_or(told, |at| &told[..at]);
        format!("{upto}: {}", bytes(world, "d")[0])
    } else if inner.starts_with("before the replay: ") || inner.starts_with("after the replay: ") {
        let upto = inner.find(": ").map_or(inner, |at| &inner[..at]);
        let bytes = bytes(world, "d");
        format!("{upto}: {} {}", bytes[0], bytes[crate::memory::COUNT / 2])
    } else if inner.starts_with("a second replay's callback entered within 0.3 s") {
        std::thread::sleep(Duration::from_millis(300));
        format!("a second replay's callback entered within 0.3 s: {}", u8::from(ENTERED.load(SeqCst) > 1))
    } else if inner.starts_with("callbacks: ") {
        format!("callbacks: {}", ENDED.load(SeqCst))
    } else if inner.starts_with("ran ") {
        format!("ran {}", ENDED.load(SeqCst))
    } else if let Some(counted) = crate::notices::counted(inner) {
        counted
    } else if inner.starts_with("callbacks ") {
        format!("callbacks {}", ENDED.load(SeqCst))
    } else if inner.starts_with("callback had ended") {
        let colon = if inner.starts_with("callback had ended:") { ":" } else { "" };
        format!("callback had ended{colon} {}", ENDED.load(SeqCst))
    } else if inner.starts_with("callback entered") || inner.starts_with("entered") {
        let end = Instant::now() + Duration::from_secs(3);
        while ENTERED.load(SeqCst) == 0 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        let upto = inner.rfind(' ').map_or(inner, |at| &inner[..at]);
        format!("{upto} {}", ENTERED.load(SeqCst).min(1))
    } else if inner.starts_with("mode=") || inner.starts_with("mode before") || inner.starts_with("before=") {
        let upto = inner.find('=').map_or(inner, |at| &inner[..=at]);
        format!("{upto}{}", last.seen.rsplit_once('=').map_or("", |(_, mode)| mode))
    } else if inner.starts_with("status=") && last.seen.starts_with("status ") {
        format!("status={}", u8::from(last.seen.contains("ACTIVE")))
    } else if inner.starts_with("model of GetInfo") {
        let same = world.get("model", "of GetInfo") == world.get("model", "m");
        format!("model of GetInfo and of End are {}", if same { "the same" } else { "others" })
    } else if last.seen.is_empty() {
        return Record::NotMade;
    } else {
        last.seen.clone()
    };
    Record::Seen(seen)
}

fn context_of(world: &mut World, threads: &mut Threads, who: &'static str, place: &Place) -> String {
    let ask = move || {
        let (mut context, mut device) = (aclrtContext::NULL, -9);
        let one = call!(device::aclrtGetCurrentContext(&mut context));
        let two = call!(device::aclrtGetDevice(&mut device));
        Outcome::saw(0, format!("{who}: GetCurrentContext answers {one}, GetDevice {two} (device {device})"))
    };
    at(world, threads, place, Box::new(ask)).map_or_else(String::new, |outcome| outcome.seen)
}

pub(crate) fn info(world: &mut World, stream: &str) -> (i32, String, usize) {
    let stream = world.stream(stream);
    let (mut status, mut model) = (aclmdlRICaptureStatus(9), aclmdlRI::NULL);
    let code = call!(model_instance::aclmdlRICaptureGetInfo(aclrtStream(pointer(stream)), &mut status, &mut model));
    let word = match status {
        aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_NONE => "NONE",
        aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE => "ACTIVE",
        aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED => "INVALIDATED",
        _ => "UNKNOWN",
    };
    (code, word.to_owned(), model.0.addr())
}

fn status(world: &mut World, stream: &str) -> String {
    info(world, stream).1
}

fn replay(world: &mut World) -> String {
    let model = aclmdlRI(pointer(world.get("model", "m").unwrap_or(0)));
    let stream = aclrtStream(pointer(world.stream("s")));
    let one = call!(model_instance::aclmdlRIExecuteAsync(model, stream));
    let two = call!(stream::aclrtSynchronizeStreamWithTimeout(stream, 5000));
    format!("replay answers {one}, synchronize {two}")
}

fn bytes(world: &mut World, name: &str) -> [u8; SIZE] {
    let mut bytes = [0_u8; SIZE];
    let from = pointer::<core::ffi::c_void>(world.memory(name));
    let kind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST;
    call!(copy::aclrtMemcpy(bytes.as_mut_ptr().cast(), SIZE, from, SIZE, kind));
    bytes
}
