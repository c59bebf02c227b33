//! What a finding says.

use super::support::*;
use ascendcl_rules::MEM_02;

#[test]
fn a_report_names_rule_objects_threads_and_the_earlier_call() {
    let found = findings(|p| {
        let (block, pinned, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        p.copy(block, pinned, stream);
        p.on(1).free(block);
    });
    let rule = MEM_02.rule().text;
    let expected = format!(
        "\
MEM-02 is broken by aclrtFree (call 7, thread 1)
  rule:     {rule}
  found:    memory 0x20000 is freed while stream 0x40000 may still use it as the destination of a copy or fill
  expected: the work is complete: a thread has waited for it
  object:   memory 0x20000, made by aclrtMalloc (call 3, thread 0), last used by aclrtMemcpyAsync (call 6, thread 0)
  object:   stream 0x40000, made by aclrtCreateStream (call 5, thread 0), last used by aclrtMemcpyAsync (call 6, thread 0)
  earlier:  aclrtMemcpyAsync (call 6, thread 0) queued work that uses the memory
  fix:      synchronise stream 0x40000 before the memory is freed"
    );
    assert_eq!(found[0].to_string(), expected);
}

#[test]
fn a_long_list_of_objects_is_cut() {
    let found = findings(|p| {
        for _ in 0..20 {
            p.stream();
        }
        p.reset(0);
    });
    assert_eq!(found[0].objects.len(), 20);
    assert!(found[0].to_string().contains("and 12 more"), "{}", found[0]);
}
