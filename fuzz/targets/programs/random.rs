//! The numbers that choose a program, two bytes of the input each. In `tests/random_programs` they come from a seed.

pub(crate) struct Random(std::vec::IntoIter<u8>);

impl Random {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self(bytes.to_vec().into_iter())
    }

    /// Zero after the last byte.
    pub(crate) fn next(&mut self) -> u64 {
        let mut byte = || self.0.next().unwrap_or(0);
        u64::from(u16::from_le_bytes([byte(), byte()]))
    }
}
