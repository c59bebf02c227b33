//! `?` with the error types that programs use. The resulting errors still have codes and rules.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use ascendcl::error::{Extension, ExtensionError};
use ascendcl::runtime::CloseError;
use ascendcl::{Acl, Current, Error, Failed, Library, OrDrop, RunError, Runtime, ScopeError, Thread};
use ascendcl_rules::{COPY_01, CTX_11, DEV_10, RuleId};

ascendcl::names!(Vision);

/// A runtime from its opening to its end; the buffer is shorter than what is copied.
fn owned_with_anyhow(copied: &[u8]) -> anyhow::Result<Vec<u8>> {
    let runtime = Runtime::<Vision>::open(Library::Simulator)?;
    let copied = runtime.with(|current| {
        let stream = current.stream()?.without_allocator();
        let buffer = current.device_buffer::<u8>(4)?.write(current, copied).or_drop()?;
        let (buffer, host) = (buffer, current.host_buffer::<u8>(4)?);
        let (_, host) = stream.copy_to_host(current, buffer, host).or_drop()?.wait(current).or_drop()?;
        anyhow::Ok(host.slice(current)?.to_vec())
    })??;
    runtime.close()?;
    Ok(copied)
}

fn scoped_with_eyre(copied: &[u8]) -> eyre::Result<usize> {
    let acl = Acl::init(Library::Simulator)?;
    let mut thread = Thread::new()?;
    let device = acl.device(&mut thread, 0)?;
    let length = device.context(&mut thread, |context, thread| {
        context.enter(thread, |current| {
            let buffer = current.device_buffer::<u8>(4)?.write(current, copied).or_drop()?;
            eyre::Ok(buffer.len())
        })
    })???;
    device.reset(&mut thread).or_drop()?;
    acl.close().or_drop()?;
    Ok(length)
}

/// With the crate's own error, from the opening to the end.
fn owned_with_the_crates_error(buffers: usize) -> ascendcl::Result<usize> {
    let runtime = Runtime::<Vision>::open(Library::Simulator)?;
    let made = runtime
        .with(|current| (0..buffers).map(|_| current.upload(&[1_u8])).collect::<ascendcl::Result<Vec<_>>>())??;
    runtime.with(|_current| runtime.close())??;
    Ok(made.len())
}

#[test]
fn the_crates_own_error_says_why_a_runtime_was_not_closed() {
    let error = owned_with_the_crates_error(2).unwrap_err();
    assert!(matches!(&error, Error::NotClosed(why) if matches!(**why, CloseError::Refused(Error::ThreadTaken))));
    assert_eq!(error.rules(), Error::ThreadTaken.rules());
    let torn_down = CloseError::Teardown { errors: vec![Error::WorkFailed { code: 507_015.into() }] };
    assert_eq!(Error::from(torn_down).code().map(|code| code.number()), Some(507_015));
    assert!(ascendcl::runtime::sweep(None).is_empty());
}

#[derive(Debug, PartialEq)]
struct NoSuchRank(u32);

impl std::fmt::Display for NoSuchRank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "there is no rank {}", self.0)
    }
}

impl std::error::Error for NoSuchRank {}

impl ExtensionError for NoSuchRank {
    fn rules(&self) -> &'static [RuleId] {
        &[COPY_01]
    }
}

#[test]
fn why_a_runtime_was_not_closed_names_its_rules_and_has_the_errors_of_other_crates() {
    for busy in [CloseError::Busy { inside: 2 }, CloseError::Closing] {
        let error = Error::from(busy);
        assert_eq!(error.rules(), [CTX_11, DEV_10]);
        assert!(error.to_string().ends_with("[CTX-11, DEV-10]"), "{error}");
        assert_eq!(error.extension::<NoSuchRank>(), None);
    }
    let errors = vec![Error::WorkFailed { code: 507_015.into() }, Extension::of(NoSuchRank(8)).into()];
    let error = Error::from(CloseError::Teardown { errors });
    assert_eq!(error.extension(), Some(&NoSuchRank(8)));
    assert_eq!(error.rules(), [COPY_01]);
}

fn is_a_mismatch(error: Option<&Error>) -> bool {
    matches!(error, Some(Error::LengthMismatch { expected: 4, found: 3, .. }))
}

#[test]
fn anyhow_keeps_the_typed_error() {
    assert_eq!(owned_with_anyhow(&[1, 2, 3, 4]).unwrap(), [1, 2, 3, 4]);
    let error = owned_with_anyhow(&[1, 2, 3]).unwrap_err();
    assert!(is_a_mismatch(error.downcast_ref()), "{error:?}");
    assert_eq!(error.downcast_ref::<Error>().unwrap().rules(), [COPY_01]);
    let shown = format!("{:#}", error.context("sending a picture"));
    assert!(shown.starts_with("sending a picture: ") && shown.contains('4') && shown.contains('3'), "{shown}");
}

#[test]
fn eyre_keeps_the_typed_error() {
    assert_eq!(scoped_with_eyre(&[1, 2, 3, 4]).unwrap(), 4);
    let error = scoped_with_eyre(&[1, 2, 3]).unwrap_err();
    assert!(is_a_mismatch(error.downcast_ref()), "{error:?}");
}

#[test]
fn the_code_of_the_library_is_reached_through_both() {
    let loaded = || -> Result<_, RunError<Error>> {
        ascendcl::run(Library::Simulator, |current| current.load_model("no such file").map(drop))
    };
    let with_anyhow = || -> anyhow::Result<_> { Ok(loaded()?) };
    let with_eyre = || -> eyre::Result<_> { Ok(loaded()?) };
    let (first, second) = (with_anyhow().unwrap_err(), with_eyre().unwrap_err());
    let (first, second) = (first.downcast_ref().unwrap(), second.downcast_ref().unwrap());
    for error in [first, second] {
        let RunError::Program(error) = error else { panic!("{error:?}") };
        let error: &Error = error;
        assert_eq!(error.code().map(|code| code.number()), Some(145_002), "{error:?}");
    }
}

#[test]
fn a_runtime_that_cannot_be_closed_says_why_through_both() {
    let runtime = Runtime::<Vision>::open(Library::Simulator).unwrap();
    let inside = |_: &mut Current<Vision>| -> (anyhow::Result<()>, eyre::Result<()>) {
        (runtime.close().map_err(Into::into), runtime.close().map_err(Into::into))
    };
    let (first, second) = runtime.with(inside).unwrap();
    let is_refused = |error: Option<&CloseError>| matches!(error, Some(CloseError::Refused(_)));
    assert!(is_refused(first.unwrap_err().downcast_ref()) && is_refused(second.unwrap_err().downcast_ref()));
    runtime.close().unwrap();
}

/// A program may print nothing but the error.
#[test]
fn the_text_of_an_error_says_what_it_consists_of_and_what_to_do() {
    let two = || vec![Error::OtherGroup, Error::NotExecuted];
    let [first, second] = two().try_into().map(|two: [Error; 2]| two.map(|error| error.to_string())).unwrap();
    let teardown = "not everything could be taken down";
    let texts = [
        (ScopeError::<()>::NotOpened(Error::OtherGroup).to_string(), first.clone()),
        (
            ScopeError::Teardown { errors: two(), result: 1 }.to_string(),
            format!("taking down the scope reported 2 error(s): {first}; {second}"),
        ),
        (RunError::<Error>::Setup(Error::OtherGroup).to_string(), first.clone()),
        (RunError::Program("the program's own").to_string(), "the program's own".to_owned()),
        (
            RunError::Teardown { errors: two(), program: Some("the program's own") }.to_string(),
            format!("the program's own; then {teardown}:\n  {first}\n  {second}"),
        ),
        (
            CloseError::Teardown { errors: two() }.to_string(),
            format!("{teardown}; close the runtime again to try the rest:\n  {first}\n  {second}"),
        ),
        (
            CloseError::Busy { inside: 2 }.to_string(),
            "2 thread(s) are inside the runtime: close it again when they have left, or wait longer for them \
             (`close_within`, `close_by_force`) [CTX-11, DEV-10]"
                .to_owned(),
        ),
        (
            CloseError::Closing.to_string(),
            "the runtime is being closed already: wait for the thread that closes it [CTX-11, DEV-10]".to_owned(),
        ),
        (CloseError::Refused(Error::OtherGroup).to_string(), format!("the runtime cannot be closed here: {first}")),
        (Failed { error: Error::OtherGroup, value: () }.to_string(), first.clone()),
    ];
    for (said, expected) in texts {
        assert_eq!(said, expected);
    }
}

/// `unwrap`, and `main` when it returns an error, print `{:?}`.
#[test]
fn what_unwrap_prints_is_the_text_after_the_name_of_the_error() {
    let two = || vec![Error::OtherGroup, Error::NotExecuted];
    let [first, second] = [Error::OtherGroup, Error::NotExecuted].map(|error| format!("{error:?}"));
    assert_eq!(first, format!("OtherGroup: {}", Error::OtherGroup));
    let teardown = "not everything could be taken down";
    let texts = [
        (format!("{:?}", ScopeError::<()>::NotOpened(Error::OtherGroup)), first.clone()),
        (
            format!("{:?}", ScopeError::Teardown { errors: two(), result: 1 }),
            format!("taking down the scope reported 2 error(s):\n  {first}\n  {second}"),
        ),
        (format!("{:?}", RunError::<Error>::Setup(Error::OtherGroup)), first.clone()),
        (format!("{:?}", RunError::Program(Error::OtherGroup)), first.clone()),
        (
            format!("{:?}", RunError::Teardown { errors: two(), program: Some(Error::NotCovered) }),
            format!("{:?}; then {teardown}:\n  {first}\n  {second}", Error::NotCovered),
        ),
        (
            format!("{:?}", CloseError::Teardown { errors: two() }),
            format!("{teardown}; close the runtime again to try the rest:\n  {first}\n  {second}"),
        ),
        (format!("{:?}", CloseError::Closing), CloseError::Closing.to_string()),
        (
            format!("{:?}", CloseError::Refused(Error::OtherGroup)),
            format!("the runtime cannot be closed here: {first}"),
        ),
        (format!("{:?}", Failed { error: Error::OtherGroup, value: () }), first.clone()),
    ];
    for (said, expected) in texts {
        assert_eq!(said, expected);
    }
}

/// A failed step in a `main` that returns the error of `run`.
#[test]
fn a_failed_transition_becomes_the_error_of_run() {
    let main = || -> Result<(), RunError<Error>> {
        Err(Failed { error: Error::NotExecuted, value: std::ptr::null::<u8>() })?;
        Ok(())
    };
    assert!(matches!(main(), Err(RunError::Program(Error::NotExecuted))));
}

#[test]
fn errors_give_all_their_parts_and_the_first_code() {
    let two = || vec![Error::OtherGroup, Error::NotExecuted];
    assert_eq!(RunError::<Error>::Setup(Error::OtherGroup).errors().len(), 1);
    assert_eq!(RunError::Program(()).errors().len(), 0);
    assert_eq!(RunError::Teardown { errors: two(), program: Some(()) }.errors().len(), 2);
    assert_eq!(CloseError::Teardown { errors: two() }.errors().len(), 2);
    assert_eq!(CloseError::Refused(Error::OtherGroup).errors().len(), 1);
    assert!(CloseError::Closing.errors().is_empty() && CloseError::Busy { inside: 1 }.errors().is_empty());
    assert!(RunError::Teardown { errors: two(), program: Some(()) }.code().is_none());
    // The value of a failed call may have no `Debug`.
    struct Opaque;
    let failed = Failed { error: Error::NotExecuted, value: Opaque };
    assert!(format!("{failed:?}").contains("NotExecuted"), "{failed:?}");
    let scope = ScopeError::Teardown { errors: two(), result: Opaque };
    assert!(format!("{scope:?}").contains("OtherGroup"), "{scope:?}");
    let opened = ScopeError::<Opaque>::NotOpened(Error::NotExecuted);
    assert!(format!("{opened:?}").contains("NotExecuted"), "{opened:?}");
}

#[test]
fn an_error_says_what_kind_of_failure_it_is_whether_or_not_it_has_a_code() {
    let of_code = |code: i32| {
        let error = Error::WorkFailed { code: code.into() };
        (error.is_timeout(), error.is_device_lost(), error.is_out_of_memory())
    };
    assert_eq!(of_code(507_046), (true, false, false));
    assert_eq!(of_code(507_010), (false, true, false));
    assert_eq!(of_code(207_001), (false, false, true));
    assert_eq!(of_code(107_000), (false, false, false));
    // The wait for a lane's workspace has no code of the library.
    let busy = Error::WorkspaceBusy { waited: std::time::Duration::from_millis(1) };
    assert!(busy.is_timeout() && busy.code().is_none(), "{busy}");
    assert!(!Error::ThreadTaken.is_timeout());
}
