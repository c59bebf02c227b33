//! What `libascendcl.so` exports is the whole table.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod library;

use object::read::elf::{Dyn, ElfFile64, FileHeader};
use object::{Endianness, Object, ObjectSymbol, elf};
use std::collections::BTreeSet;

/// Functions of a later release, which tools use.
const LATER: [&str; 2] = ["aclrtApiInjectionGetFunc", "aclrtApiInjectionSetFunc"];

#[test]
fn the_library_exports_every_function_of_the_vendors_headers_and_no_other() {
    let bytes = std::fs::read(library::path()).expect("the library can be read");
    let library = ElfFile64::<Endianness>::parse(&*bytes).expect("the library is an ELF file");
    let exported: BTreeSet<String> = library
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition())
        .map(|symbol| symbol.name().expect("a symbol has a name").to_owned())
        .filter(|name| name.starts_with("acl"))
        .collect();
    let later = LATER.map(str::to_owned);
    let table: BTreeSet<String> = ascendcl_sys::table().map(|line| line.name.to_owned()).chain(later).collect();

    let missing: Vec<_> = table.difference(&exported).collect();
    let unexpected: Vec<_> = exported.difference(&table).collect();
    assert!(missing.is_empty() && unexpected.is_empty(), "missing: {missing:?}; not in the table: {unexpected:?}");
}

#[test]
fn the_library_calls_itself_by_the_vendors_name() {
    let bytes = std::fs::read(library::path()).expect("the library can be read");
    let library = ElfFile64::<Endianness>::parse(&*bytes).expect("the library is an ELF file");
    let (endian, data) = (library.endian(), library.data());

    let sections = library.elf_header().sections(endian, data).expect("the library has sections");
    let (entries, strings) = sections.dynamic(endian, data).expect("a dynamic section").expect("a dynamic section");
    let strings = sections.strings(endian, data, strings).expect("its strings");
    let name = entries.iter().find(|entry| entry.tag(endian) == elf::DT_SONAME).expect("a name (soname)");
    assert_eq!(name.string(endian, strings), Ok(&b"libascendcl.so"[..]));
}
