//! Implementations that exist for the compiler's messages have a bound that no type meets. On a page they would say that
//! work is a future, or that device memory is an iterator.

use super::own_files;
use std::fs;

/// The first lines of implementations of traits that call `never`, and whether the documentation hides each.
///
/// Text and not syntax, because some of them are in macros.
fn implementations(text: &str) -> Vec<(&str, bool)> {
    let lines: Vec<_> = text.lines().collect();
    let begins = |line: &str| line.trim_start().starts_with("impl") && !line.trim_end().ends_with(';');
    let places = lines.iter().enumerate().filter(|(_, line)| begins(line) && !line.ends_with("{}"));
    let found = places.filter_map(|(place, first)| {
        let indent = first.len() - first.trim_start().len();
        let is_last =
            |line: &&str| line.len() - line.trim_start().len() == indent && line.trim_start().starts_with('}');
        let length = lines[place..].iter().position(is_last)?;
        let block = lines[place..=place + length].join("\n");
        let header = block.split('{').next().and_then(|head| head.split("where").next()).unwrap_or_default();
        let before = lines[..place].iter().rev().take_while(|line| line.trim_start().starts_with(['#', '/']));
        let is_hidden = before.into_iter().any(|line| line.trim() == "#[doc(hidden)]");
        (header.contains(" for ") && block.contains("never(")).then_some((*first, is_hidden))
    });
    found.collect()
}

#[test]
fn no_page_shows_an_implementation_that_exists_for_a_message() {
    let (mut all, mut shown) = (0, Vec::new());
    for file in own_files() {
        let text = fs::read_to_string(&file).unwrap();
        let found = implementations(&text);
        all += found.len();
        let open = found.into_iter().filter(|(_, is_hidden)| !is_hidden);
        shown.extend(open.map(|(first, _)| format!("{}: {}", file.display(), first.trim())));
    }
    assert!(all >= 15, "{all}");
    assert!(shown.is_empty(), "{} implementations are on a page: {shown:#?}", shown.len());
}

#[test]
fn an_implementation_is_found_with_its_attribute() {
    let text = "\
#[doc(hidden)]
impl<T> Index<usize> for Hidden<T>
where
    Self: Met,
{
    fn index(&self, _: usize) -> &T {
        self.never()
    }
}

impl<T> Future for Shown<T> {
    fn poll(self) -> T {
        <Self as Met>::never()
    }
}

impl<T> Shown<T> {
    pub fn get(&self) -> T {
        self.never()
    }
}

impl<T> Clone for Shown<T> {
    fn clone(&self) -> Self {
        Self
    }
}
";
    let expected = [("impl<T> Index<usize> for Hidden<T>", true), ("impl<T> Future for Shown<T> {", false)];
    assert_eq!(implementations(text), expected);
}
