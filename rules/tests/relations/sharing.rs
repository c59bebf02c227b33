//! Memory and notifies of other processes.

use ascendcl_rules::{
    Access, Checker, Event, Flag, IPC_02, MEM_03, Object, Op, Outcome, Place, Role, RuleId, Span, Thread, Use,
};

const DEVICE: Object = Object::device(0);
const CONTEXT: u64 = 0x100;

/// A process that has initialised the library and set the device.
fn process() -> Checker {
    let mut checker = Checker::new();
    checker.observe(&Event::new("aclInit", Object::PROCESS, Op::Initialise, Thread(1)), Outcome::Success);
    checker.observe(&Event::new("aclrtSetDevice", DEVICE, Op::Set, Thread(1)), Outcome::Created(CONTEXT));
    checker
}

fn event(call: &'static str, object: Object, op: Op) -> Event {
    Event::new(call, object, op, Thread(1)).in_context(Some(CONTEXT))
}

fn rules(checker: &mut Checker, event: &Event) -> Vec<RuleId> {
    checker.observe(event, Outcome::Success).iter().map(|finding| finding.rule).collect()
}

#[test]
fn memory_of_another_process_is_closed_and_not_freed() {
    for (imported, closed) in [(true, false), (false, true), (true, true), (false, false)] {
        let mut checker = process();
        let (span, access, role) = (Span::new(0, 64), Access::Write, Role::Contents);
        let memory = Use::Memory { span, access, role, claimed: Some(Place::Device) };
        let mut made = event("aclrtIpcMemImportByKey", Object::memory(0), Op::Allocate).using(memory);
        let mut ended = event("aclrtFree", Object::memory(0x1000), Op::Free);
        if imported {
            made = made.flag(Flag::Imported);
        }
        if closed {
            ended = ended.flag(Flag::Imported);
        }
        assert_eq!(checker.observe(&made, Outcome::Created(0x1000)), []);
        let expected: &[RuleId] = if imported == closed { &[] } else { &[MEM_03] };
        assert_eq!(rules(&mut checker, &ended), expected, "{imported} {closed}");
    }
}

#[test]
fn a_notify_of_another_process_is_only_recorded() {
    for imported in [false, true] {
        let mut checker = process();
        let (stream, notify) = (Object::stream(0x10), Object::notify(0x20));
        checker.observe(&event("aclrtCreateStream", Object::stream(0), Op::Create), Outcome::Created(stream.number));
        let mut made = event("aclrtCreateNotify", Object::notify(0), Op::Create);
        if imported {
            made = made.flag(Flag::Imported);
        }
        checker.observe(&made, Outcome::Created(notify.number));
        let wait =
            event("aclrtWaitAndResetNotify", stream, Op::Fence).using(Use::Queue(stream)).using(Use::With(notify));
        let expected: &[RuleId] = if imported { &[IPC_02] } else { &[] };
        assert_eq!(rules(&mut checker, &wait), expected);
    }
}
