//! A bill of materials in the format CycloneDX 1.5, made from cargo's metadata.

use super::ground::Ground;
use super::metadata::{Package, Reach, packages};
use super::part::Outcome;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(crate) const FILE: &str = "sbom.cdx.json";

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    let packages = packages(ground)?;
    let sbom = bill(&packages);
    ground.write(FILE, &format!("{sbom:#}\n"))?;
    let components = sbom.get("components").and_then(Value::as_array).map_or(0, Vec::len);
    let unhashed = Package::of_others(&packages).filter(|package| package.checksum.is_none()).count();
    let unlicensed = packages.iter().filter(|package| package.license.is_empty()).count();
    let says = format!("{components} components, {unhashed} without a checksum, {unlicensed} without a licence");
    let outcome = Outcome::judged(unhashed + unlicensed == 0, says).fact("components", components);
    Ok(outcome.fact("without a checksum", unhashed).fact("without a licence", unlicensed).file(FILE))
}

/// The bill of materials. It contains no date and no random number, so the same packages give the same text.
fn bill(packages: &[Package]) -> Value {
    let names: BTreeMap<_, _> = packages.iter().map(|package| (package.id.as_str(), address(package))).collect();
    let graph: Vec<_> = packages
        .iter()
        .map(|package| {
            let uses: Vec<_> = package.uses.iter().filter_map(|id| names.get(id.as_str())).collect();
            json!({ "ref": address(package), "dependsOn": uses })
        })
        .collect();
    let main = packages.iter().find(|package| package.own && package.name == "ascendcl").map(component);
    let rest = packages.iter().filter(|package| !(package.own && package.name == "ascendcl")).map(component);
    json!({ "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": { "component": main },
        "components": rest.collect::<Vec<_>>(), "dependencies": graph })
}

fn address(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version.replace('+', "%2B"))
}

fn component(package: &Package) -> Value {
    let scope = match package.reach {
        _ if package.own && package.published => "required",
        Reach::Program | Reach::Compiler => "required",
        Reach::Features | Reach::OtherSystems => "optional",
        Reach::Tests => "excluded",
    };
    let mut component = json!({ "type": "library", "bom-ref": address(package), "name": package.name,
        "version": package.version, "purl": address(package), "scope": scope,
        "licenses": [{ "expression": package.license }] });
    if let Some(fields) = component.as_object_mut() {
        if let Some(sum) = &package.checksum {
            fields.insert("hashes".to_owned(), json!([{ "alg": "SHA-256", "content": sum }]));
        }
        if !package.repository.is_empty() {
            let link = json!([{ "type": "vcs", "url": package.repository }]);
            fields.insert("externalReferences".to_owned(), link);
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::{Package, Reach, bill};

    fn package(name: &str, uses: &[&str], reach: Reach) -> Package {
        Package {
            id: format!("id of {name}"),
            name: name.to_owned(),
            version: "1.0.0+a".to_owned(),
            license: "MIT".to_owned(),
            repository: String::new(),
            own: name == "ascendcl",
            published: name == "ascendcl",
            checksum: (name != "ascendcl").then(|| "abc".to_owned()),
            uses: uses.iter().map(|name| format!("id of {name}")).collect(),
            reach,
        }
    }

    #[test]
    fn the_bill_names_each_package_once_and_what_it_uses() {
        let bill = bill(&[package("ascendcl", &["libc"], Reach::Program), package("libc", &[], Reach::Tests)]);
        let at = |pointer: &str| bill.pointer(pointer).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        assert_eq!(at("/metadata/component/name"), "ascendcl");
        assert_eq!(at("/components/0/purl"), "pkg:cargo/libc@1.0.0%2Ba");
        assert_eq!(at("/components/0/hashes/0/content"), "abc");
        assert_eq!(at("/components/0/scope"), "excluded");
        assert_eq!(at("/components/1/name"), "");
        assert_eq!(at("/dependencies/0/dependsOn/0"), at("/components/0/bom-ref"));
    }
}
