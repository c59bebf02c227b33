//! Configuration files in JSON.
//!
//! This reader stands here because `serde_json` implements comparisons for all numbers: with it among the dependencies,
//! `assert_eq!(numbers, [])` does not compile any more in the tests of programs.

/// A value, as far as configuration files of the simulator have a use for it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Value {
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
    /// As it is written.
    Number(String),
    /// `true`, `false` or `null`.
    #[default]
    Other,
}

impl Value {
    /// The last entry of an object with this name.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(entries) = self else { return None };
        entries.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_number(&self) -> Option<&str> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }
}

/// `Err` has the offset of the first byte that does not belong there.
pub(super) fn read(text: &[u8]) -> Result<Value, usize> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let mut reader = Reader { text, at: 0 };
    reader.space();
    let value = reader.value(0)?;
    reader.space();
    if reader.at == text.len() { Ok(value) } else { Err(reader.at) }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Value, usize> {
        const DEEPEST: usize = 128;
        match self.peek() {
            Some(b'{') if depth < DEEPEST => {
                let entries = self.list(b'}', |reader| {
                    let name = reader.string()?;
                    reader.space();
                    reader.expect(b':')?;
                    reader.space();
                    Ok((name, reader.value(depth + 1)?))
                });
                entries.map(Value::Object)
            }
            Some(b'[') if depth < DEEPEST => self.list(b']', |reader| reader.value(depth + 1)).map(Value::List),
            Some(b'"') => self.string().map(Value::Text),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.at),
        }
    }

    fn list<T>(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Result<T, usize>) -> Result<Vec<T>, usize> {
        self.at += 1;
        self.space();
        let mut items = Vec::new();
        if self.take(end) {
            return Ok(items);
        }
        loop {
            self.space();
            items.push(item(self)?);
            self.space();
            if self.take(end) {
                return Ok(items);
            }
            self.expect(b',')?;
        }
    }

    fn string(&mut self) -> Result<String, usize> {
        self.expect(b'"')?;
        // In UTF-16 units, as escapes are, so that two of them can be one character.
        let mut units = Vec::new();
        loop {
            let (start, byte) = (self.at, self.peek());
            self.at += 1;
            match byte {
                Some(b'"') => return Ok(String::from_utf16_lossy(&units)),
                Some(b'\\') => units.push(self.escaped()?),
                Some(0..0x20) | None => return Err(start),
                Some(_) => {
                    let is_inside = |byte: u8| !matches!(byte, b'"' | b'\\' | 0..0x20);
                    while self.peek().is_some_and(is_inside) {
                        self.at += 1;
                    }
                    let plain = self.text.get(start..self.at).unwrap_or_default();
                    units.extend(String::from_utf8_lossy(plain).encode_utf16());
                }
            }
        }
    }

    fn escaped(&mut self) -> Result<u16, usize> {
        let byte = self.peek();
        let unit = match byte {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => return self.unit(),
            _ => return Err(self.at),
        };
        self.at += 1;
        Ok(unit.into())
    }

    /// `u` and four digits.
    fn unit(&mut self) -> Result<u16, usize> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16)).ok_or(self.at)?;
            self.at += 1;
            unit = unit << 4 | digit as u16;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<Value, usize> {
        let start = self.at;
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
        let number = self.text.get(start..self.at).unwrap_or_default();
        Ok(Value::Number(String::from_utf8_lossy(number).into_owned()))
    }

    fn digits(&mut self) -> Result<(), usize> {
        self.peek().filter(u8::is_ascii_digit).ok_or(self.at)?;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<Value, usize> {
        word.iter().try_for_each(|byte| self.expect(*byte))?;
        Ok(Value::Other)
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
    use super::{Value, read};

    #[test]
    fn json_is_accepted_and_anything_else_is_not() {
        for good in ["{}", " [1, -2.5e+3, \"a\\u00e9\\n\", true, null, {\"a\": {}}] ", "0"] {
            assert!(read(good.as_bytes()).is_ok(), "{good}");
        }
        for (bad, at) in [("", 0), ("{", 1), ("{a:1}", 1), ("[1,]", 3), ("{} x", 3), ("01", 1), ("\"\\x\"", 2)] {
            assert_eq!(read(bad.as_bytes()), Err(at), "{bad}");
        }
        assert!(read("[".repeat(100_000).as_bytes()).is_err());
    }

    #[test]
    fn texts_and_entries_have_their_values() {
        let value =
            read(br#"{"a": ["x\u00e9\n", "\ud83d\ude00/\/", 1], "a\"": {}, "twice": 1, "twice": "2"}"#).unwrap();
        let Some(Value::List(list)) = value.get("a") else { panic!("{value:?}") };
        assert_eq!(list.iter().map(Value::as_text).collect::<Vec<_>>(), [Some("x\u{e9}\n"), Some("\u{1f600}//"), None]);
        assert_eq!(value.get("a\""), Some(&Value::Object(Vec::new())));
        assert_eq!(value.get("twice").and_then(Value::as_text), Some("2"));
        assert_eq!(value.get("b"), None);
    }
}
