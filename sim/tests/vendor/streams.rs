//! Streams, their settings, waits for them, and callbacks.

use crate::arguments::{Named, number};
use crate::call::Outcome;
use crate::threads::make_calls;
use crate::world::{Ready, World, count, place, pointer, wait};
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;

fn stream(number: usize) -> aclrtStream {
    aclrtStream(pointer(number))
}

pub(crate) fn ready(world: &mut World, named: &Named) -> Option<Ready> {
    creation(world, named)
        .or_else(|| waits(world, named))
        .or_else(|| settings(world, named))
        .or_else(|| work(world, named))
}

#[expect(clippy::too_many_lines, reason = "a table: one arm per function")]
fn creation(world: &mut World, named: &Named) -> Option<Ready> {
    let on = |world: &mut World, at: usize| world.stream(named.at(at));
    Some(match named.function {
        "CreateStream" => {
            let null = named.at(0) == "NULL";
            Box::new(move || {
                let mut made = aclrtStream::NULL;
                let out = if null { null_mut() } else { &mut made };
                made_stream(call!(stream::aclrtCreateStream(out)), made)
            })
        }
        "CreateStreamWithConfig" => {
            let null = named.at(0) == "NULL";
            let (priority, flags) = match named.arguments.len() {
                3 => (number(named.at(1)) as u32, number(named.at(2)) as u32),
                _ if named.at(0) == "PERSISTENT" => (0, 4),
                _ => (0, number(named.at(0).trim_start_matches("flags ").trim_start_matches("flag ")) as u32),
            };
            Box::new(move || {
                let mut made = aclrtStream::NULL;
                let out = if null { null_mut() } else { &mut made };
                let code = call!(stream::aclrtCreateStreamWithConfig(out, priority, flags));
                let mut flags = 0;
                if code == 0 {
                    call!(stream::aclrtStreamGetFlags(made, &mut flags));
                }
                let shown = if flags == 0 { "0".to_owned() } else { format!("{flags:#x}") };
                Outcome::saw(code, format!("flags answered: {shown}")).with(made.0.addr())
            })
        }
        "DestroyStream" => {
            let it = if named.arguments.is_empty() { world.last_stream } else { on(world, 0) };
            Box::new(move || call!(stream::aclrtDestroyStream(stream(it))).into())
        }
        "DestroyStreamForce" => {
            let it = on(world, 0);
            Box::new(move || call!(stream::aclrtDestroyStreamForce(stream(it))).into())
        }
        "StreamAbort" => {
            let it = on(world, 0);
            Box::new(move || call!(stream::aclrtStreamAbort(stream(it))).into())
        }
        "StreamStop" => {
            let it = on(world, 0);
            Box::new(move || call!(stream::aclrtStreamStop(stream(it))).into())
        }
        "PersistentTaskClean" => {
            let it = on(world, 0);
            Box::new(move || call!(process::aclrtPersistentTaskClean(stream(it))).into())
        }
        "CtxGetCurrentDefaultStream" => {
            let null = named.at(0) == "NULL";
            let before = world.get("stream", "default stream");
            Box::new(move || {
                let mut found = aclrtStream::NULL;
                let out = if null { null_mut() } else { &mut found };
                let code = call!(stream::aclrtCtxGetCurrentDefaultStream(out));
                let same = u8::from(before == Some(found.0.addr()));
                Outcome::saw(code, format!("same handle {same}, null {}", u8::from(found.is_null())))
                    .with(found.0.addr())
            })
        }
        _ => return None,
    })
}

fn made_stream(code: i32, made: aclrtStream) -> Outcome {
    Outcome::made(code, made.0.addr())
}

fn waits(world: &mut World, named: &Named) -> Option<Ready> {
    let it = |world: &mut World| world.stream(named.at(0));
    Some(match named.function {
        "SynchronizeStream" => {
            let it = it(world);
            Box::new(move || call!(stream::aclrtSynchronizeStream(stream(it))).into())
        }
        "SynchronizeStreamWithTimeout" => {
            let it = it(world);
            let limit = if named.arguments.len() > 1 { number(named.at(1)) as i32 } else { 2000 };
            Box::new(move || call!(stream::aclrtSynchronizeStreamWithTimeout(stream(it), limit)).into())
        }
        "StreamQuery" => {
            let it = it(world);
            let null = named.at(1) == "NULL";
            Box::new(move || {
                let mut status = aclrtStreamStatus(9);
                let out = if null { null_mut() } else { &mut status };
                let code = call!(stream::aclrtStreamQuery(stream(it), out));
                Outcome::saw(code, format!("status={}", status.0))
            })
        }
        "SynchronizeDevice" => Box::new(|| call!(device::aclrtSynchronizeDevice()).into()),
        "SynchronizeDeviceWithTimeout" => {
            let limit = number(named.at(0)) as i32;
            Box::new(move || call!(device::aclrtSynchronizeDeviceWithTimeout(limit)).into())
        }
        _ => return None,
    })
}

#[expect(clippy::too_many_lines, reason = "a table: one arm per function")]
fn settings(world: &mut World, named: &Named) -> Option<Ready> {
    let on = |world: &mut World| stream_or_null(world, named.at(0));
    let null = named.at(named.arguments.len().saturating_sub(1)) == "NULL" && named.arguments.len() > 1;
    Some(match named.function {
        "SetStreamFailureMode" => {
            let it = on(world);
            let mode = if named.arguments.len() > 1 { number(named.at(1)) as u64 } else { 1 };
            Box::new(move || call!(stream::aclrtSetStreamFailureMode(stream(it), mode)).into())
        }
        "SetStreamOverflowSwitch" => {
            let (it, value) = (on(world), number(named.at(1)) as u32);
            Box::new(move || call!(stream::aclrtSetStreamOverflowSwitch(stream(it), value)).into())
        }
        "GetStreamOverflowSwitch" => {
            let it = on(world);
            Box::new(move || {
                let mut value = 0;
                let out = if null { null_mut() } else { &mut value };
                Outcome::saw(call!(stream::aclrtGetStreamOverflowSwitch(stream(it), out)), format!("value {value}"))
            })
        }
        "SetStreamAttribute" => {
            let (it, kind, value) = (on(world), attribute(named.at(1)), number(named.at(2)) as u32);
            Box::new(move || {
                let mut value = aclrtStreamAttrValue { reserve: [value, 0, 0, 0] };
                let out = if null { null_mut() } else { &mut value };
                call!(stream::aclrtSetStreamAttribute(stream(it), kind, out)).into()
            })
        }
        "GetStreamAttribute" => {
            let (it, kind) = (on(world), attribute(named.at(1)));
            Box::new(move || {
                let mut value = aclrtStreamAttrValue { reserve: [9, 0, 0, 0] };
                let code = call!(stream::aclrtGetStreamAttribute(stream(it), kind, &mut value));
                // SAFETY: every bit pattern is a number.
                let word = unsafe { value.reserve[0] };
                Outcome::saw(code, format!("value {word}"))
            })
        }
        "StreamGetPriority" => {
            let it = on(world);
            Box::new(move || {
                let mut value = 99;
                let out = if null { null_mut() } else { &mut value };
                let code = call!(stream::aclrtStreamGetPriority(stream(it), out));
                Outcome::saw(code, format!("priority answered: {value}"))
            })
        }
        "StreamGetFlags" => {
            let it = on(world);
            Box::new(move || {
                let mut value = 99;
                let out = if null { null_mut() } else { &mut value };
                call!(stream::aclrtStreamGetFlags(stream(it), out)).into()
            })
        }
        "StreamGetId" => {
            let it = on(world);
            Box::new(move || {
                let mut value = 99;
                let out = if null { null_mut() } else { &mut value };
                call!(stream::aclrtStreamGetId(stream(it), out)).into()
            })
        }
        "GetStreamAvailableNum" => {
            let null = named.at(0) == "NULL";
            Box::new(move || {
                let mut value = 0;
                let out = if null { null_mut() } else { &mut value };
                call!(stream::aclrtGetStreamAvailableNum(out)).into()
            })
        }
        "DeviceGetStreamPriorityRange" => {
            let null = named.at(0) == "NULL";
            Box::new(move || {
                let (mut least, mut greatest) = (-1, -1);
                let code = match null {
                    true => call!(stream::aclrtDeviceGetStreamPriorityRange(null_mut(), null_mut())),
                    false => call!(stream::aclrtDeviceGetStreamPriorityRange(&mut least, &mut greatest)),
                };
                Outcome::saw(code, format!("least={least} greatest={greatest}"))
            })
        }
        "GetOverflowStatus" if named.arguments.len() == 3 => {
            let (address, size) = (world.memory(named.at(0)), number(named.at(1)) as usize);
            let it = world.stream(named.at(2));
            Box::new(move || call!(stream::aclrtGetOverflowStatus(pointer(address), size, stream(it))).into())
        }
        "GetOverflowStatus" => {
            let (address, it) = (world.memory("d"), on(world));
            Box::new(move || call!(stream::aclrtGetOverflowStatus(pointer(address), 64, stream(it))).into())
        }
        "ResetOverflowStatus" => {
            let it = on(world);
            Box::new(move || call!(stream::aclrtResetOverflowStatus(stream(it))).into())
        }
        _ => return None,
    })
}

fn stream_or_null(world: &mut World, name: &str) -> usize {
    world.stream(if name.is_empty() { "s" } else { name })
}

fn attribute(text: &str) -> aclrtStreamAttr {
    match text {
        "PRIORITY" => aclrtStreamAttr::ACL_STREAM_ATTR_PRIORITY,
        "FAILURE_MODE" => aclrtStreamAttr::ACL_STREAM_ATTR_FAILURE_MODE,
        text => aclrtStreamAttr(number(text) as _),
    }
}

/// The id of the thread that reports in the case's first thread.
fn own_thread() -> u64 {
    // SAFETY: part of POSIX.
    unsafe extern "C" {
        safe fn pthread_self() -> usize;
    }
    pthread_self() as u64
}

#[expect(clippy::too_many_lines, reason = "a table: one arm per function")]
fn work(world: &mut World, named: &Named) -> Option<Ready> {
    let long = named.says("that waits") || named.says("long");
    let function = |null: bool| -> Option<unsafe extern "C" fn(*mut c_void)> {
        let makes_calls = named.says("that makes calls");
        (!null).then_some(if makes_calls {
            make_calls
        } else if long {
            wait
        } else {
            count
        })
    };
    Some(match named.function {
        "LaunchHostFunc" => {
            let it = stream_or_null(world, named.at(0));
            let function = function(named.at(1).starts_with("NULL"));
            Box::new(move || call!(callback::aclrtLaunchHostFunc(stream(it), function, null_mut())).into())
        }
        "LaunchCallback" => {
            let parts = named.arguments.len();
            let block = if named.says("block 7") { 7 } else { i32::from(named.says("block type 2")) * 2 };
            let block = if named.says("blocking") { 1 } else { block };
            let name = match parts {
                0 if named.says("default stream") => "NULL",
                1 if named.at(0).starts_with("block type") => "s",
                0 | 1 => named.at(0),
                _ => named.at(parts - 1),
            };
            let it = stream_or_null(world, name);
            let function = function(named.at(0).starts_with("NULL function"));
            let block = aclrtCallbackBlockType(block as _);
            Box::new(move || call!(callback::aclrtLaunchCallback(function, null_mut(), block, stream(it))).into())
        }
        "SubscribeReport" | "UnSubscribeReport" => {
            let name = if named.arguments.len() > 1 { named.at(1) } else { named.at(0) };
            let it = stream_or_null(world, name);
            let thread = match named.at(0) {
                "0" => 0,
                "another" => 12345,
                _ => own_thread(),
            };
            let subscribe = named.function == "SubscribeReport";
            Box::new(move || match subscribe {
                true => call!(callback::aclrtSubscribeReport(thread, stream(it))).into(),
                false => call!(callback::aclrtUnSubscribeReport(thread, stream(it))).into(),
            })
        }
        "ProcessReport" if named.says("is not called") => Box::new(Outcome::default),
        "ProcessReport" => {
            let limit = number(named.at(0)) as i32;
            Box::new(move || call!(callback::aclrtProcessReport(limit)).into())
        }
        "ValueWrite" | "ValueWait" => {
            let write = named.function == "ValueWrite";
            let full = named.arguments.len() >= 4;
            let short =
                if named.at(0).contains("host memory") || named.at(0).starts_with('d') { named.at(0) } else { "d" };
            let address = world.memory(if full || named.at(0).starts_with("NULL") { named.at(0) } else { short });
            let name = match named.arguments.len() {
                4.. => named.at(3),
                2 => named.at(1),
                1 if named.at(0).contains("memory") => "s",
                _ => named.at(0),
            };
            let it = stream_or_null(world, name);
            let value = if full { number(named.at(1)) as u64 } else { 1 };
            let flag = match named.at(2) {
                "GEQ" => 0,
                "EQ" => 1,
                "AND" => 2,
                text => number(text) as u32,
            };
            Box::new(move || match write {
                true => call!(copy::aclrtValueWrite(pointer(address), value, flag, stream(it))).into(),
                false => call!(copy::aclrtValueWait(pointer(address), value, flag, stream(it))).into(),
            })
        }
        // Lets the callbacks of the case end.
        "GoOn" => Box::new(|| {
            crate::world::GO_ON.store(true, std::sync::atomic::Ordering::SeqCst);
            Outcome::default()
        }),
        "Entered" => Box::new(|| {
            while crate::world::ENTERED.load(std::sync::atomic::Ordering::SeqCst) == 0 {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            Outcome::default()
        }),
        "SetMode" => {
            let mode = place(aclmdlRICaptureMode(number(named.at(0)) as _));
            Box::new(move || call!(model_instance::aclmdlRICaptureThreadExchangeMode(mode)).into())
        }
        _ => return None,
    })
}
