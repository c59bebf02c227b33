//! Rust sources as text, without comments and string literals.

/// The source with a space in place of each byte of comments, string literals and character literals. Lines stay in
/// place.
pub(crate) fn code_only(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut code = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied().unwrap_or(b' ');
        let skip = skipped(rest, before);
        if skip == 0 {
            code.push(*byte);
            at += 1;
        } else {
            let left_out = rest.get(..skip).unwrap_or(rest);
            code.extend(left_out.iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }));
            at += left_out.len();
        }
    }
    // The replaced ranges are whole comments and literals, so no character outside of them was cut.
    String::from_utf8_lossy(&code).into_owned()
}

/// The number of bytes at the beginning that are not code.
fn skipped(rest: &[u8], before: u8) -> usize {
    let in_a_word = before.is_ascii_alphanumeric() || before == b'_';
    match rest {
        [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => block_comment(rest),
        [b'"', ..] => text(rest),
        [b'r', b'"' | b'#', ..] if !in_a_word => raw_text(rest, 1),
        [b'b' | b'c', b'r', b'"' | b'#', ..] if !in_a_word => raw_text(rest, 2),
        [b'\'', ..] => character(rest),
        _ => 0,
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(pair) = rest.get(at..at + 2) {
        match pair {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth.saturating_sub(1), at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn text(rest: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a raw string literal, such as `r#"…"#`, or 0 if the text is a raw name, such as `r#type`.
fn raw_text(rest: &[u8], prefix: usize) -> usize {
    let after = rest.get(prefix..).unwrap_or_default();
    let hashes = after.iter().take_while(|byte| **byte == b'#').count();
    if after.get(hashes) != Some(&b'"') {
        return 0;
    }
    let end = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
    let begin = prefix + hashes + 1;
    let body = rest.get(begin..).unwrap_or_default();
    body.windows(end.len()).position(|window| window == end).map_or(rest.len(), |at| begin + at + end.len())
}

/// The length of a character literal, or 0 if the text is a lifetime.
fn character(rest: &[u8]) -> usize {
    match rest {
        [_, b'\\', _, more @ ..] => more.iter().position(|byte| *byte == b'\'').map_or(0, |end| end + 4),
        [_, first, ..] => {
            let length = match first {
                0x00..=0x7f => 1,
                0x80..=0xdf => 2,
                0xe0..=0xef => 3,
                _ => 4,
            };
            if rest.get(length + 1) == Some(&b'\'') { length + 2 } else { 0 }
        }
        _ => 0,
    }
}

/// Code with spaces in place of the modules and items under `#[cfg(test)]`.
pub(crate) fn without_tests(code: &str) -> String {
    let mut kept = code.to_owned();
    while let Some(begin) = kept.find("#[cfg(test)]") {
        let rest = kept.get(begin..).unwrap_or_default();
        let length = item(rest);
        let blank: String = rest.chars().take(length).map(|letter| if letter == '\n' { '\n' } else { ' ' }).collect();
        let end = begin + rest.chars().take(length).map(char::len_utf8).sum::<usize>();
        kept.replace_range(begin..end, &blank);
    }
    kept
}

/// The length of the first item. It ends with its `;`, or with the brace that ends its body.
fn item(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, letter) in code.chars().enumerate() {
        match letter {
            ';' if depth == 0 => return at + 1,
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            _ => (),
        }
    }
    code.chars().count()
}

#[cfg(test)]
mod tests {
    use super::{code_only, without_tests};

    #[test]
    fn comments_and_texts_are_no_code_and_lines_stay() {
        let source = "let a = \"un\\\"safe {\"; // unsafe\n/* unsafe /* { */ } */ let b = r#\"unsafe \" {\"#;\nlet c = '\\''; let d: &'a str = b\"x\"; '{'; r#type()";
        let code = code_only(source);
        assert!(!code.contains("unsafe") && !code.contains('{') && !code.contains('}'), "{code}");
        assert_eq!(code.lines().count(), 3);
        assert!(code.contains("let c =") && code.contains("&'a str") && code.contains("r#type()"), "{code}");
    }

    #[test]
    fn what_is_compiled_for_tests_alone_is_left_out() {
        let code = without_tests(
            "fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() {}\n}\nfn c() {}\n#[cfg(test)]\nuse d;\nfn e() {}",
        );
        assert!(!code.contains("fn b") && !code.contains("use d"), "{code}");
        assert!(code.contains("fn a") && code.contains("fn c") && code.contains("fn e"), "{code}");
        assert_eq!(code.lines().count(), 9);
    }
}
