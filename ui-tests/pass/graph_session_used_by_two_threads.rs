// GE-12: a session is used by one thread at a time.
use ascendcl::ge::Session;
use std::thread;

pub fn program<'c>(session: &mut Session<'c>) {
    let lent = &mut *session;
    thread::scope(|scope| {
        scope.spawn(move || println!("{lent:?}"));
    });
    println!("{session:?}");
}

fn main() {}
