//! An operation can succeed in more than one way.

#![allow(clippy::unwrap_used, reason = "a test")]

ascendcl_macros::protocol! {
    /// A socket that does not block.
    pub mod socket;

    [*] --> Fresh : socket;
    Fresh --> Connected : connect;
    /// SOCK-01: the connection is made later; `poll` says when.
    Fresh --> Connecting : connect as in_progress;
    Fresh --> Unspecified : connect fails;
    Connecting --> Connected : poll;
    Connecting --> Connecting : poll as not_yet;
    Connected --> Connected : read;
    Connected --> Finished : read as end_of_data;
    Connected --> [*] : close;
    Finished --> [*] : close;
    Connecting --> [*] : close;
    Unspecified --> [*] : close;
    Fresh --> [*] : close;
}

use socket::{At, CanConnect, DIAGRAM, EDGES, Fresh, Monitor, Op, Outcome};

#[test]
fn each_outcome_leads_to_its_own_state() {
    assert_eq!(At::Fresh.after(Op::Connect, Outcome::Done), Some(At::Connected));
    assert_eq!(At::Fresh.after(Op::Connect, Outcome::InProgress), Some(At::Connecting));
    assert_eq!(At::Fresh.after(Op::Connect, Outcome::Failed), Some(At::Unspecified));
    assert_eq!(At::Connected.after(Op::Read, Outcome::EndOfData), Some(At::Finished));
    assert_eq!(At::Connected.after(Op::Read, Outcome::InProgress), None, "it is an outcome of `connect`");
    assert!(<Fresh as CanConnect>::THEN.is(At::Connected), "the bound tells the outcome without a name");
}

#[test]
fn a_monitor_follows_the_outcome_that_was_seen() {
    let mut monitor = Monitor::new();
    let steps = [
        (Op::Socket, Outcome::Done),
        (Op::Connect, Outcome::InProgress),
        (Op::Poll, Outcome::NotYet),
        (Op::Poll, Outcome::Done),
        (Op::Read, Outcome::EndOfData),
    ];
    let last = steps.into_iter().map(|(op, outcome)| monitor.step(op, outcome)).last();
    assert_eq!(last, Some(Ok(At::Finished)));
    let refused = monitor.step(Op::Read, Outcome::Done).unwrap_err();
    assert_eq!(refused.allowed, [At::Connected], "a state with two outcomes is named once");
}

#[test]
fn the_diagram_and_the_steps_say_the_name() {
    assert!(DIAGRAM.contains("    Fresh --> Connecting : connect as in_progress\n"), "{DIAGRAM}");
    let edge = EDGES.iter().find(|edge| edge.outcome == Outcome::InProgress).unwrap();
    assert_eq!(edge.to_string(), "Fresh --> Connecting : connect as in_progress");
    assert_eq!((edge.rules, edge.implied), (["SOCK-01"].as_slice(), false));
    let implied = EDGES.iter().filter(|edge| edge.from == At::Connected && edge.op == Op::Read && edge.implied);
    assert_eq!(implied.count(), 1, "a failure that keeps the state is implied once");
}
