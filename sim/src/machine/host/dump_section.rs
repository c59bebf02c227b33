//! What the section on dumps of a configuration may say. Whether its folder is there is looked at by `dump`.

use super::json::Value;
use std::ops::RangeInclusive;

type Checked<T = ()> = Result<T, String>;

const TEXTS: [&str; 9] = [
    "dump_path",
    "dump_mode",
    "dump_op_switch",
    "dump_level",
    "dump_scene",
    "dump_data",
    "dump_debug",
    "dump_kernel_data",
    "dump_step",
];

/// The words of which each of these has one.
const WORDS: [(&str, &[&str]); 6] = [
    ("dump_mode", &["input", "output", "all"]),
    ("dump_data", &["tensor", "stats"]),
    ("dump_op_switch", &["on", "off"]),
    ("dump_level", &["op", "kernel", "all"]),
    ("dump_debug", &["on", "off"]),
    ("dump_scene", &["lite_exception", "aic_err_brief_dump", "aic_err_norm_dump", "aic_err_detail_dump", WATCHER]),
];
const KERNEL_DATA: &[&str] = &["all", "printf", "tensor", "assert", "timestamp"];
const STATISTICS: &[&str] = &["Max", "Min", "Avg", "Nan", "Negative Inf", "Positive Inf", "L2norm"];
const WATCHER: &str = "watcher";
const BLACKLISTS: [&str; 2] = ["optype_blacklist", "opname_blacklist"];

/// How long a path, a list of steps, and a blacklist may be.
const MOST_BYTES: usize = 512;
const MOST_INTERVALS: usize = 100;
const MOST_EXCLUDED: usize = 100;

pub(super) fn check(section: &Value) -> Checked {
    match section {
        Value::Object(entries) if entries.is_empty() => return Ok(()),
        Value::Object(_) => {}
        _ => return Err("`dump` is not an object".to_owned()),
    }
    check_types(section)?;
    check_words(section)?;
    check_scene(section)?;
    if has_no_data(section) {
        return Ok(());
    }
    check_path(section)?;
    if is(section, "dump_debug", "on") {
        return refuse_any(section, &["dump_list"], "with `dump_debug` on").and(refuse_operators(section));
    }
    check_steps(section)?;
    objects(section, "dump_list")?.iter().try_for_each(|item| check_item(section, item))?;
    check_statistics(section)
}

/// Whether only failures are to be dumped, of which the section says nothing else.
pub(super) fn has_no_data(section: &Value) -> bool {
    section.get("dump_scene").is_some() && !is(section, "dump_scene", WATCHER)
}

fn check_types(section: &Value) -> Checked {
    for key in TEXTS {
        text(section, key)?;
    }
    texts(section, "dump_stats")?;
    for item in objects(section, "dump_list")? {
        text(item, "model_name")?;
        texts(item, "layer").and(texts(item, "watcher_nodes"))?;
        for list in BLACKLISTS {
            for excluded in objects(item, list)? {
                text(excluded, "name").map(drop).and(texts(excluded, "pos").map(drop))?;
            }
        }
        for range in objects(item, "opname_range")? {
            text(range, "begin").and(text(range, "end"))?;
        }
    }
    Ok(())
}

fn check_words(section: &Value) -> Checked {
    for (key, words) in WORDS {
        text(section, key)?.map_or(Ok(()), |word| one_of(key, word, words))?;
    }
    if let Some(kinds) = text(section, "dump_kernel_data")? {
        kinds.split(',').try_for_each(|kind| one_of("dump_kernel_data", kind, KERNEL_DATA))?;
    }
    let statistics = texts(section, "dump_stats")?.iter().filter_map(Value::as_text);
    statistics.into_iter().try_for_each(|one| one_of("dump_stats", one, STATISTICS))
}

fn check_scene(section: &Value) -> Checked {
    const OF_DATA: [&str; 5] = ["dump_level", "dump_data", "dump_kernel_data", "dump_step", "dump_stats"];
    const OTHERS: [&str; 4] = ["dump_mode", "dump_debug", "dump_op_switch", "dump_list"];
    if has_no_data(section) {
        let why = "with a scene of failures";
        return refuse_any(section, &OF_DATA, why).and(refuse_any(section, &OTHERS, why));
    }
    if !is(section, "dump_scene", WATCHER) {
        return Ok(());
    }
    refuse_operators(section)?;
    if is(section, "dump_debug", "on") || text(section, "dump_mode")?.is_some_and(|mode| mode != "output") {
        return Err("a watcher dumps outputs, and nothing for debugging".to_owned());
    }
    refuse_any(section, &OF_DATA, "with a watcher")
}

fn check_path(section: &Value) -> Checked {
    match text(section, "dump_path")? {
        None => Err("it has no `dump_path`".to_owned()),
        Some("") => Err("`dump_path` is empty".to_owned()),
        Some(path) if path.len() > MOST_BYTES => Err(format!("`dump_path` has more than {MOST_BYTES} bytes")),
        Some(_) => Ok(()),
    }
}

/// Steps and ranges of them, such as `0|3-7`.
fn check_steps(section: &Value) -> Checked {
    let steps = text(section, "dump_step")?.filter(|steps| !steps.is_empty());
    let Some(steps) = steps else { return Ok(()) };
    if steps.split('|').count() > MOST_INTERVALS {
        return Err(format!("`dump_step` has more than {MOST_INTERVALS} ranges"));
    }
    let is_range = |range: &str| interval(range).is_some_and(|interval| !interval.is_empty());
    match steps.split('|').find(|range| !is_range(range)) {
        Some(wrong) => Err(format!("`dump_step` has `{wrong}`, which is neither a step nor a range of them")),
        None => Ok(()),
    }
}

fn interval(range: &str) -> Option<RangeInclusive<u64>> {
    let step = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    Some(step(first)?..=step(last)?)
}

fn check_item(section: &Value, item: &Value) -> Checked {
    let is_empty = |key: &str| match item.get(key) {
        Some(Value::Text(text)) => text.is_empty(),
        Some(Value::List(list)) => list.is_empty(),
        _ => false,
    };
    if !is(section, "dump_op_switch", "on")
        && let Some(key) = ["model_name", "layer"].iter().find(|key| is_empty(key))
    {
        return Err(format!("`{key}` is empty"));
    }
    let watched = !texts(item, "watcher_nodes")?.is_empty();
    if watched != is(section, "dump_scene", WATCHER) {
        return Err("`watcher_nodes` go with a watcher, and no other way".to_owned());
    }
    let model = text(item, "model_name")?.unwrap_or_default();
    if watched && !model.is_empty() {
        return Err("`model_name` goes with no watcher".to_owned());
    }
    let by_operator = is(section, "dump_level", "op");
    for list in BLACKLISTS {
        let excluded = objects(item, list)?.len();
        if excluded > MOST_EXCLUDED || (excluded > 0 && !by_operator) {
            return Err(format!("`{list}` has at most {MOST_EXCLUDED} entries, and goes with `dump_level` `op`"));
        }
    }
    let ranges = objects(item, "opname_range")?;
    let is_whole = |range: &Value| ["begin", "end"].iter().all(|key| !matches!(text(range, key), Ok(None | Some(""))));
    if !ranges.is_empty() && (!by_operator || model.is_empty() || !ranges.iter().all(is_whole)) {
        return Err("`opname_range` has ranges of operators of one model, and goes with `dump_level` `op`".to_owned());
    }
    Ok(())
}

fn check_statistics(section: &Value) -> Checked {
    if section.get("dump_stats").is_none() {
        return Ok(());
    }
    if texts(section, "dump_stats")?.is_empty() || !is(section, "dump_data", "stats") {
        return Err("`dump_stats` is not empty, and goes with `dump_data` `stats`".to_owned());
    }
    Ok(())
}

fn refuse_operators(section: &Value) -> Checked {
    if is(section, "dump_op_switch", "on") { Err("`dump_op_switch` is not on then".to_owned()) } else { Ok(()) }
}

fn refuse_any(section: &Value, keys: &[&str], why: &str) -> Checked {
    match keys.iter().find(|key| section.get(key).is_some()) {
        Some(key) => Err(format!("`{key}` is not set {why}")),
        None => Ok(()),
    }
}

fn one_of(key: &str, word: &str, words: &[&str]) -> Checked {
    if words.contains(&word) {
        return Ok(());
    }
    Err(format!("`{key}` is `{word}`, and it has to be one of {words:?}"))
}

fn is(section: &Value, key: &str, word: &str) -> bool {
    section.get(key).and_then(Value::as_text) == Some(word)
}

fn text<'a>(of: &'a Value, key: &str) -> Checked<Option<&'a str>> {
    match of.get(key) {
        None => Ok(None),
        Some(Value::Text(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` is not a text")),
    }
}

fn texts<'a>(of: &'a Value, key: &str) -> Checked<&'a [Value]> {
    list(of, key, |value| matches!(value, Value::Text(_)), "texts")
}

fn objects<'a>(of: &'a Value, key: &str) -> Checked<&'a [Value]> {
    list(of, key, |value| matches!(value, Value::Object(_)), "objects")
}

fn list<'a>(of: &'a Value, key: &str, fits: fn(&Value) -> bool, what: &str) -> Checked<&'a [Value]> {
    match of.get(key) {
        None => Ok(&[]),
        Some(Value::List(list)) if list.iter().all(fits) => Ok(list),
        Some(_) => Err(format!("`{key}` is not a list of {what}")),
    }
}
