//! Real graphs follow the declared life cycle. The test makes every sequence of up to five calls that the types allow,
//! and compares each state with the monitor's.

use crate::support::{bytes, images, two_digits, world};
use ascendcl::{Current, Scoped, allocator::PoolAllocator};
use ascendcl_ge::{Added, Compiled, Graph, Loaded, Session, WithAllocator, WithMemory};
use ascendcl_rules::graph::{At, Monitor, Op, Outcome};

const OPERATIONS: [Op; 8] =
    [Op::Compile, Op::Register, Op::Replace, Op::Unregister, Op::SetMemory, Op::Load, Op::Execute, Op::Remove];
const DEPTH: usize = 5;

enum AnyGraph<'c> {
    Added(Graph<Scoped<'c>, Added>),
    Compiled(Graph<Scoped<'c>, Compiled>),
    WithAllocator(Graph<Scoped<'c>, WithAllocator<PoolAllocator>>),
    WithMemory(Graph<Scoped<'c>, WithMemory>),
    Loaded(Graph<Scoped<'c>, Loaded<Compiled>>),
    LoadedWithAllocator(Graph<Scoped<'c>, Loaded<WithAllocator<PoolAllocator>>>),
    LoadedWithMemory(Graph<Scoped<'c>, Loaded<WithMemory>>),
    Gone,
}

impl<'c> AnyGraph<'c> {
    fn at(&self) -> At {
        match self {
            Self::Added(_) => At::Added,
            Self::Compiled(_) => At::Compiled,
            Self::WithAllocator(_) => At::WithAllocator,
            Self::WithMemory(_) => At::WithMemory,
            Self::Loaded(_) | Self::LoadedWithAllocator(_) | Self::LoadedWithMemory(_) => At::Loaded,
            Self::Gone => At::End,
        }
    }

    /// Does the operation if the graph's type has it.
    fn step(self, session: &mut Session<Scoped<'c>>, current: &Current<Scoped<'c>>, op: Op) -> Result<Self, Self> {
        let pool = || PoolAllocator::new(current, 1 << 20).unwrap();
        let stream = || current.stream().unwrap();
        let inputs = || images(current, 2);
        macro_rules! execute {
            ($own:ident) => {
                $own.execute(session, current, inputs()).unwrap().wait(current).unwrap().graph
            };
        }
        Ok(match (self, op) {
            (Self::Added(own), Op::Compile) => Self::Compiled(own.compile(session, current).unwrap()),
            (Self::Compiled(own), Op::Register) => {
                Self::WithAllocator(own.register(session, current, stream(), pool()).unwrap())
            }
            (Self::WithAllocator(own), Op::Replace) => {
                Self::WithAllocator(own.replace(session, current, pool()).unwrap().0)
            }
            (Self::WithAllocator(own), Op::Unregister) => Self::Compiled(own.unregister(session, current).unwrap().0),
            (Self::Compiled(own), Op::SetMemory) => {
                let needs = own.summary(session, current).unwrap();
                let (constants, features) = (bytes(current, needs.constants), bytes(current, needs.features));
                Self::WithMemory(own.set_memory(session, current, constants, features).unwrap())
            }
            (Self::Compiled(own), Op::Load) => Self::Loaded(own.load_on(session, current, stream()).unwrap()),
            (Self::WithMemory(own), Op::Load) => {
                Self::LoadedWithMemory(own.load_on(session, current, stream()).unwrap())
            }
            (Self::WithAllocator(own), Op::Load) => Self::LoadedWithAllocator(own.load(session, current).unwrap()),
            (Self::Loaded(own), Op::Execute) => Self::Loaded(execute!(own)),
            (Self::LoadedWithAllocator(own), Op::Execute) => Self::LoadedWithAllocator(execute!(own)),
            (Self::LoadedWithMemory(own), Op::Execute) => Self::LoadedWithMemory(execute!(own)),
            (Self::Added(own), Op::Remove) => own.remove(session, current).map(|()| Self::Gone).unwrap(),
            (Self::Compiled(own), Op::Remove) => own.remove(session, current).map(|()| Self::Gone).unwrap(),
            (Self::WithMemory(own), Op::Remove) => own.remove(session, current).map(|()| Self::Gone).unwrap(),
            (Self::WithAllocator(own), Op::Remove) => own.remove(session, current).map(|_| Self::Gone).unwrap(),
            (Self::Loaded(own), Op::Remove) => own.remove(session, current).map(|_| Self::Gone).unwrap(),
            (Self::LoadedWithAllocator(own), Op::Remove) => own.remove(session, current).map(|_| Self::Gone).unwrap(),
            (Self::LoadedWithMemory(own), Op::Remove) => own.remove(session, current).map(|_| Self::Gone).unwrap(),
            (other, _) => return Err(other),
        })
    }
}

#[test]
fn a_graph_is_in_the_state_that_its_life_cycle_says() {
    let world = world();
    let (lives, refused) = world.session(|session, current| {
        let (mut lives, mut refused) = (vec![Vec::new()], 0);
        let mut done = 0;
        while let Some(life) = lives.get(done).cloned() {
            done += 1;
            for op in OPERATIONS {
                let mut graph = AnyGraph::Added(two_digits(session, current));
                let mut monitor = Monitor::new();
                monitor.step(Op::Add, Outcome::Done).unwrap();
                for earlier in &life {
                    graph = graph.step(session, current, *earlier).unwrap_or_else(|_| panic!("{life:?}"));
                    monitor.step(*earlier, Outcome::Done).unwrap();
                }
                let step = graph.step(session, current, op);
                assert_eq!(monitor.step(op, Outcome::Done).is_ok(), step.is_ok(), "{op} after {life:?}");
                refused += usize::from(step.is_err());
                let legal = step.is_ok();
                let graph = step.unwrap_or_else(|same| same);
                assert_eq!(graph.at(), monitor.at());
                if legal && life.len() + 1 < DEPTH && graph.at() != At::End {
                    lives.push([life.as_slice(), &[op]].concat());
                }
                drop(graph);
                assert_eq!((session.collect(current).len(), current.collect().len()), (0, 0));
                assert_eq!(world.double.count("graphs"), 0);
            }
        }
        (lives.len(), refused)
    });
    assert_eq!(
        (lives, refused),
        (19, 100),
        "lives of at most four calls, and calls that a type does not have after them"
    );
}
