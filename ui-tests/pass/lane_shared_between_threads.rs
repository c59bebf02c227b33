// MODEL-06: synchronous execution on one working memory is under mutual exclusion.
use ascendcl::{Brand, Scoped, lane::{WorkspaceLane, WorkspaceMutex}, stream::DefaultAllocator};

fn hand_out<'l, C: Brand>(lane: WorkspaceMutex<'l, C>) {
    std::thread::scope(|scope| {
        scope.spawn(|| work(&lane));
        scope.spawn(|| work(&lane));
    });
}

fn work<T>(_lane: &T) {}

type Either<'l, C> = (WorkspaceLane<'l, C, DefaultAllocator>, WorkspaceMutex<'l, C>);

fn main() {
    let _: Option<Either<'_, Scoped<'_>>> = None;
}
