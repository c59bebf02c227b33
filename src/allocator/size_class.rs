//! The sizes of blocks: four for each power of two.
//!
//! A returned block fits the next request of a similar size, and rounding wastes at most a fifth of a large block.

/// One of the sizes: its bytes, and its number, counted from the smallest size. One word has both: the bytes are a
/// multiple of the grain, and the number, which is less than a grain, is in the lower bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SizeClass(usize);

/// The smallest size, and the alignment of all blocks. It is enough for any work on the device.
pub(crate) const GRAIN: usize = 1 << GRAIN_BITS;
const GRAIN_BITS: u32 = 9;
/// Up to this size, all multiples of the grain are sizes. From here on there are four for each power of two.
const EVEN_BITS: u32 = GRAIN_BITS + 3;
const EVEN: usize = 1 << EVEN_BITS;
/// How many sizes there are up to there.
const EVEN_SIZES: usize = EVEN / GRAIN;
/// The spare bytes that the vendor requires after each part of a divided block (MEM-08).
const SPARE: usize = 32;
/// Requests of this many bytes are refused: no memory has as many.
const TOO_MANY: usize = 1 << (usize::BITS - 2);

impl SizeClass {
    /// The size of the block for a request. `None` if no memory has so many bytes.
    #[inline]
    pub(crate) fn of(request: usize) -> Option<Self> {
        // One less than is needed, so that a request that needs exactly the bytes of a size gets that size.
        let most = request.checked_add(SPARE - 1).filter(|most| *most < TOO_MANY)?;
        if most < EVEN {
            return Some(Self((most / GRAIN) | ((most / GRAIN + 1) * GRAIN)));
        }
        let power = most.ilog2();
        let quarters = most >> (power - 2);
        let number = EVEN_SIZES + (power - EVEN_BITS) as usize * 4 + (quarters & 3);
        Some(Self(number | ((quarters + 1) << (power - 2))))
    }

    /// The size with this number.
    pub(crate) fn numbered(number: usize) -> Self {
        let bytes = match number.checked_sub(EVEN_SIZES) {
            None => (number + 1) * GRAIN,
            Some(above) => (above % 4 + 5) << (EVEN_BITS as usize + above / 4 - 2),
        };
        Self(number | bytes)
    }

    #[inline]
    pub(crate) fn number(self) -> usize {
        self.0 % GRAIN
    }

    #[inline]
    pub(crate) fn bytes(self) -> usize {
        self.0 / GRAIN * GRAIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the head of this file says it.
    fn expected(request: usize) -> usize {
        let need = request + SPARE;
        need.next_multiple_of((need.next_power_of_two() / 8).max(GRAIN))
    }

    #[test]
    fn a_size_holds_the_request_and_the_spare_bytes_and_has_a_number_of_its_own() {
        let around = (9..50).flat_map(|power| (0..9).map(move |part| (1_usize << power) + part * (1 << power) / 8));
        let requests = (0..20_000).chain(around.flat_map(|near| near - 40..near + 40));
        for request in requests {
            let size = SizeClass::of(request).unwrap();
            assert_eq!(size.bytes(), expected(request), "{request}");
            assert_eq!(SizeClass::numbered(size.number()), size, "{request}");
        }
        let sizes: Vec<_> = (0..200).map(|number| SizeClass::numbered(number).bytes()).collect();
        assert!(sizes.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn there_is_no_size_for_more_bytes_than_any_memory_has() {
        assert!(SizeClass::of(TOO_MANY - SPARE).is_some());
        for request in [TOO_MANY - SPARE + 1, TOO_MANY, usize::MAX - SPARE, usize::MAX] {
            assert_eq!(SizeClass::of(request), None, "{request}");
        }
    }
}
