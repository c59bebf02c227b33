//! Labels, and what is left: other calls of the cases. Callbacks are in `notices`.

use crate::arguments::Named;
use crate::call::Outcome;
use crate::world::{Ready, World, pointer};
use ascendcl_sys::types::*;
use core::ptr::null_mut;

#[expect(clippy::too_many_lines, reason = "a table: one arm per function")]
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
            let it = label(world, named.at(0));
            Box::new(move || call!(kernel::aclrtDestroyLabel(aclrtLabel(pointer(it)))).into())
        }
        "SetLabel" => {
            let it = label(world, named.at(0));
            let name = if named.arguments.len() > 1 { named.at(1) } else { "s" };
            let s = world.stream(name);
            Box::new(move || call!(kernel::aclrtSetLabel(aclrtLabel(pointer(it)), stream(s))).into())
        }
        "CreateLabelList" => {
            let null = named.at(0) == "NULL";
            let number = if named.arguments.len() > 1 { crate::arguments::number(named.at(1)) as usize } else { 1 };
            let number = if named.at(0).starts_with('{') { 2 } else { number };
            let both = [label(world, "l"), world.get("label", "l2").unwrap_or_else(|| label(world, "l"))];
            Box::new(move || {
                let mut labels = both.map(|label| aclrtLabel(pointer(label)));
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
            let most = crate::arguments::number(named.at(1)) as u32;
            let (list, s) = (world.get("label", "ll").unwrap_or(0), world.stream(named.at(3)));
            Box::new(move || {
                call!(kernel::aclrtSwitchLabelByIndex(pointer(place), most, aclrtLabelList(pointer(list)), stream(s)))
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
        "SwitchStream" => {
            let all_null = named.says("all null");
            let (d, s, s2) = (world.memory("d"), world.stream("s"), world.stream("s2"));
            Box::new(move || {
                let number = |number: usize| if all_null { 0 } else { number };
                let (cond, kind) = (aclrtCondition::ACL_RT_EQUAL, aclrtCompareDataType::ACL_RT_SWITCH_INT32);
                let (value, to, on) = (pointer(number(d)), stream(number(s2)), stream(number(s)));
                call!(kernel::aclrtSwitchStream(value, cond, value, kind, to, aclrtStream::NULL, on)).into()
            })
        }
        _ => return None,
    })
}

fn label(world: &World, name: &str) -> usize {
    match name {
        "NULL" => 0,
        "l2" => world.get("label", "l2").unwrap_or(0),
        _ => world.get("label", "l").unwrap_or(0),
    }
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
            "RIBuildBegin" => self.put("model", if named.at(0) == "&m2" { "m2" } else { "m" }, made),
            "GetStreams" if made != 0 => self.put("stream", "model stream", made),
            "GetTasksByStream" => self.put("task", "t", made),
            "CaptureEnd" => self.put("model", "m", made),
            "CaptureTaskGrpEnd" => self.put("group", "g", made),
            "CaptureGetInfo" if made != 0 => self.put("model", "of GetInfo", made),
            "CreateStream" | "CreateStreamWithConfig" => {
                self.last_stream = made;
                if named.at(0) == "PERSISTENT" {
                    self.put("stream", "p", made);
                }
                if named.at(0) == "&s" {
                    self.put("stream", "s", made);
                }
            }
            "CtxGetCurrentDefaultStream" => {
                let first = self.get("stream", "default stream").is_none();
                self.put("stream", if first { "default stream" } else { "later default stream" }, made);
            }
            "CreateContext" => self.put("context", "explicit", made),
            "CreateLabel" => self.put("label", if named.at(0) == "&l2" { "l2" } else { "l" }, made),
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
