//! Draws a state diagram as SVG.
//!
//! The states stand in a column, in the order in which they are first reached. Arrows between neighbours are straight.
//! Other arrows down are bows on the right, arrows up are bows on the left; a longer bow is further out. What keeps a
//! state is written into its box.

use std::fmt::Write as _;

const ROW: i32 = 92;
const TOP: i32 = 30;
const HALF: i32 = 22;
/// The width of a character, and of the smallest box.
const CHARACTER: i32 = 8;
const BOX: i32 = 120;
/// How much further out a bow is for each row that it passes.
const BOW: i32 = 52;

/// An arrow, with the operations that lead that way.
struct Arrow {
    from: usize,
    to: usize,
    labels: Vec<String>,
}

struct Chart {
    states: Vec<String>,
    /// The operations that keep a state, by its row.
    kept: Vec<Vec<String>>,
    arrows: Vec<Arrow>,
}

/// The picture of a Mermaid `stateDiagram-v2`, each line of the form `    A --> B : operation`.
pub fn svg(name: &str, diagram: &str) -> String {
    let chart = Chart::read(diagram);
    let kept = (0..chart.states.len()).map(|row| chart.kept(row));
    let texts = chart.states.iter().cloned().chain(kept.flatten());
    let widest = texts.map(|text| width(&text)).max().unwrap_or(BOX).max(BOX);
    let left = chart.margin(Arrow::is_left) + 20;
    let middle = left + widest / 2;
    let size = (left + widest + chart.margin(Arrow::is_right) + 20, TOP * 2 + ROW * (chart.rows() - 1));
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"14\">\n<title>The life cycle of {name}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <defs><marker id=\"head\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto-start-reverse\"><path d=\"M0 0L10 5L0 10z\" fill=\"#40566b\"/></marker></defs>\n",
        size.0, size.1, size.0, size.1
    );
    for arrow in &chart.arrows {
        picture.push_str(&arrow.path(middle, widest / 2, chart.states.len() - 1));
    }
    for (row, state) in chart.states.iter().enumerate() {
        picture.push_str(&chart.state(row, state, middle, widest));
    }
    for arrow in &chart.arrows {
        picture.push_str(&arrow.text(middle, widest / 2));
    }
    picture + "</svg>\n"
}

impl Chart {
    /// The start is the first state, and the end the last one.
    fn read(diagram: &str) -> Self {
        let lines: Vec<_> = diagram.lines().filter_map(step).collect();
        let mut states = vec!["start".to_owned()];
        let inner = lines.iter().flat_map(|(from, to, _)| [from, to]).filter(|state| **state != "[*]");
        for state in inner {
            if !states.iter().any(|known| known == state) {
                states.push((*state).to_owned());
            }
        }
        let last = states.len();
        states.push("end".to_owned());
        let row = |state: &str, outside| states.iter().position(|known| known == state).unwrap_or(outside);
        let mut arrows: Vec<Arrow> = Vec::new();
        let mut kept = vec![Vec::new(); states.len()];
        for (from, to, label) in &lines {
            let (from, to) = (row(from, 0), row(to, last));
            if let Some(own) = kept.get_mut(from).filter(|_| from == to) {
                own.push((*label).to_owned());
                continue;
            }
            match arrows.iter_mut().find(|arrow| arrow.from == from && arrow.to == to) {
                Some(arrow) => arrow.labels.push((*label).to_owned()),
                None => arrows.push(Arrow { from, to, labels: vec![(*label).to_owned()] }),
            }
        }
        Self { states, kept, arrows }
    }

    fn rows(&self) -> i32 {
        i32::try_from(self.states.len()).unwrap_or(i32::MAX)
    }

    /// The room that the bows of one side and their labels need.
    fn margin(&self, side: fn(&Arrow) -> bool) -> i32 {
        self.arrows
            .iter()
            .filter(|arrow| side(arrow))
            .map(|arrow| arrow.reach() + arrow.label_width())
            .max()
            .unwrap_or(0)
    }

    fn state(&self, row: usize, state: &str, middle: i32, widest: i32) -> String {
        let y = y(row);
        if row == 0 {
            return format!("<circle cx=\"{middle}\" cy=\"{y}\" r=\"8\" fill=\"#40566b\"/>\n");
        }
        if row + 1 == self.states.len() {
            return format!(
                "<circle cx=\"{middle}\" cy=\"{y}\" r=\"10\" fill=\"#ffffff\" stroke=\"#40566b\" stroke-width=\"2\"/>\n\
                 <circle cx=\"{middle}\" cy=\"{y}\" r=\"5\" fill=\"#40566b\"/>\n"
            );
        }
        let (x, top, height) = (middle - widest / 2, y - HALF, 2 * HALF);
        let kept = self.kept(row);
        let name = if kept.is_some() { y - 3 } else { y + 5 };
        let kept = kept.map(|kept| {
            let place = format!("x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" font-size=\"12\"", y + 14);
            format!("<text {place} fill=\"#9a3412\">{kept}</text>\n")
        });
        format!(
            "<rect x=\"{x}\" y=\"{top}\" width=\"{widest}\" height=\"{height}\" rx=\"8\" fill=\"#e8f0f7\" \
             stroke=\"#40566b\"/>\n<text x=\"{middle}\" y=\"{name}\" text-anchor=\"middle\" \
             fill=\"#102030\">{state}</text>\n{}",
            kept.unwrap_or_default()
        )
    }

    /// What is written into a state's box besides its name.
    fn kept(&self, row: usize) -> Option<String> {
        let kept = self.kept.get(row).filter(|kept| !kept.is_empty())?;
        Some(format!("↻ {}", kept.join(", ")))
    }
}

impl Arrow {
    fn is_straight(&self) -> bool {
        self.to == self.from + 1
    }

    fn is_left(&self) -> bool {
        self.to < self.from
    }

    fn is_right(&self) -> bool {
        !self.is_left() && !self.is_straight()
    }

    /// How many rows a bow passes.
    fn span(&self) -> i32 {
        i32::try_from(self.to.abs_diff(self.from)).unwrap_or(1)
    }

    fn reach(&self) -> i32 {
        BOW * (self.span() - i32::from(!self.is_left())).max(1)
    }

    fn label_width(&self) -> i32 {
        self.labels.iter().map(|label| width(label)).max().unwrap_or(0)
    }

    fn path(&self, middle: i32, half: i32, last: usize) -> String {
        let (from, to) = (y(self.from), y(self.to));
        let line = if self.is_straight() {
            format!(
                "M{middle} {} L{middle} {}",
                from + if self.from == 0 { 8 } else { HALF },
                to - if self.to == last { 12 } else { HALF }
            )
        } else {
            let side = if self.is_left() { -1 } else { 1 };
            // Start and end are smaller than a state.
            let edge = |row| if row == 0 || row == last { 12 } else { half };
            let (start, end) = (middle + side * edge(self.from), middle + side * edge(self.to));
            // A bow reaches three quarters of the way to its control points.
            let out = middle + side * (half + self.reach() * 4 / 3);
            let (leave, arrive) = (from + 5 * side, to - 5 * side);
            format!("M{start} {leave} C{out} {leave} {out} {arrive} {end} {arrive}")
        };
        format!(
            "<path d=\"{line}\" fill=\"none\" stroke=\"#40566b\" stroke-width=\"1.5\" marker-end=\"url(#head)\"/>\n"
        )
    }

    fn text(&self, middle: i32, half: i32) -> String {
        let centre = i32::midpoint(y(self.from), y(self.to));
        let (x, anchor) = match () {
            () if self.is_straight() => (middle + 8, "start"),
            () if self.is_left() => (middle - half - self.reach() - 4, "end"),
            () => (middle + half + self.reach() + 4, "start"),
        };
        let count = i32::try_from(self.labels.len()).unwrap_or(1);
        let mut text = String::new();
        for (label, number) in self.labels.iter().zip(0..) {
            let y = centre + 5 + 16 * number - 8 * (count - 1);
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"#9a3412\" stroke=\"#ffffff\" \
                 stroke-width=\"4\" paint-order=\"stroke\">{label}</text>"
            );
        }
        text
    }
}

/// `    A --> B : operation`
fn step(line: &str) -> Option<(&str, &str, &str)> {
    let (from, rest) = line.trim().split_once(" --> ")?;
    let (to, label) = rest.split_once(" : ")?;
    Some((from, to, label))
}

fn y(row: usize) -> i32 {
    TOP + ROW * i32::try_from(row).unwrap_or(0)
}

fn width(text: &str) -> i32 {
    CHARACTER * i32::try_from(text.chars().count()).unwrap_or(0) + 16
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "stateDiagram-v2\n    [*] --> Open : open\n    Open --> Open : read\n    Open --> Mapped : map\n    \
                        Mapped --> Open : unmap\n    Open --> [*] : close\n    Open --> [*] : close fails\n";

    #[test]
    fn each_state_and_each_operation_is_in_the_picture() {
        let picture = svg("file", FILE);
        for text in ["Open", "Mapped", "open", "↻ read", "map", "unmap", "close", "close fails"] {
            assert!(picture.contains(&format!(">{text}</text>")), "{text}");
        }
        assert_eq!(picture.matches("marker-end").count(), 4, "two operations on one way share an arrow");
    }

    #[test]
    fn it_fits_into_its_frame() {
        let picture = svg("file", FILE);
        let (_, rest) = picture.split_once("viewBox=\"0 0 ").unwrap();
        let size: Vec<i32> = rest.split('"').next().unwrap().split(' ').map(|part| part.parse().unwrap()).collect();
        for part in picture.split("<text x=\"").skip(1) {
            let x: i32 = part.split('"').next().unwrap().parse().unwrap();
            assert!(x > 0 && x < size[0], "{x} of {}", size[0]);
        }
    }
}
