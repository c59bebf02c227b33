//! Memory and copies.

use crate::arguments::{Named, number};
use crate::call::Outcome;
use crate::world::{Ready, World, pointer};
use ascendcl_sys::types::*;
use core::ptr::null_mut;

pub(crate) const COUNT: usize = 64;

fn stream(number: usize) -> aclrtStream {
    aclrtStream(pointer(number))
}

pub(crate) fn ready(world: &mut World, named: &Named) -> Option<Ready> {
    allocation(world, named)
        .or_else(|| filling(world, named))
        .or_else(|| copies(world, named))
        .or_else(|| registration(world, named))
        .or_else(|| virtual_memory(world, named))
}

fn allocation(world: &mut World, named: &Named) -> Option<Ready> {
    let size = if named.arguments.len() > 1 { number(named.at(1)) as usize } else { COUNT };
    let null = named.at(0) == "NULL";
    Some(match named.function {
        // Memory of both kinds, for what follows.
        "MemNew" => {
            world.memory("d");
            world.memory("h");
            Box::new(Outcome::default)
        }
        "Malloc" => Box::new(move || {
            let mut made = null_mut();
            let out = if null { null_mut() } else { &mut made };
            call!(memory::aclrtMalloc(out, size, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST)).into()
        }),
        "MallocHost" => Box::new(move || {
            let mut made = null_mut();
            let out = if null { null_mut() } else { &mut made };
            call!(memory::aclrtMallocHost(out, size)).into()
        }),
        "Free" | "FreeHost" | "FreeWithDevSync" => {
            let name = match (named.at(0), named.function) {
                ("", "Free") => "d9",
                ("", _) => "h",
                (name, "Free") if name.starts_with("memory of before") => "d",
                (name, _) if name.starts_with("memory of before") => "h",
                (name, _) => name,
            };
            let address = world.memory(name);
            match named.function {
                "Free" => Box::new(move || call!(memory::aclrtFree(pointer(address))).into()),
                "FreeHost" => Box::new(move || call!(memory::aclrtFreeHost(pointer(address))).into()),
                _ => Box::new(move || call!(memory::aclrtFreeWithDevSync(pointer(address))).into()),
            }
        }
        "GetMemInfo" => {
            let kind = if named.at(0) == "99" { aclrtMemAttr(99) } else { aclrtMemAttr::ACL_HBM_MEM };
            let null = named.at(1) == "NULL";
            Box::new(move || {
                let (mut free, mut total) = (0, 0);
                match null {
                    true => call!(memory::aclrtGetMemInfo(kind, null_mut(), null_mut())).into(),
                    false => call!(memory::aclrtGetMemInfo(kind, &mut free, &mut total)).into(),
                }
            })
        }
        "PointerGetAttributes" => {
            let address = world.memory(named.at(0));
            let null = named.at(1) == "NULL";
            Box::new(move || {
                // SAFETY: zeros are a value of every member.
                let mut found: aclrtPtrAttributes = unsafe { core::mem::zeroed() };
                let out = if null { null_mut() } else { &mut found };
                let code = call!(memory::aclrtPointerGetAttributes(pointer(address), out));
                Outcome::saw(code, format!("location {}", found.location.kind.0))
            })
        }
        _ => return None,
    })
}

fn filling(world: &mut World, named: &Named) -> Option<Ready> {
    let asynchronous = match named.function {
        "Memset" => false,
        "MemsetAsync" => true,
        _ => return None,
    };
    let parts = named.arguments.len();
    let target = match parts {
        _ if named.says("NULL dst") || named.tail == "NULL" => "NULL",
        _ if named.says("of device 1") => "memory of device 1",
        1 if named.at(0) == "mapped" => "mapped",
        _ => "d",
    };
    let name = match parts {
        0 => world.unnamed,
        1 if named.at(0).contains("count") || named.at(0) == "mapped" => "s",
        1 => named.at(0),
        _ if named.says("stream of device 0") => "s",
        _ => named.at(parts - 1),
    };
    let value =
        named.tail.strip_prefix("value ").map_or(1, |text| number(text.split(' ').next().unwrap_or("1")) as i32);
    let value =
        named.tail.strip_prefix("to ").map_or(value, |text| number(text.split(' ').next().unwrap_or("1")) as i32);
    let room = if named.says("maxCount < count") || named.says("wrong size") { 1 } else { COUNT };
    let (room, count) =
        if named.says("count 0") { (if named.says("maxCount 0") { 0 } else { room }, 0) } else { (room, COUNT) };
    let mut address = world.memory(target);
    let (mut room, mut count) = (room, count);
    if named.says("second half") {
        (address, room, count) = (address + COUNT / 2, COUNT / 2, COUNT / 2);
    }
    if !asynchronous {
        return Some(Box::new(move || call!(copy::aclrtMemset(pointer(address), room, value, count)).into()));
    }
    let it = world.stream(name);
    Some(Box::new(move || call!(copy::aclrtMemsetAsync(pointer(address), room, value, count, stream(it))).into()))
}

fn kind(text: &str) -> Option<aclrtMemcpyKind> {
    Some(match text {
        text if text.contains("H2H") => aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_HOST,
        text if text.contains("H2D") => aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE,
        text if text.contains("D2H") => aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST,
        text if text.contains("D2D") => aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE,
        text if text.contains("DEFAULT") => aclrtMemcpyKind::ACL_MEMCPY_DEFAULT,
        text if text.contains("kind 9") => aclrtMemcpyKind(99),
        _ => return None,
    })
}

/// Destination, source and direction, as the words say.
fn sides(world: &mut World, named: &Named) -> (usize, usize, aclrtMemcpyKind) {
    let words = [named.arguments.join(" "), named.tail.to_owned()].concat();
    let given = kind(&words).unwrap_or(aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE);
    let host = if words.contains("pageable") { "pageable" } else { "h" };
    let (mut to, mut from) = match given {
        aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_HOST => ("h2", host),
        aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST => (host, "d"),
        aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE => ("d2", "d"),
        _ => ("d", host),
    };
    // Each row that tries an order of wrong arguments has a destination on the device.
    if named.at(0) == "d" || words.contains("given H to D") {
        (to, from) = ("d", host);
    }
    if words.contains("given host pointers") {
        (to, from) = ("h2", "h");
    }
    if words.contains("given D to H") {
        (to, from) = ("h", "d");
    }
    if words.contains("device 1 to device 0") {
        (to, from) = ("d", "memory of device 1");
    } else if words.contains("device 0 to device 1") || words.contains("into device 1") {
        to = "memory of device 1";
    } else if words.contains("from device 1") {
        from = "memory of device 1";
    }
    if words.contains("same address") {
        (to, from) = ("d", "d");
    }
    let (mut to, mut from) = (world.memory(to), world.memory(from));
    if words.contains("of the value") {
        // SAFETY: the block is large enough, and nobody else uses it.
        unsafe { pointer::<u64>(from).write(8) };
    }
    if words.contains("overlapping") {
        from = to + 16;
    }
    if words.contains("NULL dst") || words.ends_with("null") || words.contains("Memcpy2d NULL dst") {
        to = 0;
    }
    if words.contains("NULL src") {
        from = 0;
    }
    (to, from, given)
}

fn copies(world: &mut World, named: &Named) -> Option<Ready> {
    if !["Memcpy", "MemcpyAsync", "Memcpy2d", "Memcpy2dAsync"].contains(&named.function) {
        return None;
    }
    let (to, from, kind) = sides(world, named);
    let room = if named.says("destMax < count") || named.says("destMax <") { 1 } else { COUNT };
    let count = if named.says("count 0") { 0 } else { COUNT };
    let parts = named.arguments.len();
    let name = match parts {
        _ if named.says("NULL stream") => "NULL",
        _ if named.says("destroyed stream") => "destroyed stream",
        0 => "s",
        1 if named.at(0).contains(' ') || named.at(0) == "H2H" => "s",
        1 => named.at(0),
        _ if named.says("stream of device 0") => "s",
        _ => named.at(parts - 1),
    };
    let plane = if named.says("width > dpitch") {
        (16, 64, 32, 2)
    } else if named.says("width > spitch") {
        (64, 16, 32, 2)
    } else if named.says("width 0") {
        (64, 64, 0, 2)
    } else if named.says("height 0") {
        (64, 64, 32, 0)
    } else {
        (64, 64, 32, 2)
    };
    let (dpitch, spitch, width, height) = plane;
    Some(match named.function {
        "Memcpy" => Box::new(move || call!(copy::aclrtMemcpy(pointer(to), room, pointer(from), count, kind)).into()),
        "Memcpy2d" => Box::new(move || {
            call!(copy::aclrtMemcpy2d(pointer(to), dpitch, pointer(from), spitch, width, height, kind)).into()
        }),
        "Memcpy2dAsync" => {
            let it = world.stream(name);
            Box::new(move || {
                let (to, from) = (pointer(to), pointer(from));
                call!(copy::aclrtMemcpy2dAsync(to, dpitch, from, spitch, width, height, kind, stream(it))).into()
            })
        }
        _ => {
            let it = world.stream(name);
            Box::new(move || {
                call!(copy::aclrtMemcpyAsync(pointer(to), room, pointer(from), count, kind, stream(it))).into()
            })
        }
    })
}

fn registration(world: &mut World, named: &Named) -> Option<Ready> {
    let name = match named.at(0) {
        "" | "unregistered" => "p",
        name => name,
    };
    if !named.function.starts_with("Host") {
        return None;
    }
    let address = world.memory(name);
    let size = if named.arguments.len() > 1 { number(named.at(1)) as u64 } else { 4096 };
    Some(match named.function {
        "HostRegister" => {
            let kind = aclrtHostRegisterType(if named.at(2) == "9" { 9 } else { 0 });
            let null = named.at(3) == "NULL";
            Box::new(move || {
                let mut found = null_mut();
                let out = if null { null_mut() } else { &mut found };
                let code = call!(memory::aclrtHostRegister(pointer(address), size, kind, out));
                let same = if found == pointer(address) { "the same" } else { "another" };
                Outcome::saw(code, format!("device pointer {same} address [driver-decided]"))
            })
        }
        "HostRegisterV2" => {
            let flag = number(named.at(2)) as u32;
            Box::new(move || call!(memory::aclrtHostRegisterV2(pointer(address), size, flag)).into())
        }
        "HostUnregister" => Box::new(move || call!(memory::aclrtHostUnregister(pointer(address))).into()),
        "HostGetDevicePointer" => {
            let null = named.at(1) == "NULL";
            let flag = number(named.at(2)) as u32;
            Box::new(move || {
                let mut found = null_mut();
                let out = if null { null_mut() } else { &mut found };
                call!(memory::aclrtHostGetDevicePointer(pointer(address), out, flag)).into()
            })
        }
        _ => return None,
    })
}

#[expect(clippy::too_many_lines, reason = "a table: one arm per function")]
fn virtual_memory(world: &mut World, named: &Named) -> Option<Ready> {
    const DEVICE: aclrtMemLocationType = aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE;
    let handle = |number: usize| aclrtDrvMemHandle(pointer(number));
    // SAFETY: zeros are a value of every member.
    let mut prop: aclrtPhysicalMemProp = unsafe { core::mem::zeroed() };
    prop.location.kind = DEVICE;
    prop.memAttr = aclrtMemAttr::ACL_HBM_MEM_HUGE;
    Some(match named.function {
        "ReserveMemAddress" => {
            let null = named.at(0) == "NULL";
            let (size, flags) = match named.arguments.len() {
                0 => (2 << 20, 1),
                _ => (number(named.at(1)) as usize, number(named.at(4)) as u64),
            };
            Box::new(move || {
                let mut found = null_mut();
                let out = if null { null_mut() } else { &mut found };
                let code = call!(memory::aclrtReserveMemAddress(out, size, 0, null_mut(), flags));
                Outcome::made(code, found.expose_provenance())
            })
        }
        "MallocPhysical" => {
            let words = named.at(0);
            let null = words == "NULL";
            let no_prop = named.at(2) == "NULL";
            let size = if named.arguments.len() > 1 { number(named.at(1)) as usize } else { 2 << 20 };
            let flags = number(named.at(3)) as u64;
            match words {
                "location host" => prop.location.kind = aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST,
                "location type 9" => prop.location.kind = aclrtMemLocationType(9),
                "handle type 9" => prop.handleType = aclrtMemHandleType(9),
                "allocation type 9" => prop.allocationType = aclrtMemAllocationType(9),
                "memory attribute 99" => prop.memAttr = aclrtMemAttr(99),
                "reserve 1" => prop.reserve = 1,
                _ => {}
            }
            Box::new(move || {
                let mut made = aclrtDrvMemHandle::NULL;
                let out = if null { null_mut() } else { &mut made };
                let prop = if no_prop { null_mut() } else { &mut prop };
                let code = call!(memory::aclrtMallocPhysical(out, size, prop, flags));
                Outcome::made(code, made.0.addr())
            })
        }
        "FreePhysical" => {
            let it = world.get("physical", named.at(0)).unwrap_or(0);
            Box::new(move || call!(memory::aclrtFreePhysical(handle(it))).into())
        }
        "MapMem" => {
            let (at, it) = (world.get("memory", "v").unwrap_or(0), world.get("physical", "h").unwrap_or(0));
            let size = if named.arguments.len() > 1 { number(named.at(1)) as usize } else { 2 << 20 };
            let offset = number(named.at(2)) as usize;
            Box::new(move || call!(memory::aclrtMapMem(pointer(at), size, offset, handle(it), 0)).into())
        }
        "UnmapMem" | "ReleaseMemAddress" => {
            let at = if named.at(0) == "NULL" { 0 } else { world.get("memory", "v").unwrap_or(0) };
            match named.function {
                "UnmapMem" => Box::new(move || call!(memory::aclrtUnmapMem(pointer(at))).into()),
                _ => Box::new(move || call!(memory::aclrtReleaseMemAddress(pointer(at))).into()),
            }
        }
        "MemGetAllocationGranularity" => {
            let null = named.at(0) == "NULL";
            let nowhere = named.at(2) == "NULL";
            Box::new(move || {
                let mut found = 0;
                let out = if nowhere { null_mut() } else { &mut found };
                let option = aclrtMemGranularityOptions::ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM;
                let prop = if null { null_mut() } else { &mut prop };
                call!(memory::aclrtMemGetAllocationGranularity(prop, option, out)).into()
            })
        }
        _ => return None,
    })
}
