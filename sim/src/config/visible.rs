//! The devices that a process sees, as the vendor's own variable says.

pub(super) const VARIABLE: &str = "ASCEND_RT_VISIBLE_DEVICES";

/// The devices in the list, up to the first entry that is no number of a device, or one that was there before.
pub(super) fn read(list: &str, devices: u32) -> Vec<u32> {
    let mut seen = Vec::new();
    for entry in list.split(',') {
        // The library takes neither blanks nor signs.
        let number = if entry.bytes().all(|byte| byte.is_ascii_digit()) { entry.parse().ok() } else { None };
        match number.filter(|id| *id < devices && !seen.contains(id)) {
            Some(id) => seen.push(id),
            None => break,
        }
    }
    seen
}
