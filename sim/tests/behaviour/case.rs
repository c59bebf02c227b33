//! What a case is written with, and how it runs.

use std::process::ExitCode;
use std::time::Duration;

/// Tells this program that it is the process of one case.
pub(crate) const FLAG: &str = "--case";

/// A simulator that hangs must not hang the tests.
const LONGEST: Duration = Duration::from_secs(60);

/// Runs one case in this process; its rows go to standard output.
pub(crate) fn replay(name: &str) -> ExitCode {
    let Some((_, case)) = crate::cases().find(|(known, _)| *known == name) else {
        eprintln!("there is no case `{name}`");
        return ExitCode::FAILURE;
    };
    std::thread::spawn(|| {
        std::thread::sleep(LONGEST);
        eprintln!("the case did not end within {LONGEST:?}");
        std::process::abort();
    });
    case();
    ExitCode::SUCCESS
}

/// One thing that happened in a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Record {
    Code { call: String, code: i32 },
    Seen(String),
}

impl Record {
    fn write(&self) {
        match self {
            Self::Code { call, code } => println!("code\t{call}\t{code}"),
            Self::Seen(text) => println!("seen\t{text}"),
        }
    }

    /// `None` for a line that is not from [`write`](Self::write).
    pub(crate) fn read(line: &str) -> Option<Self> {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["code", call, code] => Some(Self::Code { call: call.to_owned(), code: code.parse().ok()? }),
            ["seen", text] => Some(Self::Seen(text.to_owned())),
            _ => None,
        }
    }
}

/// Writes down the code that a call returned.
pub(crate) fn answered(call: &str, code: i32) {
    Record::Code { call: call.to_owned(), code }.write();
}

/// Writes down what else can be seen; in the file it stands in parentheses.
pub(crate) fn saw(text: impl AsRef<str>) {
    Record::Seen(format!("({})", text.as_ref())).write();
}

/// `group::function(arguments)`: calls a function of the simulator.
macro_rules! call {
    ($group:ident::$function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: a case passes null, addresses of its own memory that outlive their use and have the size it says,
        // or handles; the simulator looks handles up and never follows one, live or not.
        unsafe { ascendcl_sim::exports::$group::$function($($argument),*) }
    };
}

/// `"text of the row", group::function(arguments)`: makes the call of one row and writes its code down.
macro_rules! row {
    ($text:literal, $group:ident::$function:ident($($argument:expr),* $(,)?)) => {
        $crate::case::answered($text, call!($group::$function($($argument),*)))
    };
}

/// A call that prepares a case; the file has no row for it, and it succeeds.
macro_rules! prepare {
    ($group:ident::$function:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(call!($group::$function($($argument),*)), 0, "{}", stringify!($function))
    };
}
