//! `index.md` for people, and `summary.json` for programs.

use super::ground::Ground;
use super::part::{Done, Status};
use super::table::markdown;
use serde_json::{Map, Value, json};

pub(crate) fn write(ground: &Ground, done: &[Done]) -> Result<(), String> {
    let about = about(ground);
    ground.write("index.md", &page(&about, done))?;
    let parts: Vec<_> = done.iter().map(part).collect();
    let about: Map<_, _> = about.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
    let summary = json!({ "about": about, "passed": count(done, Status::Passed), "failed": count(done, Status::Failed),
        "skipped": count(done, Status::Skipped), "seconds": seconds(done), "parts": parts });
    ground.write("summary.json", &format!("{summary:#}\n"))
}

/// The facts about the run: the examined sources, and the tools.
fn about(ground: &Ground) -> Vec<(&'static str, String)> {
    let said = |program: &str, arguments: &[&str]| {
        let text = ground.output(ground.command(program).args(arguments)).unwrap_or_else(|_| "unknown".to_owned());
        text.trim().to_owned()
    };
    let changed = said("git", &["status", "--porcelain"]);
    vec![
        ("commit", said("git", &["rev-parse", "HEAD"])),
        ("changed files", if changed.is_empty() { 0 } else { changed.lines().count() }.to_string()),
        ("compiler", said("rustc", &["--version"])),
        ("target", format!("{} {}", std::env::consts::ARCH, std::env::consts::OS)),
        ("finished", said("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"])),
    ]
}

fn count(done: &[Done], status: Status) -> usize {
    done.iter().filter(|done| done.outcome.status == status).count()
}

fn seconds(done: &[Done]) -> f64 {
    done.iter().map(|done| done.seconds).sum::<f64>().round()
}

fn page(about: &[(&str, String)], done: &[Done]) -> String {
    let about: Vec<_> = about.iter().map(|(name, value)| vec![(*name).to_owned(), value.clone()]).collect();
    let rows: Vec<_> = done
        .iter()
        .map(|done| {
            let outcome = &done.outcome;
            let files: Vec<_> = outcome.files.iter().map(|file| format!("[{file}]({file})")).collect();
            let status = match outcome.status {
                Status::Passed => "passed".to_owned(),
                status => format!("**{}**", status.word()),
            };
            let took = format!("{:.0} s", done.seconds);
            vec![
                done.part.name.to_owned(),
                done.part.shows.to_owned(),
                status,
                outcome.says.clone(),
                took,
                files.join(", "),
            ]
        })
        .collect();
    format!(
        "# Evidence\n\nWritten by `.ci/evidence`. `docs/evidence.md` in the repository says what each part does not \
         show.\n\n{}\n{} parts passed, {} failed, {} skipped, in {:.0} s.\n\n{}",
        markdown(&["about", ""], &about),
        count(done, Status::Passed),
        count(done, Status::Failed),
        count(done, Status::Skipped),
        seconds(done),
        markdown(&["part", "what it shows", "status", "result", "time", "files"], &rows)
    )
}

fn part(done: &Done) -> Value {
    let outcome = &done.outcome;
    let facts: Map<_, _> = outcome.facts.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    json!({ "name": done.part.name, "shows": done.part.shows, "status": outcome.status.word(), "says": outcome.says,
        "seconds": (done.seconds * 10.0).round() / 10.0, "facts": facts, "files": outcome.files })
}
