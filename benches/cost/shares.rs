//! What the instructions of the operations above their goal are for.
//!
//! Counted in the disassembly of the measured function, in a scope: `callgrind --dump-instr=yes` says which instructions
//! run. The bench compares the sums with what it counts.

use crate::operations::Operation;
use std::fmt::Write;

const HEAD: &str = "
## What stands between the counts and the goals

Each row is an operation above its goal, in a scope. The columns are the shares of its instructions, and add up to the
column `safe` above. `floor` is what would be left over raw with the first three shares alone.

* `C`: the C functions: their arguments, the calls, their own instructions, and the comparison of their codes.
* `pointer`: loads a function from the cache and compares it with null. The cache is empty in a forked child
  (THREAD-05), and while each call is verified (CTX-05).
* `frame`: saves and restores registers, moves arguments, and writes the result, which is a `Result` in memory.
  Registers are saved for the code that runs after a failure.
* `checks`: the object belongs to the context that this thread has entered, exists, is not captured and not in doubt; lengths
  are equal; the thread is not inside a callback.
* `gate`: atomic steps that keep the destruction of an object away from calls that use it, and let only one thread destroy
  it (STREAM-07, EVENT-06, MEM-01).
* `stamps`: which work uses which memory, up to where the stream's work is done, and whether work failed (MEM-02, ERR-02).
* `handles`: atomic counts of the pointers to a row. With them a handle can be dropped or forgotten at any time.
* `row`: the row of a new object. Its number is never used again: 3. One atomic step claims the slot that the last object
  of this thread had: 13. The memory of that object's row is used again if nothing points to it, which includes weak
  pointers: 9. Its contents: 15. The row is put into its slot: 2. It is taken out, with the slot kept for the next row: 9.
* `state`: a model notes that its outputs are written.

| operation | C | pointer | frame | checks | gate | stamps | handles | row | state | floor | goal |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
";

const TAIL: &str = "
Where the floor is above the goal, the goal would be missed even without all checks. In the other rows it takes a smaller
frame, or fewer instructions of the other shares.
";

/// C, pointer, frame, checks, gate, stamps, handles, row, state.
const SHARES: [(Operation, [u64; 9]); 7] = [
    (Operation::Copy, [10, 4, 25, 17, 0, 9, 2, 0, 0]),
    (Operation::CopyAndWait, [17, 8, 35, 20, 6, 29, 4, 0, 0]),
    (Operation::Execute, [9, 4, 21, 20, 0, 10, 2, 0, 3]),
    (Operation::Synchronize, [7, 4, 23, 3, 5, 8, 0, 0, 0]),
    (Operation::CopyNow, [9, 4, 15, 5, 0, 0, 0, 0, 0]),
    (Operation::Run, [8, 4, 18, 13, 0, 0, 0, 0, 3]),
    (Operation::Stream, [26, 10, 26, 9, 6, 4, 4, 51, 0]),
];

/// The section, for these counts of the operations: raw, and in a scope.
pub(crate) fn section(counts: &[(Operation, u64, u64)]) -> String {
    let mut section = HEAD.to_owned();
    for (operation, shares) in SHARES {
        let raw = counts.iter().find(|counted| counted.0 == operation).map_or(0, |counted| counted.1);
        let floor = shares.iter().take(3).sum::<u64>().saturating_sub(raw);
        let cells = shares.map(|share| share.to_string()).join(" | ");
        writeln!(section, "| {} | {cells} | {floor} | {} |", operation.in_words(), operation.goal()).unwrap();
    }
    section + TAIL
}

/// What the shares have wrong, give or take `room`: sums, and which operations are above their goals.
pub(crate) fn stale(counts: &[(Operation, u64, u64)], room: u64) -> impl Iterator<Item = String> {
    counts.iter().filter_map(move |(operation, raw, safe)| {
        let name = operation.in_words();
        let is_above = safe.saturating_sub(*raw) > operation.goal();
        let shares = SHARES.iter().find(|shares| shares.0 == *operation);
        let Some((_, shares)) = shares else {
            return is_above.then(|| format!("OUT OF DATE: {name} is above its goal, and has no shares"));
        };
        if !is_above {
            return Some(format!("OUT OF DATE: {name} has reached its goal, and still has shares"));
        }
        let sum = shares.iter().sum::<u64>();
        (sum.abs_diff(*safe) > room)
            .then(|| format!("OUT OF DATE: {name}: {safe} instructions, the shares add up to {sum}"))
    })
}
