//! What is solved.

use crate::Result;
use crate::compiler::{Compiler, Outcome};
use crate::exercises::{EXERCISES, Exercise};
use std::fs;
use std::path::Path;

pub(crate) struct Progress(Vec<(&'static Exercise, bool)>);

impl Progress {
    /// Compiles and runs each program that the reader has changed.
    pub(crate) fn of(folder: &Path, compiler: &Compiler) -> Result<Self> {
        let mut all = Vec::new();
        for exercise in EXERCISES {
            let file = exercise.file(folder);
            let changed = fs::read_to_string(&file)? != exercise.unsolved;
            all.push((exercise, changed && matches!(compiler.run(&file)?, Outcome::Solved)));
        }
        Ok(Self(all))
    }

    /// The first exercise that is not solved.
    pub(crate) fn next(&self) -> Option<&'static Exercise> {
        self.0.iter().find(|(_, solved)| !solved).map(|(exercise, _)| *exercise)
    }

    pub(crate) fn table(&self) -> String {
        let next = self.next().map(|exercise| exercise.name);
        let mut table = String::new();
        for (exercise, solved) in &self.0 {
            let mark = if *solved { 'x' } else { ' ' };
            let arrow = if next == Some(exercise.name) { "  <- next" } else { "" };
            table.push_str(&format!("[{mark}] {:<16} {}{arrow}\n", exercise.name, exercise.task));
        }
        let solved = self.0.iter().filter(|(_, solved)| *solved).count();
        table + &format!("\n{solved} of {} solved.\n\n", self.0.len())
    }

    /// Where the exercise is, and what is wrong with it.
    pub(crate) fn report(&self, exercise: &Exercise, folder: &Path, compiler: &Compiler) -> Result<String> {
        let file = exercise.file(folder);
        let place = format!("{}: edit {}\n", exercise.name, file.display());
        let chapter = format!("The chapter is book/pages/{}\n\n", exercise.page);
        let name = exercise.name;
        let advice = format!("\n`cargo run -p ascendcl-exercises -- --hint {name}` prints a hint.\n");
        let (what, advice) = match compiler.run(&file)? {
            Outcome::Solved => ("It compiles and runs to its end.\n".to_owned(), String::new()),
            Outcome::Refused(message) => (format!("The compiler says:\n\n{}\n", message.trim_end()), advice),
            Outcome::Failed(output) => {
                (format!("It compiles, but it does not run to its end:\n\n{}\n", output.trim_end()), advice)
            }
        };
        Ok(place + &chapter + &what + &advice)
    }
}
