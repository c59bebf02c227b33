// MODEL-06: synchronous execution on one working memory is under mutual exclusion.
use ascendcl::{Lane, Plain};
use std::sync::Mutex;

fn hand_out<'c, 'l>(lane: Lane<'c, 'l, Plain>) {
    let lane = Mutex::new(lane);
    std::thread::scope(|scope| {
        scope.spawn(|| work(&lane));
        scope.spawn(|| work(&lane));
    });
}

fn work<T>(_lane: &T) {}

fn unused() {
    let _ = Mutex::new(());
}

fn main() {}
