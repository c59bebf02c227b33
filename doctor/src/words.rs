//! The report in plain words.

use crate::environment::{Found, Place};
use crate::findings::{Device, Library, ProblemKind};
use crate::report::{Report, Verdict};
use core::fmt::{self, Display, Formatter};

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.verdict)?;
        self.library(f)?;
        self.places(f)?;
        self.versions(f)?;
        self.devices(f)?;
        self.problems(f)?;
        self.variables(f)?;
        writeln!(f, "What to do next")?;
        for (text, number) in self.next.iter().zip(1..) {
            writeln!(f, "  {number}. {text}")?;
        }
        Ok(())
    }
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ready => "The library and a device can be used.",
            Self::Simulator => "The simulator can be used. No Ascend device is used.",
            Self::NoLibrary => "No AscendCL library was found.",
            Self::NotLoaded => "An AscendCL library was found, but it cannot be loaded.",
            Self::NoAscendcl => "The file that was found is not an AscendCL library.",
            Self::Incomplete => "The library lacks functions that every release should have.",
            Self::NotInitialised => "The library cannot be initialised.",
            Self::NoDevice => "The library works, but no device can be used.",
            Self::Crashed => "The library ended the process that tried it.",
            Self::TimedOut => "The library did not come back.",
            Self::NotTried => "The library could not be tried.",
        })
    }
}

impl Report {
    fn library(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "Library")?;
        let Some(library) = &self.findings.library else { return writeln!(f, "  none is loaded\n") };
        match &library.path {
            Some(path) => writeln!(f, "  {path} ({})", self.because(path))?,
            None => writeln!(f, "  the simulator inside this program")?,
        }
        missing(f, library)?;
        writeln!(f)
    }

    /// Why the crate looked at the place where the library was found.
    fn because(&self, path: &str) -> &str {
        self.environment.places.iter().find(|place| place.path == path).map_or("dynamic loader", |place| place.because)
    }

    fn places(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let places = &self.environment.places;
        if places.is_empty() {
            return Ok(());
        }
        writeln!(f, "Places of the search")?;
        let found = self.findings.library.is_some();
        // If a library was found, the places without one are not interesting.
        for place in places.iter().filter(|place| !found || place.found != Found::Absent) {
            match place.found {
                Found::LeftToTheLoader if self.findings.has(ProblemKind::NotFound) => {
                    writeln!(f, "  {} ({}): not on its search path", place.path, place.because)?;
                }
                _ => writeln!(f, "  {place}")?,
            }
        }
        writeln!(f)
    }

    fn versions(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let versions = &self.findings.versions;
        if self.findings.library.is_none() {
            return Ok(());
        }
        writeln!(f, "Versions")?;
        match &versions.interface {
            Some(version) => writeln!(f, "  interface: {version}")?,
            None => writeln!(f, "  interface: this release does not tell")?,
        }
        versions.packages.iter().try_for_each(|(package, version)| writeln!(f, "  {package}: {version}"))?;
        writeln!(f)
    }

    fn devices(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.findings.initialised {
            return Ok(());
        }
        writeln!(f, "Devices")?;
        writeln!(f, "  product: {}", self.findings.product.as_deref().unwrap_or("the library does not tell"))?;
        writeln!(f, "  run mode: {}", self.findings.run_mode.as_deref().unwrap_or("the library does not tell"))?;
        match self.findings.device_count {
            Some(count) => writeln!(f, "  devices: {count}")?,
            None => writeln!(f, "  devices: the library did not count them")?,
        }
        self.findings.devices.iter().try_for_each(|device| writeln!(f, "  {device}"))?;
        writeln!(f)
    }

    fn problems(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.findings.problems.is_empty() {
            return Ok(());
        }
        writeln!(f, "Problems")?;
        for problem in &self.findings.problems {
            writeln!(f, "  * {}", problem.text.replace('\n', "\n    "))?;
        }
        if !self.said.is_empty() {
            writeln!(f, "  the library's last words on the standard error:")?;
            self.said.iter().try_for_each(|line| writeln!(f, "    | {line}"))?;
        }
        writeln!(f)
    }

    fn variables(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "Environment variables")?;
        for variable in &self.environment.variables {
            match &variable.value {
                Some(value) => writeln!(f, "  {}={value}: {}", variable.name, variable.meaning)?,
                None => writeln!(f, "  {} is not set: {}", variable.name, variable.meaning)?,
            }
        }
        writeln!(f)
    }
}

fn missing(f: &mut Formatter<'_>, library: &Library) -> fmt::Result {
    let names: Vec<_> = library.missing.iter().map(|missing| missing.function.as_str()).collect();
    match names.as_slice() {
        [] => writeln!(f, "  it has all {} functions that this crate needs", library.needed),
        all if all.len() == library.needed => {
            writeln!(f, "  it has none of the {} functions that this crate needs", library.needed)
        }
        some => writeln!(
            f,
            "  it lacks {} of the {} functions that this crate needs: {}",
            some.len(),
            library.needed,
            some.join(", ")
        ),
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let outcome = match self.found {
            Found::File => "a file is there",
            Found::Stub => "a stub for linking, which is passed over",
            Found::Absent => "no such file or directory",
            Found::Unknown => "this place cannot be searched",
            Found::LeftToTheLoader => "the dynamic loader looks for it",
        };
        write!(f, "{} ({}): {outcome}", self.path, self.because)
    }
}

impl Display for Device {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "device {}: {}", self.id, if self.usable { "can be used" } else { "cannot be used" })?;
        if self.is_virtual == Some(true) {
            f.write_str(", a part of a device")?;
        }
        if let Some(cores) = self.ai_cores {
            write!(f, ", {cores} AI cores")?;
        }
        if let Some(bytes) = self.memory_bytes {
            write!(f, ", {} MiB of memory", bytes >> 20)?;
        }
        if let Some(bytes) = self.free_bytes {
            write!(f, ", {} MiB free", bytes >> 20)?;
        }
        Ok(())
    }
}
