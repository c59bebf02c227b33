// MODEL-06: synchronous execution on one working memory is under mutual exclusion.
use ascendcl::{Lane, Plain, SharedLane};

fn hand_out<'c, 'l>(lane: SharedLane<'c, 'l>) {
    std::thread::scope(|scope| {
        scope.spawn(|| work(&lane));
        scope.spawn(|| work(&lane));
    });
}

fn work<T>(_lane: &T) {}

type Either<'c, 'l> = (Lane<'c, 'l, Plain>, SharedLane<'c, 'l>);

fn main() {
    let _: Option<Either<'_, '_>> = None;
}
