//! Numbers with units, as the environment says them.

use std::time::Duration;

/// A number of seconds, which may have a fraction.
pub(super) fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.trim().parse().ok()?).ok()
}

/// A number with an optional `k`, `m` or `g`.
pub(super) fn bytes(text: &str) -> Option<usize> {
    let unit = |suffix: [char; 2], shift: u32| text.strip_suffix(suffix).map(|number| (number, shift));
    let (number, shift) =
        unit(['k', 'K'], 10).or_else(|| unit(['m', 'M'], 20)).or_else(|| unit(['g', 'G'], 30)).unwrap_or((text, 0));
    number.trim().parse::<usize>().ok()?.checked_mul(1 << shift)
}
