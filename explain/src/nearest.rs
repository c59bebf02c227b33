//! The rule that a name stands for.

use ascendcl_rules::RuleId;
use strsim::damerau_levenshtein;

/// The number of proposed rules.
const PROPOSED: usize = 4;

/// The rule with this name. Accepts `ALLOC-09`, and also `alloc_9` and `Alloc09`.
pub(crate) fn meant(name: &str) -> Option<RuleId> {
    let (area, number) = parts(name)?;
    let number: u32 = number.parse().ok()?;
    RuleId::all().find(|id| {
        let (own, its) = id.as_str().split_once('-').unwrap_or((id.as_str(), ""));
        own == area && its.parse() == Ok(number)
    })
}

/// The rules with the most similar names.
pub(crate) fn to(name: &str) -> Vec<RuleId> {
    let (area, number) = parts(name).unwrap_or_else(|| (name.trim().to_uppercase(), String::new()));
    let mut all: Vec<_> = RuleId::all().collect();
    // The area counts more than the number: a wrong letter is a typing error, and most numbers are similar.
    all.sort_by_key(|id| {
        let (own, its) = id.as_str().split_once('-').unwrap_or((id.as_str(), ""));
        let far = match (its.parse::<u32>(), number.parse::<u32>()) {
            (Ok(its), Ok(number)) => its.abs_diff(number),
            _ => 0,
        };
        (damerau_levenshtein(own, &area), far)
    });
    all.truncate(PROPOSED);
    all
}

/// The letters and the digits of a name.
fn parts(name: &str) -> Option<(String, String)> {
    let name = name.trim().to_uppercase();
    let area: String = name.chars().take_while(char::is_ascii_alphabetic).collect();
    let number = name.strip_prefix(area.as_str())?.trim_start_matches(['-', '_', ' ']).to_owned();
    Some((area, number)).filter(|(area, _)| !area.is_empty())
}
