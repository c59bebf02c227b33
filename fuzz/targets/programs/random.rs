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

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[(self.next() % all.len() as u64) as usize]
    }

    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}
