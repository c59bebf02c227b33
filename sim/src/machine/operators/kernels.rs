//! Kernels that a program brings for operators of its own: the functions that choose one, and what they chose. The
//! kernels themselves are machine code of a device's cores, and none is registered here.

use crate::abi::{KernelChoice, Name};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::handles::Table;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclopKernelDesc;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex};

/// By the types of operators.
static CHOICES: Mutex<BTreeMap<String, KernelChoice>> = Mutex::new(BTreeMap::new());

/// What functions are choosing now: the names of kernels.
static CHOSEN: Table<Mutex<String>> = Table::new();

/// One function for each type (100030).
pub(crate) fn register_choice(operator: String, choice: KernelChoice) -> Answer {
    match lock(&CHOICES).entry(operator) {
        Entry::Vacant(place) => {
            place.insert(choice);
            Ok(())
        }
        Entry::Occupied(place) => {
            let text = format!("a function that chooses kernels of `{}` is registered already", place.key());
            Err(Failure::new(ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED, text))
        }
    }
}

/// Without a word where there is none.
pub(crate) fn unregister_choice(operator: &str) {
    lock(&CHOICES).remove(operator);
}

/// The function that chooses the kernels of this type of operators (100028).
pub(crate) fn choice_of(operator: &str) -> Answer<KernelChoice> {
    lock(&CHOICES).get(operator).copied().ok_or_else(|| {
        let text = format!("no function that chooses kernels of `{operator}` is registered");
        Failure::new(ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED, text)
    })
}

/// A kernel that is being chosen, as long as this lives.
pub(crate) struct Chosen(usize);

impl Chosen {
    pub(crate) fn new() -> Self {
        Self(CHOSEN.add(Mutex::default()))
    }

    pub(crate) fn name(&self) -> Name<aclopKernelDesc> {
        Name::new(self.0)
    }

    /// Refuses it (100029): whatever was chosen, no kernel is registered.
    pub(crate) fn refuse(&self) -> Failure {
        let kernel = CHOSEN.get(self.0).map(|kernel| lock(&kernel).clone()).unwrap_or_default();
        Failure::new(ACL_ERROR_KERNEL_NOT_FOUND, format!("there is no kernel `{kernel}`: none is registered here"))
    }
}

impl Drop for Chosen {
    fn drop(&mut self) {
        CHOSEN.remove(self.0);
    }
}

pub(crate) fn choose(kernel: Name<aclopKernelDesc>, name: String) -> Answer {
    *lock(&*find_chosen(kernel)?) = name;
    Ok(())
}

pub(crate) fn check_chosen(kernel: Name<aclopKernelDesc>) -> Answer {
    find_chosen(kernel).map(drop)
}

fn find_chosen(kernel: Name<aclopKernelDesc>) -> Answer<Arc<Mutex<String>>> {
    CHOSEN.get(kernel.0).ok_or_else(|| Failure::invalid("no kernel is being chosen here, or the pointer is null"))
}

pub(super) fn clear() {
    lock(&CHOICES).clear();
}
