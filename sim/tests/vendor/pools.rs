//! Memory pools, reductions, notifies that count.

use crate::arguments::{Named, number};
use crate::call::Outcome;
use crate::world::{Ready, World, place, pointer};
use ascendcl_sys::types::*;
use core::ptr::null_mut;

fn stream(number: usize) -> aclrtStream {
    aclrtStream(pointer(number))
}

pub(crate) fn ready(world: &mut World, named: &Named) -> Option<Ready> {
    making(world, named)
        .or_else(|| blocks(world, named))
        .or_else(|| reductions(world, named))
        .or_else(|| counts(world, named))
}

fn properties() -> aclrtMemPoolProps {
    aclrtMemPoolProps {
        allocType: aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED,
        handleType: aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE,
        location: aclrtMemLocation { id: 0, kind: aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE },
        maxSize: 0,
        reserved: [0; 32],
    }
}

fn create(properties: &aclrtMemPoolProps) -> Outcome {
    let mut made = aclrtMemPool::NULL;
    let code = call!(memory_pool::aclrtMemPoolCreate(&mut made, properties));
    Outcome::made(code, made.0.addr())
}

fn pool(world: &mut World, name: &str) -> aclrtMemPool {
    if name.starts_with("NULL") {
        return aclrtMemPool::NULL;
    }
    let known = world.get("pool", "p").unwrap_or_else(|| {
        let made = create(&properties());
        assert_eq!(made.code, 0, "the pool that a line uses first");
        made.made
    });
    world.put("pool", "p", known);
    aclrtMemPool(pointer(known))
}

fn take(place: *mut *mut core::ffi::c_void, size: usize, pool: aclrtMemPool, it: usize) -> i32 {
    call!(memory_pool::aclrtMemPoolMallocAsync(place, size, pool, stream(it)))
}

fn making(world: &mut World, named: &Named) -> Option<Ready> {
    Some(match named.function {
        "MemPoolCreate" => {
            let mut wanted = properties();
            match named.at(0) {
                "empty props" => wanted.location.kind = aclrtMemLocationType(0),
                "handle POSIX" => wanted.handleType = aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_POSIX,
                "device 5" => wanted.location.id = 5,
                text => wanted.maxSize = text.strip_prefix("maxSize ").map_or(0, number) as usize,
            }
            match (named.at(0), named.at(1)) {
                ("NULL", _) => Box::new(move || call!(memory_pool::aclrtMemPoolCreate(null_mut(), &wanted)).into()),
                (_, "NULL") => Box::new(|| {
                    let mut made = aclrtMemPool::NULL;
                    call!(memory_pool::aclrtMemPoolCreate(&mut made, core::ptr::null())).into()
                }),
                _ => Box::new(move || create(&wanted)),
            }
        }
        "MemPoolDestroy" => {
            let it = pool(world, named.at(0)).0.addr();
            Box::new(move || call!(memory_pool::aclrtMemPoolDestroy(aclrtMemPool(pointer(it)))).into())
        }
        "MemPoolTrimTo" => {
            let it = pool(world, named.at(0)).0.addr();
            Box::new(move || call!(memory_pool::aclrtMemPoolTrimTo(aclrtMemPool(pointer(it)), 0)).into())
        }
        "MemPoolSetAttr" | "MemPoolGetAttr" => {
            let it = pool(world, named.at(0)).0.addr();
            let attribute = match named.at(1) {
                "USED" => aclrtMemPoolAttr::ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT,
                text => aclrtMemPoolAttr(number(text) as u32),
            };
            let sets = named.function == "MemPoolSetAttr";
            Box::new(move || {
                let it = aclrtMemPool(pointer(it));
                let value = (&raw mut *place(0_u64)).cast();
                match sets {
                    true => call!(memory_pool::aclrtMemPoolSetAttr(it, attribute, value)).into(),
                    false => call!(memory_pool::aclrtMemPoolGetAttr(it, attribute, value)).into(),
                }
            })
        }
        _ => return None,
    })
}

fn blocks(world: &mut World, named: &Named) -> Option<Ready> {
    Some(match named.function {
        "MemPoolMallocAsync" => {
            let whole = named.arguments.len() == 4;
            let (from, size, on) =
                if whole { (named.at(2), number(named.at(1)) as usize, named.at(3)) } else { ("p", 64, named.at(0)) };
            let it = world.stream(on);
            let from = pool(world, from).0.addr();
            let null = named.at(0) == "NULL";
            Box::new(move || {
                let mut made = null_mut();
                let out = if null { null_mut() } else { &mut made };
                let code = take(out, size, aclrtMemPool(pointer(from)), it);
                // For no bytes there is no address.
                if made.is_null() { code.into() } else { Outcome::made(code, made.expose_provenance()) }
            })
        }
        "MemPoolFreeAsync" => {
            let on = world.stream(named.at(named.arguments.len() - 1));
            let known = world.get("pooled", "x").filter(|known| *known != 0);
            let from = pool(world, "p");
            let address = if named.at(0) == "NULL" {
                0
            } else {
                known.unwrap_or_else(|| {
                    let mut made = null_mut();
                    assert_eq!(take(&mut made, 64, from, on), 0, "the block that a line frees");
                    made.expose_provenance()
                })
            };
            Box::new(move || call!(memory_pool::aclrtMemPoolFreeAsync(pointer(address), stream(on))).into())
        }
        _ => return None,
    })
}

fn reductions(world: &mut World, named: &Named) -> Option<Ready> {
    if named.function != "ReduceAsync" {
        return None;
    }
    let whole = named.arguments.len() > 1;
    let [to, from] = if whole { [named.at(0), named.at(1)] } else { ["d", "d2"] }.map(|name| world.memory(name));
    let count = if whole { number(named.at(2)) as u64 } else { 64 };
    let kind = match named.at(3) {
        "99" => aclrtReduceKind(99),
        _ => aclrtReduceKind::ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
    };
    let element = if named.at(4) == "type 99" { aclDataType(99) } else { aclDataType::ACL_FLOAT };
    let it = world.stream(if whole { named.at(5) } else { named.at(0) });
    Some(Box::new(move || {
        let (to, from) = (pointer(to), pointer(from));
        call!(copy::aclrtReduceAsync(to, from, count, kind, element, stream(it), null_mut())).into()
    }))
}

fn counts(world: &mut World, named: &Named) -> Option<Ready> {
    Some(match named.function {
        "CntNotifyCreate" => {
            let (null, flag) = (named.at(0) == "NULL", number(named.at(1)) as u64);
            Box::new(move || {
                let mut made = aclrtCntNotify::NULL;
                let out = if null { null_mut() } else { &mut made };
                let code = call!(event::aclrtCntNotifyCreate(out, flag));
                Outcome::saw(code, if made.is_null() { "handle null" } else { "handle set" })
            })
        }
        "CntNotifyWaitWithTimeout" => {
            let it = world.stream(named.at(1));
            Box::new(move || {
                let mode = aclrtCntNotifyWaitMode::ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;
                let mut info = aclrtCntNotifyWaitInfo { mode, value: 1, timeout: 1, isClear: 0, rsv: [0; 3] };
                call!(event::aclrtCntNotifyWaitWithTimeout(aclrtCntNotify::NULL, stream(it), &mut info)).into()
            })
        }
        "CntNotifyReset" => {
            let it = world.stream(named.at(1));
            Box::new(move || call!(event::aclrtCntNotifyReset(aclrtCntNotify::NULL, stream(it))).into())
        }
        _ => return None,
    })
}
