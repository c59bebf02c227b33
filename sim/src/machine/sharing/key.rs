//! Keys: as a text, or as a number.

use super::no_export;
use crate::failure::{Answer, Failure};
use std::hash::{BuildHasher, RandomState};

/// Names a record of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) struct Key {
    pub(in crate::machine) process: u32,
    pub(super) descriptor: u32,
    /// Differs between records that have had the same number in the same process.
    pub(super) nonce: u32,
}

const PREFIX: &str = "ascendcl-sim";
/// The bits of a number, which has 64: the largest process id of Linux takes 22.
const PROCESS: u32 = 22;
const DESCRIPTOR: u32 = 20;
const NONCE: u32 = 22;

impl Key {
    pub(super) fn new(descriptor: u32) -> Self {
        let nonce = RandomState::new().hash_one(descriptor) as u32 & low(NONCE) as u32;
        Self { process: std::process::id(), descriptor, nonce }
    }

    /// At most 64 bytes: the keys of the vendor's library have room for 65, with the zero at the end.
    pub(in crate::machine) fn text(self) -> String {
        format!("{PREFIX}-{}-{}-{}", self.process, self.descriptor, self.nonce)
    }

    pub(in crate::machine) fn from_text(text: &str) -> Answer<Self> {
        let mut parts = text.strip_prefix(PREFIX).unwrap_or_default().split('-').skip(1);
        let mut part = || parts.next().and_then(|part| part.parse::<u32>().ok());
        match (part(), part(), part()) {
            (Some(process), Some(descriptor), Some(nonce)) => Ok(Self { process, descriptor, nonce }),
            _ => Err(Failure::refused(format!("`{text}` is no key that this library has given out"))),
        }
    }

    /// The key of an import. A text that is none is the program's mistake.
    pub(in crate::machine) fn of_import(text: &str) -> Answer<Self> {
        Self::from_text(text).map_err(no_export)
    }

    pub(in crate::machine) fn number(self) -> Answer<u64> {
        let [process, descriptor, nonce] = [self.process, self.descriptor, self.nonce].map(u64::from);
        if process > low(PROCESS) || descriptor > low(DESCRIPTOR) {
            let text = format!("file {descriptor} of process {process} does not fit into a number of 64 bits");
            return Err(Failure::unsupported(text));
        }
        Ok((nonce << (PROCESS + DESCRIPTOR)) | (descriptor << PROCESS) | process)
    }

    pub(in crate::machine) fn from_number(number: u64) -> Self {
        let part = |at: u32, bits| ((number >> at) & low(bits)) as u32;
        Self {
            process: part(0, PROCESS),
            descriptor: part(PROCESS, DESCRIPTOR),
            nonce: part(PROCESS + DESCRIPTOR, NONCE),
        }
    }
}

fn low(bits: u32) -> u64 {
    (1 << bits) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_from_texts_and_numbers() {
        for descriptor in [0, 3, 1 << 19, (1 << 20) - 1] {
            let key = Key::new(descriptor);
            let largest = Key { process: 4_194_304 - 1, nonce: (1 << 22) - 1, ..key };
            for key in [key, largest] {
                assert_eq!(Key::from_text(&key.text()), Ok(key));
                assert_eq!(key.number().map(Key::from_number), Ok(key));
                assert!(key.text().len() < 65, "{}", key.text());
            }
        }
        assert!(Key { descriptor: 1 << 20, ..Key::new(0) }.number().is_err());
        for text in ["", "name", "ascendcl-sim", "ascendcl-sim-1-2", "ascendcl-sim-1-2-x", "ascendcl-sim--1-2-3"] {
            assert!(Key::from_text(text).is_err(), "{text}");
        }
    }
}
