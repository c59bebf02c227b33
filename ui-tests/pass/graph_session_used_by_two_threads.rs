// GE-12: a session is used by one thread at a time.
use ascendcl::Brand;
use ascendcl_ge::Session;
use std::thread;

pub fn program<C: Brand>(session: &mut Session<C>) {
    let lent = &mut *session;
    thread::scope(|scope| {
        scope.spawn(move || println!("{lent:?}"));
    });
    println!("{session:?}");
}

fn main() {}
