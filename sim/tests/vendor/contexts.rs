//! Devices, contexts, and what is asked of them.

use crate::arguments::{Named, number};
use crate::call::Outcome;
use crate::world::{Ready, World, pointer};
use ascendcl_sys::types::*;
use core::ptr::null_mut;

pub(crate) fn ready(world: &mut World, named: &Named) -> Option<Ready> {
    lives(world, named).or_else(|| peers(named)).or_else(|| information(named)).or_else(|| options(named))
}

fn lives(world: &mut World, named: &Named) -> Option<Ready> {
    let device = number(named.at(0)) as i32;
    let context = |number: usize| aclrtContext(pointer(number));
    Some(match named.function {
        "aclInit" => Box::new(|| call!(process::aclInit(core::ptr::null())).into()),
        "aclFinalize" => Box::new(|| call!(process::aclFinalize()).into()),
        "SetDevice" => Box::new(move || call!(device::aclrtSetDevice(device)).into()),
        "ResetDevice" => Box::new(move || call!(device::aclrtResetDevice(device)).into()),
        "ResetDeviceForce" => Box::new(move || call!(device::aclrtResetDeviceForce(device)).into()),
        "CreateContext" => {
            let null = named.at(0) == "NULL";
            let device = if null { number(named.at(1)) as i32 } else { device };
            Box::new(move || {
                let mut made = aclrtContext::NULL;
                let out = if null { null_mut() } else { &mut made };
                let code = call!(device::aclrtCreateContext(out, device));
                Outcome::made(code, made.0.addr())
            })
        }
        "DestroyContext" => {
            let name = if named.at(0).is_empty() { "explicit" } else { named.at(0) };
            let it = if named.says("the capture's") {
                world.get("context", "explicit").unwrap_or(0)
            } else {
                world.context(name)
            };
            Box::new(move || call!(device::aclrtDestroyContext(context(it))).into())
        }
        "SetCurrentContext" => {
            let it = world.context(if named.at(0).is_empty() { "default context" } else { named.at(0) });
            Box::new(move || {
                let code = call!(device::aclrtSetCurrentContext(context(it)));
                Outcome::saw(code, format!("same handle: {}", u8::from(crate::world::current() == it)))
            })
        }
        "GetCurrentContext" => {
            let explicit = world.get("context", "explicit");
            Box::new(move || {
                let mut found = aclrtContext::NULL;
                let code = call!(device::aclrtGetCurrentContext(&mut found));
                let same = u8::from(explicit == Some(found.0.addr()));
                Outcome::saw(code, format!("still the explicit context: {same}"))
            })
        }
        _ => return None,
    })
}

fn peers(named: &Named) -> Option<Ready> {
    let one = number(named.at(0)) as i32;
    let two = number(named.at(1)) as i32;
    Some(match named.function {
        "DeviceEnablePeerAccess" => {
            Box::new(move || call!(device::aclrtDeviceEnablePeerAccess(one, two as u32)).into())
        }
        "DeviceDisablePeerAccess" => Box::new(move || call!(device::aclrtDeviceDisablePeerAccess(one)).into()),
        "DevicePeerAccessStatus" => Box::new(move || {
            let mut status = 9;
            let code = call!(device::aclrtDevicePeerAccessStatus(one, two, &mut status));
            Outcome::saw(code, format!("status={status}"))
        }),
        "DeviceCanAccessPeer" => {
            let null = named.at(0) == "NULL";
            let three = number(named.at(2)) as i32;
            Box::new(move || {
                let mut can = 9;
                let out = if null { null_mut() } else { &mut can };
                call!(device::aclrtDeviceCanAccessPeer(out, two, three)).into()
            })
        }
        _ => return None,
    })
}

fn information(named: &Named) -> Option<Ready> {
    let one = number(named.at(0)) as i32;
    let two = number(named.at(1)) as i32;
    let null = named.at(named.arguments.len().saturating_sub(1)) == "NULL";
    Some(match named.function {
        "GetPrimaryCtxState" => {
            let flags_null = named.at(1) == "NULL";
            Box::new(move || {
                let (mut flags, mut active) = (0, 0);
                let out = if flags_null { null_mut() } else { &mut flags };
                let code = call!(device::aclrtGetPrimaryCtxState(one, out, &mut active));
                Outcome::saw(code, format!("active={active}"))
            })
        }
        "QueryDeviceStatus" => Box::new(move || {
            let mut status = aclrtDeviceStatus(9);
            let code = call!(device::aclrtQueryDeviceStatus(one, &mut status));
            Outcome::saw(code, format!("status={}", status.0))
        }),
        "GetDeviceInfo" => Box::new(move || {
            let mut value = 0;
            let out = if null { null_mut() } else { &mut value };
            call!(device::aclrtGetDeviceInfo(one as u32, aclrtDevAttr(two as _), out)).into()
        }),
        // Two functions have this name; the runtime's rows say so.
        "GetDeviceCapability" if named.at(0) == "rt" => {
            let inner = named.tail.trim_start_matches('(').trim_end_matches(')');
            let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
            let (device, kind, null) = (number(parts[0]) as i32, number(parts[1]), parts.len() > 2);
            Box::new(move || {
                let mut value = 0;
                let out = if null { null_mut() } else { &mut value };
                call!(device::aclrtGetDeviceCapability(device, aclrtDevFeatureType(kind as _), out)).into()
            })
        }
        "GetDeviceCapability" => Box::new(move || {
            let mut value = 0;
            call!(base::aclGetDeviceCapability(one as u32, aclDeviceInfo(two as _), &mut value)).into()
        }),
        "GetCannAttribute" => {
            let kind = if null { 1 } else { one };
            Box::new(move || {
                let mut value = 0;
                let out = if null { null_mut() } else { &mut value };
                call!(base::aclGetCannAttribute(aclCannAttr(kind as _), out)).into()
            })
        }
        "GetCannAttributeList" => Box::new(|| {
            let mut number = 0;
            call!(base::aclGetCannAttributeList(null_mut(), &mut number)).into()
        }),
        "GetLogicDevIdByUserDevId" => Box::new(move || {
            let mut id = 0;
            call!(device::aclrtGetLogicDevIdByUserDevId(one, &mut id)).into()
        }),
        "GetPhyDevIdByLogicDevId" => Box::new(move || {
            let mut id = 0;
            call!(device::aclrtGetPhyDevIdByLogicDevId(one, &mut id)).into()
        }),
        "GetDeviceUtilizationRate" => Box::new(|| call!(device::aclrtGetDeviceUtilizationRate(0, null_mut())).into()),
        _ => return None,
    })
}

fn options(named: &Named) -> Option<Ready> {
    let one = number(named.at(0));
    let two = number(named.at(1));
    let null = named.at(named.arguments.len().saturating_sub(1)) == "NULL";
    let option = aclSysParamOpt(one as _);
    Some(match named.function {
        "GetDeviceSatMode" => Box::new(|| {
            let mut mode = aclrtFloatOverflowMode(9);
            call!(device::aclrtGetDeviceSatMode(&mut mode)).into()
        }),
        "SetDeviceSatMode" => {
            Box::new(move || call!(device::aclrtSetDeviceSatMode(aclrtFloatOverflowMode(one as _))).into())
        }
        "SetOpWaitTimeout" => Box::new(move || call!(process::aclrtSetOpWaitTimeout(one as u32)).into()),
        "SetOpExecuteTimeOut" => Box::new(move || call!(process::aclrtSetOpExecuteTimeOut(one as u32)).into()),
        "GetOpExecuteTimeout" => Box::new(|| call!(process::aclrtGetOpExecuteTimeout(null_mut())).into()),
        "SetTsDevice" => Box::new(move || call!(device::aclrtSetTsDevice(aclrtTsId(one as _))).into()),
        "CtxSetSysParamOpt" => Box::new(move || call!(device::aclrtCtxSetSysParamOpt(option, two)).into()),
        "SetSysParamOpt" => Box::new(move || call!(device::aclrtSetSysParamOpt(option, two)).into()),
        "CtxGetSysParamOpt" => Box::new(move || {
            let mut value = 0;
            let out = if null { null_mut() } else { &mut value };
            call!(device::aclrtCtxGetSysParamOpt(option, out)).into()
        }),
        "GetSysParamOpt" => Box::new(move || {
            let mut value = 0;
            let out = if null { null_mut() } else { &mut value };
            call!(device::aclrtGetSysParamOpt(option, out)).into()
        }),
        "DeviceTaskAbort" => Box::new(move || call!(device::aclrtDeviceTaskAbort(one as i32, two as u32)).into()),
        _ => return None,
    })
}
