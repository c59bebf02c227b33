//! What goes wrong in the simulator, for tests that are [alone](super::alone). A plan of which nothing came would leave a
//! test green that tries nothing, so the end of each plan looks at what came of it.

use ascendcl_sim::{Plan, control};
use std::sync::{Mutex, PoisonError};

/// The plan that holds, and whether a fault of it has to come. `None` also where the simulator has no plan.
static BEGUN: Mutex<Option<(Plan, bool)>> = Mutex::new(None);

/// This goes wrong from now on, and has to come before the next plan and before the end of the test.
#[track_caller]
pub fn fail(plan: &str) {
    begin(plan.parse().unwrap());
}

/// The same for a plan that is no text.
#[track_caller]
pub fn begin(plan: Plan) {
    hold(plan, true);
}

/// Nothing goes wrong any more.
#[track_caller]
pub fn nothing_fails() {
    hold(Plan::new(), true);
}

/// No call of this plan may come.
#[track_caller]
pub fn must_not_call(plan: &str) {
    hold(plan.parse().unwrap(), false);
}

/// Whatever comes of this plan is right. A test that tries many of them counts those of which something came. Answers whether
/// something came of the plan before.
#[track_caller]
pub fn try_next(plan: &str) -> bool {
    let came = !control::injected().is_empty();
    forget();
    control::fail(plan.parse().unwrap()).unwrap();
    came
}

#[track_caller]
fn hold(plan: Plan, comes: bool) {
    assert_kept();
    control::fail(plan.clone()).unwrap();
    let is_simulator = matches!(super::library(), ascendcl::Library::Simulator);
    assert!(
        is_simulator || plan.is_empty() || !comes,
        "`{plan}` goes wrong in the simulator alone: name this test in tests/needs.tsv"
    );
    *begun() = (is_simulator && !plan.is_empty()).then_some((plan, comes));
}

/// Asserts that of the plan that holds came what has to.
#[track_caller]
pub(super) fn assert_kept() {
    let Some((plan, comes)) = begun().take() else { return };
    let injected = control::injected();
    assert_eq!(!injected.is_empty(), comes, "of the plan `{plan}` came {injected:?}");
}

/// A test that failed leaves its plan.
pub(super) fn forget() {
    *begun() = None;
}

fn begun() -> std::sync::MutexGuard<'static, Option<(Plan, bool)>> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}
