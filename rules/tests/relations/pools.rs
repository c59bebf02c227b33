//! Memory pools of the library.

use crate::support::*;
use ascendcl_rules::*;

fn free_into_pool(p: &mut Program, block: Object, stream: Object, outcome: Outcome) {
    let event = p.event("aclrtMemPoolFreeAsync", block, Op::Free).using(Use::Queue(stream)).flag(Flag::Pooled);
    p.see(&event, outcome);
}

#[test]
fn a_refused_free_is_no_work_of_the_pool() {
    let run = |refused: bool, awaited: bool| {
        broken(|p| {
            let pool = p.event("aclrtMemPoolCreate", Object::pool(0), Op::Create).using(Use::With(Object::device(0)));
            let (pool, own) = (p.create(&pool), p.stream());
            let event = p.event("aclrtMemPoolMallocAsync", Object::memory(0), Op::Allocate).flag(Flag::Pooled);
            let event = event.using(Use::Queue(own)).using(Use::With(pool));
            let block = p.create(&event.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, DEVICE)));
            p.new_context(0);
            let other = p.stream();
            p.choose(Object::context(1000));
            if refused {
                free_into_pool(p, block, other, Outcome::Refused);
            }
            free_into_pool(p, block, own, Outcome::Success);
            if awaited {
                p.sync(own);
            }
            p.call("aclrtMemPoolDestroy", pool, Op::Destroy);
        })
    };
    assert_eq!(run(true, true), [STREAM_09]);
    assert_eq!(run(false, true), []);
    assert_eq!(run(false, false), [MEM_18], "a free that succeeds is work of the pool");
}
