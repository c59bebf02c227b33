//! Tests of the finder.

use super::find::mutants;
use super::text::with_all;
use std::collections::BTreeSet;

const SOURCE: &str = "
impl A {
    /// Asks.
    fn asks(&self, other: u32) -> bool {
        self.ready() && self.count < other
    }
    fn does(&mut self) -> Result<(), Error> {
        if self.asks(3) {
            return Err(Error::Asked);
        }
        if let Some(one) = self.one && one.is_there() {
            self.left(one)?;
        }
        for one in self.all() {
            one.note();
        }
        let _ = other;
        let _ = (other, self);
        let _ = self.told();
        unsafe { free(self.0 == 1) };
        Ok(())
    }
    const fn constant(&self) -> bool {
        self.0 == 1
    }
}
#[cfg(test)]
mod tests {
    fn not_here() -> bool { 1 == 2 }
}
";

fn found() -> Vec<(String, String)> {
    let all = mutants("a.rs", SOURCE, 10).unwrap_or_default();
    all.into_iter().map(|mutant| (mutant.function, mutant.change)).collect()
}

#[test]
fn guards_are_changed_and_constants_tests_and_unsafe_code_are_not() {
    let changes = [
        ("asks", "return true"),
        ("asks", "return false"),
        ("asks", "true: self.ready()"),
        ("asks", "true: self.count < other"),
        ("asks", "at equality: self.count < other"),
        ("does", "return Ok(())"),
        ("does", "true: self.asks(3)"),
        ("does", "false: self.asks(3)"),
        ("does", "false: let Some(one) = self.one && one.is_there()"),
        ("does", "true: one.is_there()"),
        ("does", "left out: self.left(one)?;"),
        ("does", "no round: one in self.all()"),
        ("does", "left out: one.note();"),
        ("does", "left out: let _ = self.told();"),
    ];
    assert_eq!(found(), changes.map(|(function, change)| (function.to_owned(), change.to_owned())));
}

#[test]
fn all_mutants_are_one_text_with_the_same_lines_that_is_rust() {
    let all = mutants("a.rs", SOURCE, 10).unwrap_or_default();
    let text = with_all(SOURCE, &all, 10, &BTreeSet::from([11]));
    assert!(syn::parse_file(&text).is_ok(), "{text}");
    assert_eq!(text.lines().count(), SOURCE.lines().count());
    for number in 10..10 + all.len() {
        let asks = text.contains(&format!("::guards_switch::on({number})"));
        assert_eq!(asks, number != 11, "{number} in {text}");
    }
    let asked = text.lines().find(|line| line.contains("self.count")).unwrap_or_default().trim();
    assert_eq!(
        asked,
        "((self.ready()) || ::guards_switch::on(12)) && (((match (&(self.count) , &(other)) { (left, right) => left \
         < right || left == right && ::guards_switch::on(14) })) || ::guards_switch::on(13))"
    );
    assert_eq!(with_all(SOURCE, &all, 10, &(10..10 + all.len()).collect()), SOURCE);
}
