//! What a line of a case names: where the call is made, the function, and its arguments.

/// Where a call is made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Main,
    /// A thread of this name, which stays.
    Thread(String),
    /// A thread that ends after the call.
    EndingThread(String),
    OtherContext,
    DeviceOne,
    /// Inside the callback of the case.
    Callback,
}

/// A call, as a line writes it.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) place: Place,
    pub(crate) function: &'static str,
    pub(crate) arguments: Vec<&'static str>,
    /// What stands behind the arguments.
    pub(crate) tail: &'static str,
}

impl Named {
    pub(crate) fn read(text: &'static str) -> Self {
        let (place, text) = place(text);
        let text = without_marks(text);
        let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
        let (function, rest) = text.split_at(end);
        let (arguments, tail) = match rest.strip_prefix('(') {
            Some(rest) => {
                let close = closing(rest);
                (split(&rest[..close]), rest.get(close + 1..).unwrap_or(""))
            }
            None => (Vec::new(), rest),
        };
        Self { place, function, arguments, tail: tail.trim() }
    }

    /// The argument at this place, or nothing.
    pub(crate) fn at(&self, place: usize) -> &'static str {
        self.arguments.get(place).copied().unwrap_or("")
    }

    /// Whether the text behind the function's name says this.
    pub(crate) fn says(&self, words: &str) -> bool {
        self.tail.contains(words) || self.arguments.iter().any(|argument| argument.contains(words))
    }
}

/// The marks at the end tell how a row was measured.
fn without_marks(mut text: &'static str) -> &'static str {
    while text.ends_with(']') {
        match text.rfind(" [") {
            Some(at) => text = &text[..at],
            None => return text,
        }
    }
    text
}

fn place(text: &'static str) -> (Place, &'static str) {
    let Some((name, rest)) = text.strip_prefix('[').and_then(|text| text.split_once("] ")) else {
        return (Place::Main, text);
    };
    let place = match name {
        "main" => Place::Main,
        "other context" => Place::OtherContext,
        "device 1" => Place::DeviceOne,
        "callback" => Place::Callback,
        "thread" | "thread that ends" => Place::EndingThread(name.to_owned()),
        other => Place::Thread(other.to_owned()),
    };
    (place, rest)
}

/// Where the parenthesis ends that was open.
fn closing(text: &str) -> usize {
    let mut depth = 1;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

fn split(text: &'static str) -> Vec<&'static str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '{' | '(' => depth += 1,
            '}' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// A number as the lines write it: `-1`, `0x10`, `2M`, `1<<40`.
pub(crate) fn number(text: &str) -> i64 {
    let text = text.trim();
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        return i64::from_str_radix(hexadecimal, 16).unwrap_or(0);
    }
    if let Some((left, right)) = text.split_once("<<") {
        return number(left) << number(right);
    }
    if let Some(megabytes) = text.strip_suffix('M') {
        return number(megabytes) << 20;
    }
    text.parse().unwrap_or(0)
}
