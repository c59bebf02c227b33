//! What came out, by operator.

use std::collections::BTreeMap;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/onnx/table.tsv");

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Right,
    /// The model was refused when it was loaded.
    Refused,
    /// The run failed and said why.
    Failed,
    Wrong,
}

impl Outcome {
    const ALL: [Self; 4] = [Self::Right, Self::Refused, Self::Failed, Self::Wrong];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Wrong => "wrong",
        }
    }
}

#[derive(Default)]
pub(crate) struct Table {
    rows: BTreeMap<String, [usize; 4]>,
}

impl Table {
    pub(crate) fn count(&mut self, group: &str, outcome: Outcome) {
        self.rows.entry(group.to_string()).or_default()[outcome as usize] += 1;
    }

    pub(crate) fn total(&self) -> String {
        let sum = |outcome: Outcome| self.rows.values().map(|row| row[outcome as usize]).sum::<usize>();
        let parts = Outcome::ALL.map(|outcome| format!("{} {}", sum(outcome), outcome.word()));
        parts.join(", ")
    }

    fn text(&self) -> String {
        let mut text = "operator\tright\trefused\tfailed\twrong\n".to_string();
        for (group, [right, refused, failed, wrong]) in &self.rows {
            text += &format!("{group}\t{right}\t{refused}\t{failed}\t{wrong}\n");
        }
        text
    }

    /// The table is the kept one; `DOCS=overwrite` keeps this one.
    pub(crate) fn compare_with_kept(&self) {
        let text = self.text();
        if std::env::var("DOCS").is_ok_and(|value| value == "overwrite") {
            return std::fs::write(FILE, text).unwrap();
        }
        let kept = std::fs::read_to_string(FILE).unwrap_or_default();
        let changed: Vec<&str> = text.lines().filter(|line| !kept.lines().any(|other| other == *line)).collect();
        assert!(text == kept, "{FILE} is out of date; DOCS=overwrite writes it anew:\n{}", changed.join("\n"));
    }
}
