// MODEL-15: handlers of a server on several threads share no bound model.
use ascendcl::{BoundModel, Runtime};
use std::sync::{Arc, Mutex};

ascendcl::names!(Vision);

pub struct State {
    pub runtime: Runtime<Vision>,
    pub model: Mutex<BoundModel<Vision>>,
}

pub fn serve<S: Send + Sync + 'static>(_state: Arc<S>) {}

pub fn start(state: State) {
    serve(Arc::new(state));
}

fn main() {}
