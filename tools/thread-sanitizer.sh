#!/bin/sh
# Shows why the thread sanitizer is not a part of the evidence: it reports races in a safe program of the standard library
# alone, which has none. What orders its threads is inside the standard library, which is not instrumented without its
# source (`rust-src`). It needs a nightly toolchain.
set -eu

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cat >"$folder/ordered.rs" <<'EOF'
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

fn main() {
    let sums = Arc::new(Mutex::new(vec![0_u64; 4]));
    let (sender, receiver) = mpsc::channel::<Box<u64>>();
    let threads: Vec<_> = (0..4)
        .map(|own| {
            let (sums, sender) = (Arc::clone(&sums), sender.clone());
            thread::spawn(move || {
                for number in 0..100 {
                    sums.lock().unwrap()[own] += number;
                    sender.send(Box::new(number)).unwrap();
                }
            })
        })
        .collect();
    drop(sender);
    let sum: u64 = receiver.iter().map(|number| *number).sum();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let mut list = vec![1, 2, 3];
    thread::scope(|scope| {
        scope.spawn(|| list.push(4));
    });
    println!("{sum} {list:?}");
}
EOF
cd "$folder"
# The standard library does not have the sanitizer's mark: the compiler refuses to link it unless told so.
rustc +nightly --edition 2024 -Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer ordered.rs
./ordered >said 2>&1 || true
echo "reported: $(grep -c '^WARNING: ThreadSanitizer: data race' said) races in a program that has none"
