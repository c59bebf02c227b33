// MODEL-16: threads that share a model hold a lock over its inputs and its execution.
use ascendcl::{BoundModel, Runtime};
use std::sync::{Arc, Mutex};

ascendcl::names!(Vision);

pub fn serve(runtime: Arc<Runtime<Vision>>, model: BoundModel<Vision>) {
    let shared: Arc<BoundModel<Vision>> = Arc::new(model.into());
    for _ in 0..2 {
        let (runtime, shared) = (Arc::clone(&runtime), Arc::clone(&shared));
        std::thread::spawn(move || runtime.with(|_| drop(shared)));
    }
}

pub type Locked = Mutex<BoundModel<Vision>>;

fn main() {}
