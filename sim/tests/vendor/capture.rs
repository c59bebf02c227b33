//! Captures and the models that they become.

use crate::arguments::{Named, number};
use crate::call::Outcome;
use crate::world::{Ready, World, count, pointer};
use ascendcl_sys::types::*;
use core::ptr::null_mut;
use std::ffi::CString;

fn stream(number: usize) -> aclrtStream {
    aclrtStream(pointer(number))
}

fn model(number: usize) -> aclmdlRI {
    aclmdlRI(pointer(number))
}

fn mode(text: &str) -> aclmdlRICaptureMode {
    match text {
        "" | "GLOBAL" => aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL,
        "THREAD_LOCAL" => aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL,
        "RELAXED" => aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED,
        text => aclmdlRICaptureMode(number(text.trim_start_matches("mode ")) as _),
    }
}

pub(crate) fn ready(world: &mut World, named: &Named) -> Option<Ready> {
    capturing(world, named)
        .or_else(|| models(world, named))
        .or_else(|| groups(world, named))
        .or_else(|| conditions(world, named))
}

fn the_model(world: &mut World, name: &str) -> usize {
    match name {
        _ if name.starts_with("NULL") => 0,
        _ if name.starts_with("zeroed memory") => world.zeroed(),
        "model from GetInfo" => crate::seen::info(world, "s").2,
        "m2" => world.get("model", "m2").unwrap_or(0),
        _ => world.get("model", "m").unwrap_or(0),
    }
}

fn capturing(world: &mut World, named: &Named) -> Option<Ready> {
    let it = |world: &mut World| world.stream(if named.at(0).is_empty() { world.unnamed } else { named.at(0) });
    Some(match named.function {
        "CaptureBegin" => {
            let given = if named.at(1).is_empty() { world.mode } else { named.at(1) };
            let (it, mode) = (it(world), mode(given));
            Box::new(move || call!(model_instance::aclmdlRICaptureBegin(stream(it), mode)).into())
        }
        "CaptureEnd" => {
            let it = it(world);
            let nowhere = named.at(1) == "NULL";
            Box::new(move || {
                let mut made = aclmdlRI::NULL;
                let out = if nowhere { null_mut() } else { &mut made };
                let code = call!(model_instance::aclmdlRICaptureEnd(stream(it), out));
                let set = if made.is_null() { "model null" } else { "model set" };
                Outcome::saw(code, set).with(made.0.addr())
            })
        }
        "CaptureGetInfo" => {
            let name = named.at(0);
            let name = match (name, named.tail) {
                ("", tail) if tail.starts_with("s2") => "s2",
                ("", "(default stream)") | ("default stream", _) => "default stream",
                ("", _) => "s",
                (name, _) if name.starts_with('s') || name.starts_with("NULL") => name,
                _ => "s",
            };
            let it = world.stream(name);
            let (no_status, no_model) = (named.at(1) == "NULL", named.at(2) == "NULL");
            Box::new(move || {
                let (mut status, mut made) = (aclmdlRICaptureStatus(9), aclmdlRI::NULL);
                let status_out = if no_status { null_mut() } else { &mut status };
                let model_out = if no_model { null_mut() } else { &mut made };
                let code = call!(model_instance::aclmdlRICaptureGetInfo(stream(it), status_out, model_out));
                let word = ["NONE", "ACTIVE", "INVALIDATED"].get(status.0 as usize).copied().unwrap_or("?");
                let set = if made.is_null() { "null" } else { "set" };
                Outcome::saw(code, format!("status {word}, model {set}")).with(made.0.addr())
            })
        }
        "ThreadExchangeMode" => {
            let back = named.tail.starts_with("back");
            let to = if back { mode("GLOBAL") } else { mode(named.at(0)) };
            let no_mode = named.arguments.is_empty() && !back;
            Box::new(move || {
                let mut mode = to;
                let code = call!(model_instance::aclmdlRICaptureThreadExchangeMode(&mut mode));
                Outcome::saw(code, format!("{}={}", if no_mode { "mode" } else { "before" }, mode.0))
            })
        }
        _ => return None,
    })
}

#[expect(clippy::too_many_lines, reason = "a table: one arm per function")]
fn models(world: &mut World, named: &Named) -> Option<Ready> {
    let it = |world: &mut World| the_model(world, named.at(0));
    Some(match named.function {
        "ExecuteAsync" => {
            let m = it(world);
            let s = world.stream(if named.at(1).is_empty() { "s" } else { named.at(1) });
            Box::new(move || call!(model_instance::aclmdlRIExecuteAsync(model(m), stream(s))).into())
        }
        "Execute" | "RIExecute" => {
            let m = it(world);
            let limit = if named.arguments.len() > 1 { number(named.at(1)) as i32 } else { -1 };
            Box::new(move || call!(model_instance::aclmdlRIExecute(model(m), limit)).into())
        }
        "Destroy" => {
            let m = it(world);
            Box::new(move || call!(model_instance::aclmdlRIDestroy(model(m))).into())
        }
        "RIAbort" => {
            let m = it(world);
            Box::new(move || call!(model_instance::aclmdlRIAbort(model(m))).into())
        }
        "DebugPrint" => {
            let m = it(world);
            Box::new(move || call!(model_instance::aclmdlRIDebugPrint(model(m))).into())
        }
        "DebugJsonPrint" => {
            let m = if named.tail.starts_with("while capturing") {
                the_model(world, "model from GetInfo")
            } else {
                it(world)
            };
            let folder = std::env::temp_dir();
            let path = match named.tail {
                tail if tail.starts_with("empty path") => String::new(),
                tail if tail.starts_with("missing folder") => "/nonexistent/folder/file.json".to_owned(),
                _ => folder.join(format!("vendor-{}.json", std::process::id())).to_string_lossy().into_owned(),
            };
            let no_path = named.tail.contains("path NULL");
            Box::new(move || {
                let text = CString::new(path.clone()).unwrap();
                let text_pointer = if no_path { core::ptr::null() } else { text.as_ptr() };
                let code = call!(model_instance::aclmdlRIDebugJsonPrint(model(m), text_pointer, 0));
                let there = std::fs::remove_file(&path).is_ok();
                Outcome::saw(code, if there { "file there" } else { "no file" })
            })
        }
        "GetId" => {
            let m = it(world);
            Box::new(move || {
                let mut id = 99;
                let code = call!(model_instance::aclmdlRIGetId(model(m), &mut id));
                Outcome::saw(code, format!("id={id}"))
            })
        }
        "SetName" => {
            let null = named.tail.contains("NULL");
            let m = it(world);
            Box::new(move || {
                let name = if null { core::ptr::null() } else { c"net".as_ptr() };
                call!(model_instance::aclmdlRISetName(model(m), name)).into()
            })
        }
        "GetName" => {
            let m = it(world);
            Box::new(move || {
                let mut name = [0_u8; 32];
                let code = call!(model_instance::aclmdlRIGetName(model(m), 32, name.as_mut_ptr().cast()));
                let end = name.iter().position(|byte| *byte == 0).unwrap_or(0);
                Outcome::saw(code, format!("name={}", String::from_utf8_lossy(&name[..end])))
            })
        }
        "DestroyRegisterCallback" | "DestroyUnregisterCallback" => {
            let m = it(world);
            let function = (named.at(1) != "NULL").then_some(count as unsafe extern "C" fn(_));
            let register = named.function == "DestroyRegisterCallback";
            Box::new(move || match register {
                true => call!(model_instance::aclmdlRIDestroyRegisterCallback(model(m), function, null_mut())).into(),
                false => call!(model_instance::aclmdlRIDestroyUnregisterCallback(model(m), function)).into(),
            })
        }
        _ => return None,
    })
}

fn groups(world: &mut World, named: &Named) -> Option<Ready> {
    let it = |world: &mut World| world.stream(if named.at(0).is_empty() { world.unnamed } else { named.at(0) });
    let group = |number: usize| aclrtTaskGrp(pointer(number));
    Some(match named.function {
        "CaptureTaskGrpBegin" => {
            let s = it(world);
            Box::new(move || call!(model_instance::aclmdlRICaptureTaskGrpBegin(stream(s))).into())
        }
        "CaptureTaskGrpEnd" => {
            let s = it(world);
            let nowhere = named.at(1) == "NULL";
            Box::new(move || {
                let mut made = aclrtTaskGrp::NULL;
                let out = if nowhere { null_mut() } else { &mut made };
                let code = call!(model_instance::aclmdlRICaptureTaskGrpEnd(stream(s), out));
                let set = if made.is_null() { "handle null" } else { "handle set" };
                Outcome::saw(code, set).with(made.0.addr())
            })
        }
        "CaptureTaskUpdateBegin" => {
            let s = it(world);
            let g = match named.at(1) {
                name if name.starts_with("zeroed") => world.zeroed(),
                "NULL" => 0,
                _ => world.get("group", "g").unwrap_or(0),
            };
            Box::new(move || call!(model_instance::aclmdlRICaptureTaskUpdateBegin(stream(s), group(g))).into())
        }
        "CaptureTaskUpdateEnd" => {
            let s = it(world);
            Box::new(move || call!(model_instance::aclmdlRICaptureTaskUpdateEnd(stream(s))).into())
        }
        _ => return None,
    })
}

fn conditions(world: &mut World, named: &Named) -> Option<Ready> {
    Some(match named.function {
        "CondHandleCreate" => {
            let m = the_model(world, named.at(0));
            let flag = number(named.at(2).trim_start_matches("flag ")) as u32;
            let nowhere = named.at(3) == "NULL";
            Box::new(move || {
                let mut made = aclmdlRICondHandle::NULL;
                let out = if nowhere { null_mut() } else { &mut made };
                let flag = aclmdlRICondHandleFlag(flag);
                let code = call!(model_instance::aclmdlRICondHandleCreate(model(m), 1, flag, out));
                Outcome::made(code, made.0.addr())
            })
        }
        // No line makes a condition, so that `h` is null as well.
        "CondHandleGetCondPtr" => Box::new(|| {
            let mut found = null_mut();
            call!(model_instance::aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle::NULL, &mut found)).into()
        }),
        "AddCondTask" => {
            let s = world.stream("s");
            Box::new(move || {
                let params = aclmdlRICondTaskParams {
                    handle: aclmdlRICondHandle::NULL,
                    kind: aclmdlRICondTaskType::ACL_MODEL_RI_COND_TYPE_IF,
                    size: 0,
                    modelRIArray: null_mut(),
                };
                call!(model_instance::aclmdlRIAddCondTask(params, stream(s), 0)).into()
            })
        }
        "CaptureToModelRIBegin" => {
            let (s, m) = (world.stream(named.at(0)), the_model(world, named.at(1)));
            let mode = mode(world.mode);
            Box::new(move || call!(model_instance::aclmdlRICaptureToModelRIBegin(stream(s), model(m), mode)).into())
        }
        _ => return None,
    })
}
