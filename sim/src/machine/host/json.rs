//! Whether a text is JSON.

/// `Err` has the offset of the first byte that does not belong there.
pub(in crate::machine) fn check(text: &[u8]) -> Result<(), usize> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let mut reader = Reader { text, at: 0 };
    reader.space();
    reader.value(0)?;
    reader.space();
    if reader.at == text.len() { Ok(()) } else { Err(reader.at) }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<(), usize> {
        const DEEPEST: usize = 128;
        match self.peek() {
            Some(b'{') if depth < DEEPEST => self.list(b'}', |reader| {
                reader.string()?;
                reader.space();
                reader.expect(b':')?;
                reader.space();
                reader.value(depth + 1)
            }),
            Some(b'[') if depth < DEEPEST => self.list(b']', |reader| reader.value(depth + 1)),
            Some(b'"') => self.string(),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.at),
        }
    }

    fn list(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Result<(), usize>) -> Result<(), usize> {
        self.at += 1;
        self.space();
        if self.take(end) {
            return Ok(());
        }
        loop {
            self.space();
            item(self)?;
            self.space();
            if self.take(end) {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    fn string(&mut self) -> Result<(), usize> {
        self.expect(b'"')?;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    match self.peek() {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
                        Some(b'u') => {
                            self.at += 1;
                            for _ in 0..4 {
                                self.peek().filter(u8::is_ascii_hexdigit).ok_or(self.at)?;
                                self.at += 1;
                            }
                        }
                        _ => return Err(self.at),
                    }
                }
                Some(0..0x20) | None => return Err(self.at),
                Some(_) => self.at += 1,
            }
        }
    }

    fn number(&mut self) -> Result<(), usize> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), usize> {
        self.peek().filter(u8::is_ascii_digit).ok_or(self.at)?;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), usize> {
        word.iter().try_for_each(|byte| self.expect(*byte))
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), usize> {
        if self.take(byte) { Ok(()) } else { Err(self.at) }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn json_is_accepted_and_anything_else_is_not() {
        for good in ["{}", " [1, -2.5e+3, \"a\\u00e9\\n\", true, null, {\"a\": {}}] ", "0"] {
            assert_eq!(check(good.as_bytes()), Ok(()), "{good}");
        }
        for (bad, at) in [("", 0), ("{", 1), ("{a:1}", 1), ("[1,]", 3), ("{} x", 3), ("01", 1), ("\"\\x\"", 2)] {
            assert_eq!(check(bad.as_bytes()), Err(at), "{bad}");
        }
        assert!(check("[".repeat(100_000).as_bytes()).is_err());
    }
}
