//! Instructions of the program that use memory which they must not.

/// What the program did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Violation {
    pub(crate) address: usize,
    /// `None` where the processor does not tell.
    pub(crate) writes: Option<bool>,
    /// The address of the instruction.
    pub(crate) at: usize,
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod system {
    use super::Violation;
    use core::ffi::{c_int, c_void};
    use std::sync::OnceLock;

    static TELL: OnceLock<fn(Violation) -> bool> = OnceLock::new();
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

    /// Has `tell` hear of each violation of the process from now on, on the thread where it happened. It answers whether
    /// the program goes on, with the same instruction once more. Otherwise it ends as it would have.
    pub(crate) fn on_violation(tell: fn(Violation) -> bool) {
        if TELL.set(tell).is_err() {
            return;
        }
        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = handle;
        // SAFETY: `zeroed` asks for a type for which zeros are a value. This is a structure of numbers and of a function
        // that may be null.
        let mut new: libc::sigaction = unsafe { core::mem::zeroed() };
        new.sa_sigaction = handler as usize;
        // Not on another stack: one that the program has set up may be too small for what is called here.
        new.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
        let mut before = new;
        // SAFETY: `sigaction` asks for two valid structures, and for a function with the signature that the flag
        // `SA_SIGINFO` stands for. The function is called for faults of instructions. Where one happened in the middle of
        // a function of the C library that is not to be entered twice, the process would have ended.
        if unsafe { libc::sigaction(libc::SIGSEGV, &raw const new, &raw mut before) } == 0 {
            let _ = BEFORE.set(before);
        }
    }

    extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        // SAFETY: `si_addr` asks for the information about a fault. The system hands it to handlers of this signal.
        let address = unsafe { (*info).si_addr() }.addr();
        let (at, writes) = place(context);
        if let Some(tell) = TELL.get()
            && tell(Violation { address, writes, at })
        {
            return;
        }
        let default = || {
            // SAFETY: `signal` asks for the number of a signal and an action. The instruction faults once more, and the
            // process ends.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        };
        let Some(before) = BEFORE.get() else { return default() };
        match before.sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN => default(),
            function if before.sa_flags & libc::SA_SIGINFO != 0 => {
                // SAFETY: `transmute` asks for a value of the new type. With this flag the system's structure has the
                // address of a function of this signature.
                let function: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                    unsafe { core::mem::transmute(function) };
                function(signal, info, context);
            }
            function => {
                // SAFETY: `transmute` asks for a value of the new type. Without the flag the system's structure has the
                // address of a function of this signature.
                let function: extern "C" fn(c_int) = unsafe { core::mem::transmute(function) };
                function(signal);
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn place(context: *mut c_void) -> (usize, Option<bool>) {
        const WRITE: i64 = 2;
        // SAFETY: a dereference asks for a valid pointer. The system hands handlers of this kind the state of the thread.
        let registers = unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
        let register =
            |at: c_int| usize::try_from(at).ok().and_then(|at| registers.get(at)).copied().unwrap_or_default();
        (register(libc::REG_RIP).cast_unsigned() as usize, Some(register(libc::REG_ERR) & WRITE != 0))
    }

    #[cfg(target_arch = "aarch64")]
    fn place(context: *mut c_void) -> (usize, Option<bool>) {
        // SAFETY: a dereference asks for a valid pointer. The system hands handlers of this kind the state of the thread.
        (unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.pc } as usize, None)
    }
}

/// Elsewhere nobody is told.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod system {
    use super::Violation;

    pub(crate) fn on_violation(_: fn(Violation) -> bool) {}
}

pub(crate) use system::on_violation;
