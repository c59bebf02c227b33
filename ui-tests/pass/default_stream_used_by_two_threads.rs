// THREAD-02: a view of the default stream stays on its thread.
use ascendcl::{Brand, Current};

pub fn share(current: &Current<impl Brand>) {
    let (default, device) = (current.default_stream(), current.device_id());
    std::thread::scope(|scope| {
        scope.spawn(|| println!("{device}"));
    });
    drop(default);
}

fn main() {}
