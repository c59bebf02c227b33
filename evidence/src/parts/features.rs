//! Every combination of the features of `ascendcl`.

use crate::ground::Ground;
use crate::part::Outcome;

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    let features = features(&ground.read("Cargo.toml")?);
    let (mut failed, mut log) = (Vec::new(), String::new());
    let combinations = combinations(&features);
    for features in &combinations {
        let mut command = ground.command("cargo");
        command.args(["check", "-p", "ascendcl", "--lib", "--locked", "--no-default-features", "--features", features]);
        // This part has its own build folder. In the shared one, its flags would make Cargo rebuild everything.
        command.arg("--target-dir").arg(ground.root.join("target/features")).env("RUSTFLAGS", "-D warnings");
        let ran = ground.run("features", &mut command)?;
        log += &format!("== features: {features}\n{}", ran.text);
        if !ran.ok {
            failed.push(format!("`{features}`"));
        }
    }
    ground.write("logs/features.log", &log)?;
    let says = format!("{} combinations of {}", combinations.len(), features.join(", "));
    let says = if failed.is_empty() { says } else { format!("{says}; these do not compile: {}", failed.join("; ")) };
    let ok = failed.is_empty() && combinations.len() > 1;
    Ok(Outcome::judged(ok, says)
        .fact("combinations", combinations.len())
        .fact("failed", failed)
        .file("logs/features.log"))
}

/// The names in the table `[features]`, without `default`.
fn features(manifest: &str) -> Vec<String> {
    let table = manifest.lines().skip_while(|line| *line != "[features]").skip(1);
    let table = table.take_while(|line| !line.starts_with('['));
    let names = table.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name.to_owned());
    names.filter(|name| name != "default" && !name.starts_with('#')).collect()
}

fn combinations(features: &[String]) -> Vec<String> {
    let chosen = |number: usize| {
        let some = features.iter().enumerate().filter(|(place, _)| (number >> place) & 1 == 1);
        some.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(",")
    };
    (0..1_usize << features.len()).map(chosen).collect()
}

#[cfg(test)]
mod tests {
    use super::{combinations, features};

    #[test]
    fn all_combinations_of_the_manifests_features_are_made() {
        let found = features(
            "[package]\nname = \"a\"\n\n[features]\ndefault = []\n# Text = 1.\nsim = [\"dep:a\"]\nge = []\n\n[lints]\n",
        );
        assert_eq!(found, ["sim", "ge"]);
        assert_eq!(combinations(&found), ["", "sim", "ge", "sim,ge"]);
    }
}
