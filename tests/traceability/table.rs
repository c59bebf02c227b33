//! The page.

use crate::tree::{Mention, Tree};
use ascendcl_rules::{Area, Class, RuleId, Seed};
use std::fmt::Write;

const CLASSES: [(Class, &str); 5] = [
    (Class::Compile, "compile"),
    (Class::ByConstruction, "by construction"),
    (Class::RunTime, "run time"),
    (Class::Limit, "documented limit"),
    (Class::NotOffered, "not offered"),
];

const SEEDS: [(Seed, &str); 5] = [
    (Seed::S000, "`acl.rt.allocator_register`"),
    (Seed::S001, "graph engine, `RegisterExternalAllocator`"),
    (Seed::S002, "runtime resources, Python"),
    (Seed::S003, "`acl.mdl.load_from_mem_with_mem`"),
    (Seed::S004, "runtime resources, C"),
];

pub fn page(tree: &Tree) -> String {
    let mut page = String::from(
        "# Traceability\n\nWhich rule is enforced where, and by which evidence. Written by `DOCS=overwrite cargo test --test \
         traceability`; a test\nfails when it is stale. What a rule demands stands in the catalogue, `rules/src/catalogue/`, and \
         nowhere else.\n\n* *compile*: a program that breaks it does not compile.\n* *by construction*: the safe layer keeps it \
         by itself.\n* *run time*: a check answers with an error that names it.\n* *documented limit*: it cannot be enforced; the \
         table says why.\n* *not offered*: the safe layer has no API for what it is about.\n\n## Summary\n\n",
    );
    counts(&mut page, "area", Area::ALL.iter().map(|area| (format!("{area}"), area.rules().to_vec())));
    page.push_str("\nThe pages that the project started from:\n\n");
    let of = |seed: Seed| RuleId::all().filter(|id| id.rule().seeds.contains(&seed)).collect();
    counts(&mut page, "page", SEEDS.iter().map(|(seed, name)| ((*name).to_owned(), of(*seed))));
    for area in Area::ALL {
        let file = area.code().to_lowercase();
        write!(page, "\n## {area}: {}\n\n", area.title()).unwrap();
        writeln!(page, "[The rules](../rules/src/catalogue/{file}.rs)\n").unwrap();
        page.push_str("| rule | class | mechanism | evidence | left open |\n| --- | --- | --- | --- | --- |\n");
        area.rules().iter().for_each(|id| row(&mut page, tree, *id));
    }
    page
}

fn counts(page: &mut String, first: &str, groups: impl Iterator<Item = (String, Vec<RuleId>)>) {
    let names: Vec<&str> = CLASSES.iter().map(|(_, name)| *name).collect();
    writeln!(page, "| {first} | rules | {} |", names.join(" | ")).unwrap();
    writeln!(page, "| --- |{}", " ---: |".repeat(names.len() + 1)).unwrap();
    let mut total: Vec<RuleId> = Vec::new();
    for (name, rules) in groups {
        line(page, &name, &rules);
        total.extend(rules);
    }
    total.sort();
    total.dedup();
    line(page, "together", &total);
}

fn line(page: &mut String, name: &str, rules: &[RuleId]) {
    let of = |class: Class| rules.iter().filter(|id| id.rule().class == class).count().to_string();
    let counts: Vec<String> = CLASSES.iter().map(|(class, _)| of(*class)).collect();
    writeln!(page, "| {name} | {} | {} |", rules.len(), counts.join(" | ")).unwrap();
}

fn row(page: &mut String, tree: &Tree, id: RuleId) {
    let rule = id.rule();
    let class = CLASSES.iter().find(|(class, _)| *class == rule.class).map_or("", |(_, name)| name);
    let mechanisms = links(tree.mechanisms.get(id.as_str()).into_iter().flatten());
    let evidence = links(tree.evidence(id.as_str()));
    writeln!(page, "| {id} | {class} | {mechanisms} | {evidence} | {} |", rule.hole.replace('|', "\\|")).unwrap();
}

fn links<'a>(mentions: impl Iterator<Item = &'a Mention>) -> String {
    let links: Vec<String> = mentions.map(|Mention { name, file }| format!("[`{name}`](../{file})")).collect();
    links.join(", ")
}
