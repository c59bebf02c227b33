//! Turns: one thread at a time, in the order in which they asked.

use core::fmt;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The order in which threads run.
///
/// The lock protects only the queue of turns. It is not held during a turn, so neither the library nor code of the
/// program ever runs under it.
#[derive(Default)]
pub(super) struct Turns {
    tickets: Mutex<Tickets>,
    changed: Condvar,
}

#[derive(Default)]
struct Tickets {
    /// The next number to be given out.
    next: u64,
    /// The number whose turn it is, and behind it the numbers that wait.
    line: VecDeque<u64>,
}

/// A thread's turn. It ends when this is dropped.
pub(super) struct Turn<'t> {
    turns: &'t Turns,
    number: u64,
}

impl Turns {
    /// Waits for a turn; for at most `limit`, if there is one. `None` if the limit has passed.
    pub(super) fn take(&self, limit: Option<Duration>) -> Option<Turn<'_>> {
        // A limit that exceeds the clock is no limit.
        let until = limit.and_then(|limit| Instant::now().checked_add(limit));
        let mut tickets = self.tickets();
        let number = tickets.next;
        tickets.next += 1;
        tickets.line.push_back(number);
        // Its drop removes the number from the line, also when the limit has passed.
        let turn = Turn { turns: self, number };
        while tickets.line.front() != Some(&number) {
            tickets = match until {
                None => self.changed.wait(tickets).unwrap_or_else(|poisoned| poisoned.into_inner()),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        drop(tickets);
                        return None;
                    }
                    self.changed.wait_timeout(tickets, left).unwrap_or_else(|poisoned| poisoned.into_inner()).0
                }
            };
        }
        Some(turn)
    }

    fn tickets(&self) -> MutexGuard<'_, Tickets> {
        self.tickets.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.tickets().line.retain(|number| *number != self.number);
        self.turns.changed.notify_all();
    }
}

impl fmt::Debug for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The lock ends here: the program's writer may ask for a turn. Nothing waits for it, also in a forked child.
        let line = self.tickets.try_lock().ok().map(|tickets| tickets.line.len());
        f.debug_struct("Turns").field("line", &line).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::{AtomicUsize, Ordering};

    /// Returns when so many are in line, or when that takes too long.
    fn in_line(turns: &Turns, count: usize) {
        let until = Instant::now() + Duration::from_secs(10);
        while turns.tickets().line.len() < count && Instant::now() < until {
            std::thread::yield_now();
        }
    }

    #[test]
    fn turns_come_in_the_order_in_which_they_were_asked_for() {
        let (turns, order) = (Turns::default(), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            let held = turns.take(None);
            for asker in 0..4 {
                let (turns, order) = (&turns, &order);
                scope.spawn(move || {
                    let _turn = turns.take(None);
                    order.lock().unwrap().push(asker);
                });
                in_line(turns, asker + 2);
            }
            assert!(order.lock().unwrap().is_empty(), "the turn is taken");
            drop(held);
        });
        assert_eq!(order.into_inner().unwrap(), [0, 1, 2, 3]);
    }

    #[test]
    fn one_that_gave_up_waiting_holds_up_nobody() {
        let turns = Turns::default();
        let held = turns.take(None);
        assert!(turns.take(Some(Duration::from_millis(1))).is_none());
        assert!(turns.take(Some(Duration::ZERO)).is_none());
        drop(held);
        assert!(turns.take(Some(Duration::ZERO)).is_some());
        assert!(turns.take(Some(Duration::MAX)).is_some());
    }

    #[test]
    fn a_turn_ends_with_a_panic() {
        let turns = Turns::default();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _turn = turns.take(None);
            panic!("in its turn");
        }));
        assert!(panicked.is_err());
        assert!(turns.take(Some(Duration::ZERO)).is_some());
    }

    #[test]
    fn no_two_have_a_turn_at_once() {
        let (turns, inside) = (Turns::default(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (turns, inside) = (&turns, &inside);
                scope.spawn(move || {
                    for round in 0..200 {
                        let limit = ((thread + round) % 3 == 0).then_some(Duration::from_micros(50));
                        let Some(_turn) = turns.take(limit) else { continue };
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
    }
}
