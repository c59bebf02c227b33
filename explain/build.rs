//! Reads the programs of `ui-tests`, the C programs of the simulator's tests and the tables of `docs/traceability`, so that
//! a page consists of the tested files.

use ascendcl_rules::RuleId;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let root = here.parent().ok_or("the package is in the repository")?;
    let mut source = String::new();
    programs(&mut source, root)?;
    c_programs(&mut source, root)?;
    evidence(&mut source, root)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("pages.rs"), source)?;
    Ok(())
}

/// Every program that must not compile: its rules, the sentence of its first line, its message and its twin.
fn programs(source: &mut String, root: &Path) -> Result<()> {
    source.push_str("pub(crate) static PROGRAMS: &[Program] = &[\n");
    for file in files(&root.join("ui-tests/fail"), "rs")? {
        let text = fs::read_to_string(&file)?;
        let first = text.lines().next().unwrap_or_default();
        let wrong = || format!("{} does not say which rule it breaks", file.display());
        let (ids, sentence) = first.strip_prefix("// ").and_then(|line| line.split_once(": ")).ok_or_else(wrong)?;
        let ids = ids.split(", ").map(str::parse).collect::<std::result::Result<Vec<RuleId>, _>>()?;
        let ids: Vec<_> = ids.into_iter().map(RuleId::as_str).collect();
        let name = file.file_stem().and_then(|name| name.to_str()).ok_or_else(wrong)?;
        let twin = root.join("ui-tests/pass").join(format!("{name}.rs"));
        let message = file.with_extension("stderr");
        writeln!(
            source,
            "    Program {{ name: {name:?}, rules: &{ids:?}, sentence: {sentence:?}, refused: include_str!({file:?}), \
             message: include_str!({message:?}), repaired: include_str!({twin:?}) }},"
        )?;
    }
    source.push_str("];\n");
    Ok(())
}

/// The C program that breaks each rule, and what it prints on the simulator; or why there is none.
fn c_programs(source: &mut String, root: &Path) -> Result<()> {
    let folder = root.join("sim/dylib/tests/rules");
    source.push_str("pub(crate) static C_PROGRAMS: &[CProgram] = &[\n");
    for file in files(&folder, "c")? {
        let text = fs::read_to_string(&file)?;
        let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let id = name.parse::<RuleId>()?.as_str();
        let wrong = || format!("{} does not say what it shows", file.display());
        let first = text.lines().next().and_then(|line| line.strip_prefix(&format!("/* {id}: "))).ok_or_else(wrong)?;
        let (_, found) = first.split_once(" The simulator finds: ").ok_or_else(wrong)?;
        let found = found.strip_suffix(". */").ok_or_else(wrong)?;
        let said = file.with_extension("said");
        writeln!(
            source,
            "    CProgram {{ rule: {id:?}, program: include_str!({file:?}), said: include_str!({said:?}), found: {found:?} }},"
        )?;
    }
    source.push_str("];\npub(crate) static WITHOUT: &[(&str, &str)] = &[\n");
    for line in fs::read_to_string(folder.join("without.txt"))?.lines() {
        let (id, reason) = line.split_once(": ").ok_or("without.txt: a line without a rule")?;
        writeln!(source, "    ({:?}, {reason:?}),", id.parse::<RuleId>()?.as_str())?;
    }
    source.push_str("];\n");
    Ok(())
}

/// What the tables say about each rule: links to the items that keep it, and to the tests that show it.
fn evidence(source: &mut String, root: &Path) -> Result<()> {
    source.push_str("pub(crate) static LINKS: &[Link] = &[\n");
    for file in files(&root.join("docs/traceability"), "md")? {
        let table = fs::read_to_string(&file)?;
        for row in table.lines().filter(|line| line.starts_with("| [")) {
            let mut links = links(row);
            let (id, _) = links.next().ok_or_else(|| format!("{}: a row without a rule", file.display()))?;
            let id = id.parse::<RuleId>()?.as_str();
            for (name, path) in links {
                writeln!(source, "    Link {{ rule: {id:?}, name: {name:?}, file: {path:?} }},")?;
            }
        }
    }
    source.push_str("];\n");
    Ok(())
}

/// The links of a row to files of the repository: text and path.
fn links(row: &str) -> impl Iterator<Item = (&str, &str)> {
    row.split('[').skip(1).filter_map(|part| {
        let (name, rest) = part.split_once("](../../")?;
        Some((name, rest.split_once(')')?.0))
    })
}

/// The files of a folder with this ending, by name.
fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    let paths = entries.into_iter().map(|entry| entry.path());
    let mut files: Vec<_> = paths.filter(|path| path.extension().is_some_and(|own| own == ending)).collect();
    files.sort();
    Ok(files)
}
