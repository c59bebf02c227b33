//! The exercises, in the order of the book.

use std::path::{Path, PathBuf};

pub(crate) struct Exercise {
    /// The file without `.rs`.
    pub(crate) name: &'static str,
    /// The chapter: a file in `book/pages`.
    pub(crate) page: &'static str,
    /// What it is about.
    pub(crate) task: &'static str,
    /// A program of `ui-tests/fail` whose message has the same first line, but for names in it.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test compares the messages"))]
    pub(crate) like: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) unsolved: &'static str,
}

impl Exercise {
    pub(crate) fn file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.rs", self.name))
    }
}

macro_rules! exercises {
    ($($name:literal $page:literal: $task:literal, $like:literal, $hint:literal;)*) => {
        pub(crate) static EXERCISES: &[Exercise] = &[$(Exercise {
            name: $name,
            page: $page,
            task: $task,
            like: $like,
            hint: $hint,
            unsolved: include_str!(concat!("../programs/", $name, ".rs")),
        }),*];
    };
}

exercises! {
    "01_tour" "tour.md": "read the result of a copy",
        "buffer_touched_in_flight",
        "the buffer is inside `copy` until somebody waits: `let (host, device) = copy.wait(current)?;`";
    "02_concepts" "concepts.md": "work in a context on another thread",
        "current_used_on_another_thread",
        "the thread enters the context itself: `context.enter(&mut Thread::new()?, |current| …)`";
    "03_memory" "memory.md": "read a new buffer",
        "unwritten_buffer_read",
        "a new buffer holds anything; `zero` or `write` gives one that can be read";
    "04_streams" "streams.md": "queue two copies and read the second one",
        "outputs_read_in_flight",
        "`split` gives a `Pending` for each buffer, for more work on the same stream; `wait` gives the buffers";
    "05_models" "models.md": "run a model on a stream",
        "model_on_an_undecided_stream",
        "decide for the library's own memory: `without_allocator`";
    "06_allocators" "allocators.md": "run an operator with memory from a pool",
        "register_after_the_first_operator",
        "register the pool before the first execution, on a stream whose allocator is not decided";
    "07_life_cycles" "life-cycles.md": "let a stream wait for another one",
        "event_awaited_before_it_is_recorded",
        "`record` takes the event and returns it in the state `Recorded`";
    "08_services" "services.md": "use two runtimes in one struct",
        "stream_of_another_runtime",
        "the stream was made in the other runtime: use it inside of that one's `with`";
    "09_threads" "threads.md": "share a stream between threads",
        "stream_shared_by_two_threads",
        "a stream goes to one thread: give each thread a stream of its own";
    "10_foreign" "foreign.md": "queue a function that the safe layer does not have",
        "foreign_work_without_unsafe",
        "write `unsafe { … }` around the call, and say in a comment why what it promises is true";
    "11_errors" "errors.md": "try again after a failure",
        "two_streams_of_an_allocator_at_once",
        "a step that fails gives its value back: `failed.value`";
    "12_simulator" "simulator.md": "let the first allocation fail",
        "stream_of_another_runtime",
        "a plan is parsed from its text: `\"aclrtMalloc#1=207001\".parse()?`";
    "13_rules" "rules.md": "give a device back after its context",
        "device_reset_in_a_context",
        "a context borrows its device: move the reset behind the end of the scope";
    "14_from_cpp" "from-cpp.md": "release in the right order",
        "library_closed_under_a_device",
        "the order of release is the opposite of the order of creation: first `reset`, then `close`";
    "15_from_cuda" "from-cuda.md": "hand work from one stream to another",
        "buffer_on_two_streams_at_once",
        "record an event behind the work, and let the other stream take it over: `reads.adopt_after(current, work, &written)?`";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::{Compiler, Outcome};
    use std::fs;

    fn here() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    /// The first lines of the errors, without the names in them.
    fn errors(message: &str) -> Vec<String> {
        let first = message.lines().filter(|line| line.starts_with("error") && !line.contains(": aborting due to"));
        first.map(|line| line.split('`').step_by(2).collect::<Vec<_>>().join("`…`")).collect()
    }

    #[test]
    fn each_exercise_is_refused_for_the_stated_reason_and_no_other() {
        let compiler = Compiler::new(&here().join("../target/exercises-refused")).unwrap();
        let mut wrong = Vec::new();
        for exercise in EXERCISES {
            let Outcome::Refused(message) = compiler.run(&exercise.file(&here().join("programs"))).unwrap() else {
                panic!("{} compiles", exercise.name);
            };
            let program = here().join(format!("../ui-tests/fail/{}.stderr", exercise.like));
            let expected = errors(&fs::read_to_string(program).unwrap());
            if errors(&message) != expected {
                wrong.push(format!("{}: expected {expected:?}, found\n{message}", exercise.name));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn the_exercises_follow_the_chapters_of_the_book() {
        let contents = fs::read_to_string(here().join("../book/pages/SUMMARY.md")).unwrap();
        let places: Vec<_> = EXERCISES.iter().map(|exercise| contents.find(&format!("({})", exercise.page))).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
        for (exercise, number) in EXERCISES.iter().zip(1..) {
            assert!(exercise.name.starts_with(&format!("{number:02}_")), "{}", exercise.name);
            let page = fs::read_to_string(here().join("../book/pages").join(exercise.page)).unwrap();
            assert!(page.contains(&format!("`{}`", exercise.name)), "{} does not name its exercise", exercise.page);
        }
    }
}
