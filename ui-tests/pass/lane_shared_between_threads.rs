// MODEL-06: synchronous execution on one working memory is under mutual exclusion.
use ascendcl::{Brand, Lane, Plain, Scoped, SharedLane};

fn hand_out<'l, C: Brand>(lane: SharedLane<'l, C>) {
    std::thread::scope(|scope| {
        scope.spawn(|| work(&lane));
        scope.spawn(|| work(&lane));
    });
}

fn work<T>(_lane: &T) {}

type Either<'l, C> = (Lane<'l, C, Plain>, SharedLane<'l, C>);

fn main() {
    let _: Option<Either<'_, Scoped<'_>>> = None;
}
