// GE-12: a session is used by one thread at a time.
use ascendcl::ge::Session;
use std::thread;

pub fn program<'c>(session: &mut Session<'c>) {
    let shared = &*session;
    thread::scope(|scope| {
        scope.spawn(|| println!("{shared:?}"));
        println!("{shared:?}");
    });
}

fn main() {}
