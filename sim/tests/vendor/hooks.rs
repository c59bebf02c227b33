//! Labels, and what is left: other calls of the cases. Callbacks are in `notices`.

use crate::arguments::Named;
use crate::call::Outcome;
use crate::world::{Ready, World, pointer};
use ascendcl_sys::types::*;
use core::ptr::null_mut;

pub(crate) fn ready(world: &mut World, named: &Named) -> Option<Ready> {
    let stream = |number: usize| aclrtStream(pointer(number));
    Some(match named.function {
        "CreateLabel" => {
            let null = named.at(0) == "NULL";
            Box::new(move || {
                let mut made = aclrtLabel::NULL;
                let out = if null { null_mut() } else { &mut made };
                let code = call!(kernel::aclrtCreateLabel(out));
                Outcome::made(code, made.0.addr())
            })
        }
        "DestroyLabel" => {
            let it = if named.at(0) == "NULL" { 0 } else { world.get("label", "l").unwrap_or(0) };
            Box::new(move || call!(kernel::aclrtDestroyLabel(aclrtLabel(pointer(it)))).into())
        }
        "SetLabel" => {
            let it = if named.at(0) == "NULL" { 0 } else { world.get("label", "l").unwrap_or(0) };
            let name = if named.arguments.len() > 1 { named.at(1) } else { "s" };
            let s = world.stream(name);
            Box::new(move || call!(kernel::aclrtSetLabel(aclrtLabel(pointer(it)), stream(s))).into())
        }
        "CreateLabelList" => {
            let null = named.at(0) == "NULL";
            let number = if named.arguments.len() > 1 { crate::arguments::number(named.at(1)) as usize } else { 1 };
            let label = world.get("label", "l").unwrap_or(0);
            Box::new(move || {
                let mut labels = vec![aclrtLabel(pointer(label)); number.max(1)];
                let mut made = aclrtLabelList::NULL;
                let from = if null { null_mut() } else { labels.as_mut_ptr() };
                let code = call!(kernel::aclrtCreateLabelList(from, number, &mut made));
                Outcome::made(code, made.0.addr())
            })
        }
        "DestroyLabelList" => {
            let it = if named.at(0) == "NULL" { 0 } else { world.get("label", "ll").unwrap_or(0) };
            Box::new(move || call!(kernel::aclrtDestroyLabelList(aclrtLabelList(pointer(it)))).into())
        }
        "SwitchLabelByIndex" => {
            let place = world.memory(named.at(0));
            let (list, s) = (world.get("label", "ll").unwrap_or(0), world.stream(named.at(3)));
            Box::new(move || {
                call!(kernel::aclrtSwitchLabelByIndex(pointer(place), 1, aclrtLabelList(pointer(list)), stream(s)))
                    .into()
            })
        }
        "CmoAsync" => {
            let (place, s) = (world.memory(named.at(0)), world.stream(named.at(3)));
            let size = crate::arguments::number(named.at(1)) as usize;
            let kind = aclrtCmoType(u32::from(named.at(2) == "WRITEBACK"));
            Box::new(move || call!(copy::aclrtCmoAsync(pointer(place), size, kind, stream(s))).into())
        }
        "RandomNumAsync" => {
            let (null, s) = (named.at(0) == "NULL", world.stream(named.at(1)));
            let reserve = if named.at(2) == "NULL" { 0 } else { world.zeroed() };
            Box::new(move || {
                // SAFETY: zeros are a value of every member.
                let task: aclrtRandomNumTaskInfo = unsafe { core::mem::zeroed() };
                let task = if null { core::ptr::null() } else { &task };
                call!(copy::aclrtRandomNumAsync(task, stream(s), pointer(reserve))).into()
            })
        }
        "ActiveStream" => {
            let (one, two) = (world.stream(named.at(0)), world.stream(named.at(1)));
            Box::new(move || call!(kernel::aclrtActiveStream(stream(one), stream(two))).into())
        }
        _ => return None,
    })
}

impl World {
    pub(crate) fn notify(&mut self, name: &str) -> usize {
        let name = if name.is_empty() { "n" } else { name };
        if name.starts_with("NULL") {
            return 0;
        }
        if name.starts_with("zeroed memory") {
            return self.zeroed();
        }
        if name.starts_with("bogus") {
            return 0x1234;
        }
        let destroyed = name.starts_with("destroyed");
        if let Some(known) = self.get("notify", if destroyed { "destroyed" } else { "n" }) {
            return known;
        }
        let mut made = aclrtNotify::NULL;
        call!(event::aclrtCreateNotify(&mut made, 0));
        if destroyed {
            call!(event::aclrtDestroyNotify(made));
        }
        self.put("notify", if destroyed { "destroyed" } else { "n" }, made.0.addr());
        made.0.addr()
    }

    /// Remembers what a call made.
    pub(crate) fn note(&mut self, named: &Named, outcome: &Outcome) {
        if outcome.code != 0 {
            return;
        }
        let made = outcome.made;
        match named.function {
            "CaptureEnd" => self.put("model", "m", made),
            "CaptureTaskGrpEnd" => self.put("group", "g", made),
            "CaptureGetInfo" if made != 0 => self.put("model", "of GetInfo", made),
            "CreateStream" | "CreateStreamWithConfig" => {
                self.last_stream = made;
                if named.at(0) == "&s" {
                    self.put("stream", "s", made);
                }
            }
            "CtxGetCurrentDefaultStream" => {
                let first = self.get("stream", "default stream").is_none();
                self.put("stream", if first { "default stream" } else { "later default stream" }, made);
            }
            "CreateContext" => self.put("context", "explicit", made),
            "CreateLabel" => self.put("label", "l", made),
            "CreateLabelList" => self.put("label", "ll", made),
            "CreateNotify" => self.put("notify", "n", made),
            "ReserveMemAddress" => self.put("memory", "v", made),
            "MemPoolCreate" => self.put("pool", "p", made),
            "MemPoolMallocAsync" => self.put("pooled", "x", made),
            "MallocPhysical" => self.put("physical", "h", made),
            "CreateEvent" | "CreateEventWithFlag" | "CreateEventExWithFlag" => self.last_event = made,
            _ => {}
        }
    }
}
