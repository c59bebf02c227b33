//! Which calls go wrong, and how: as values, and as the text of `ASCENDCL_SIM_FAIL`.

use super::ConfigError;
use ascendcl_sys::error_codes::{error_code, error_name};
use ascendcl_sys::types::aclError;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A plan of faults, and the calls at which they happen.
///
/// As text, which `ASCENDCL_SIM_FAIL` takes, it is a list of faults with commas between them, each `calls=fault`:
///
/// | calls | which |
/// | --- | --- |
/// | `aclrtMalloc` | every call of that function |
/// | `aclrtMalloc#3` | the third one |
/// | `aclrtMalloc#3+` | the third one and all after it |
/// | `*#17` | the seventeenth call of any function; `*` alone is every call |
///
/// | fault | what happens |
/// | --- | --- |
/// | `207001`, `ACL_ERROR_RT_MEMORY_ALLOCATION` | the call does nothing and returns this code |
/// | `after:507899` | the call has its effect, and returns this code all the same |
/// | `lost` | the devices are lost: from now on, calls that need one answer 507010, and queued work fails with it |
/// | `hang` | the devices stop: no work goes on, and waits end at their time limits, or after a tenth of a second. A forced reset of a device ends it, and what hung on that device is lost |
/// | `slow:5ms` | from now on each task of a stream takes so much longer; `us` and `s` are units, too |
/// | `full` | the devices' free memory is gone; what is freed from now on can be had again |
///
/// Calls are counted from the moment when the plan begins to hold, on all threads together. Of a function that returns
/// a pointer the failure is a null pointer; one that returns a number or with nothing, or that reads what a data
/// buffer says, cannot fail, and does not.
///
/// ```
/// use ascendcl_sim::{Calls, Fault, Plan};
///
/// let plan: Plan = "aclrtMalloc#3=207001, *#40=lost".parse()?;
/// let same = Plan::new().at(Calls::of("aclrtMalloc").nth(3), Fault::Fails(207_001)).at(Calls::any().nth(40), Fault::Lost);
/// assert_eq!(plan, same);
/// # Ok::<_, ascendcl_sim::ConfigError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Plan {
    pub(crate) faults: Vec<(Calls, Fault)>,
}

/// Calls by their function and their number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Calls {
    /// `None` stands for every function.
    name: Option<String>,
    which: Which,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Which {
    All,
    Nth(u64),
    From(u64),
}

/// A fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The call does nothing and returns this code.
    Fails(aclError),
    /// The call has its effect, but returns this code.
    FailsAfter(aclError),
    /// The devices are lost, for this call and all that follow.
    Lost,
    /// The devices stop working on what is queued.
    Hangs,
    /// Each task takes so much longer.
    Slows(Duration),
    /// The devices have no free memory.
    Full,
}

impl Plan {
    /// Nothing goes wrong.
    pub fn new() -> Self {
        Self::default()
    }

    /// And this goes wrong at those calls. Of several faults at one call the first counts.
    #[must_use]
    pub fn at(mut self, calls: Calls, fault: Fault) -> Self {
        self.faults.push((calls, fault));
        self
    }

    /// Whether nothing goes wrong.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// Whether every function of the plan is one of the simulator's.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        for (calls, fault) in &self.faults {
            if let Some(name) = calls.name.as_deref().filter(|name| !is_simulated(name)) {
                return Err(ConfigError::new(format!("{calls}={fault}: the simulator has no function `{name}`")));
            }
            if matches!(fault, Fault::Fails(0) | Fault::FailsAfter(0)) {
                return Err(ConfigError::new(format!("{calls}={fault}: 0 is success, and no failure")));
            }
        }
        Ok(())
    }
}

impl Calls {
    /// Every call of this function.
    pub fn of(name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), which: Which::All }
    }

    /// Every call of any function.
    pub fn any() -> Self {
        Self { name: None, which: Which::All }
    }

    /// The call with this number only; the first is 1.
    #[must_use]
    pub fn nth(mut self, number: u64) -> Self {
        self.which = Which::Nth(number);
        self
    }

    /// The call with this number and all after it.
    #[must_use]
    pub fn from(mut self, number: u64) -> Self {
        self.which = Which::From(number);
        self
    }

    /// Whether it means the call of this function that is the how-manyth of its name, and of all.
    pub(crate) fn means(&self, function: &str, of_name: u64, of_all: u64) -> bool {
        let number = match &self.name {
            Some(name) if name == function => of_name,
            Some(_) => return false,
            None => of_all,
        };
        match self.which {
            Which::All => true,
            Which::Nth(wanted) => number == wanted,
            Which::From(first) => number >= first,
        }
    }
}

impl FromStr for Plan {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let faults = entries.map(|entry| {
            let bad = |what: String| ConfigError::new(format!("`{entry}`: {what}"));
            let (calls, fault) = entry
                .split_once('=')
                .ok_or_else(|| bad("a fault is written as calls=fault, for example aclrtMalloc#3=207001".to_owned()))?;
            Ok((calls.trim().parse().map_err(bad)?, fault.trim().parse().map_err(bad)?))
        });
        let plan = Self { faults: faults.collect::<Result<_, ConfigError>>()? };
        plan.check().map(|()| plan)
    }
}

impl FromStr for Calls {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, number) = text.split_once('#').map_or((text, None), |(name, number)| (name, Some(number)));
        let calls = match name.trim() {
            "" => return Err("which function? A name, or * for any".to_owned()),
            "*" => Self::any(),
            name => Self::of(name),
        };
        let Some(number) = number.map(str::trim) else { return Ok(calls) };
        let (digits, on) = number.strip_suffix('+').map_or((number, false), |digits| (digits, true));
        match digits.parse() {
            Ok(0) | Err(_) => Err(format!("`#{number}` is no number of a call: #1 is the first, #1+ all from it on")),
            Ok(number) if on => Ok(calls.from(number)),
            Ok(number) => Ok(calls.nth(number)),
        }
    }
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "lost" => return Ok(Self::Lost),
            "hang" => return Ok(Self::Hangs),
            "full" => return Ok(Self::Full),
            _ => {}
        }
        if let Some(time) = text.strip_prefix("slow:") {
            return duration(time.trim()).map(Self::Slows);
        }
        if let Some(code) = text.strip_prefix("after:") {
            return code_of(code.trim()).map(Self::FailsAfter);
        }
        code_of(text).map(Self::Fails)
    }
}

fn code_of(text: &str) -> Result<aclError, String> {
    text.parse().ok().or_else(|| error_code(text)).ok_or_else(|| {
        format!(
            "`{text}` is no fault: a code (207001, ACL_ERROR_RT_MEMORY_ALLOCATION), after:code, lost, hang, slow:5ms or \
             full"
        )
    })
}

fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, fn(u64) -> Duration); 3] =
        [("us", Duration::from_micros), ("ms", Duration::from_millis), ("s", Duration::from_secs)];
    let read = |(unit, make): &(&str, fn(u64) -> Duration)| Some(make(text.strip_suffix(unit)?.trim().parse().ok()?));
    UNITS.iter().find_map(read).ok_or_else(|| format!("`{text}` is no time: a number with us, ms or s, as in slow:5ms"))
}

impl fmt::Display for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.as_deref().unwrap_or("*"))?;
        match self.which {
            Which::All => Ok(()),
            Which::Nth(number) => write!(f, "#{number}"),
            Which::From(number) => write!(f, "#{number}+"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |code: &aclError| error_name(*code).map_or_else(|| code.to_string(), str::to_owned);
        match self {
            Self::Fails(code) => f.write_str(&named(code)),
            Self::FailsAfter(code) => write!(f, "after:{}", named(code)),
            Self::Lost => f.write_str("lost"),
            Self::Hangs => f.write_str("hang"),
            Self::Slows(time) => write!(f, "slow:{}us", time.as_micros()),
            Self::Full => f.write_str("full"),
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (calls, fault)) in self.faults.iter().enumerate() {
            write!(f, "{}{calls}={fault}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

/// Whether the table says that the simulator has this function.
fn is_simulated(wanted: &str) -> bool {
    macro_rules! names {
        ([] $group:ident $files:tt
         $([$($flag:ident)*] fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)*) => {
            $(if wanted == stringify!($name) {
                return [$(stringify!($flag)),*].contains(&"sim");
            })*
        };
    }
    ascendcl_sys::for_each_group!(names);
    false
}
