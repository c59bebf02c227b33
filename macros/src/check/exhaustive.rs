//! Compares every declaration of up to three lines, two states and two operations with the definition of each rule.

use super::check;
use crate::parse::Declaration;

/// `from`, `to`, operation, failure; place 0 is `[*]`.
type Line = (usize, usize, usize, bool);

const PLACES: [&str; 3] = ["[*]", "A", "B"];
const OPERATIONS: [&str; 2] = ["x", "y"];

fn all_lines() -> Vec<Line> {
    let mut lines = Vec::new();
    for from in 0..PLACES.len() {
        for to in 0..PLACES.len() {
            for operation in 0..OPERATIONS.len() {
                lines.extend([false, true].map(|fails| (from, to, operation, fails)));
            }
        }
    }
    lines
}

fn is_accepted(lines: &[Line]) -> bool {
    let written = lines.iter().map(|(from, to, operation, fails)| {
        let fails = if *fails { " fails" } else { "" };
        format!("{} --> {} : {}{fails};", PLACES[*from], PLACES[*to], OPERATIONS[*operation])
    });
    let declaration = format!("mod life; {}", written.collect::<String>());
    check(Declaration::read(declaration.parse().unwrap()).unwrap()).is_ok()
}

fn is_right(lines: &[Line]) -> bool {
    let has_states = lines.iter().all(|(from, to, ..)| from + to > 0);
    let one_outcome = lines.iter().enumerate().all(|(place, (from, _, operation, fails))| {
        lines.iter().take(place).all(|(f, _, o, w)| (f, o, w) != (from, operation, fails))
    });
    let is_done = |from, operation| lines.iter().any(|(f, _, o, fails)| (*f, *o, *fails) == (from, operation, false));
    let fails_where_done = lines.iter().all(|(from, _, operation, fails)| !fails || is_done(*from, *operation));
    let starts = lines.iter().any(|(from, _, _, fails)| *from == 0 && !fails);
    let lives = (1..PLACES.len())
        .filter(|state| lines.iter().any(|(from, to, ..)| from == state || to == state))
        .all(|state| is_connected(lines, 0, state, |_| true) && is_connected(lines, state, 0, |(.., fails)| !fails));
    has_states && one_outcome && fails_where_done && starts && lives
}

/// With two states a way has at most one state between its ends.
fn is_connected(lines: &[Line], from: usize, to: usize, counts: impl Fn(&Line) -> bool) -> bool {
    let step = |f, t| lines.iter().any(|line| (line.0, line.1) == (f, t) && counts(line));
    step(from, to) || (1..PLACES.len()).any(|between| step(from, between) && step(between, to))
}

#[test]
fn a_declaration_is_accepted_exactly_when_every_rule_holds() {
    let lines = all_lines();
    let (mut accepted, mut refused) = (0, 0);
    let mut compare = |declaration: &[Line]| {
        let right = is_right(declaration);
        assert_eq!(is_accepted(declaration), right, "{declaration:?}");
        *(if right { &mut accepted } else { &mut refused }) += 1;
    };
    compare(&[]);
    for first in &lines {
        compare(&[*first]);
        for second in &lines {
            compare(&[*first, *second]);
            for third in &lines {
                compare(&[*first, *second, *third]);
            }
        }
    }
    assert_eq!(accepted + refused, 1 + 36 + 36 * 36 + 36 * 36 * 36);
    assert!(accepted > 300, "{accepted}");
}
