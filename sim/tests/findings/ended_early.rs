//! What a program does with objects, and with the library, that it has ended too early: one mistake, one finding.

use crate::models::{INPUT, OUTPUT, dataset, load, shape};
use crate::support::*;
use ascendcl_sim::{Checks, control};
use std::ptr::{null, null_mut};

const BOTH: [Checks; 2] = [Checks::Report, Checks::Strict];

/// A plugin resets the device and finalises the library in its destructor, and the program goes on.
#[test]
fn a_program_that_goes_on_behind_the_finalisation_is_told_of_once() {
    for checks in BOTH {
        let found = found_with(checks, || {
            ok!(aclrtResetDevice(0));
            ok!(aclFinalize());
            let mut stream = aclrtStream::NULL;
            acl!(aclrtCreateStream(&mut stream));
            let mut memory = null_mut();
            acl!(aclrtMalloc(&mut memory, 64, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
            acl!(aclrtMemset(memory, 64, 0, 64));
            acl!(aclrtFree(memory));
            acl!(aclrtDestroyStream(stream));
            acl!(aclrtResetDevice(0));
            acl!(aclFinalize());
        });
        assert_eq!(found, [(rules::INIT_02, "aclrtCreateStream")], "{checks:?}");
    }
}

#[test]
fn a_program_that_initialises_anew_is_judged_anew() {
    let run = |early: bool| {
        broken_by(|| {
            ok!(aclrtResetDevice(0));
            ok!(aclFinalize());
            if early {
                acl!(aclrtSetDevice(0));
            }
            ok!(aclInit(null()));
            ok!(aclrtSetDevice(0));
            let stream = stream();
            ok!(aclrtDestroyStream(stream));
            if early {
                acl!(aclrtDestroyStream(stream));
                ok!(aclrtResetDevice(0));
            }
            ok!(aclrtResetDevice(0));
            ok!(aclFinalize());
        })
    };
    assert_eq!(run(true), [(rules::INIT_02, "aclrtSetDevice"), (rules::STREAM_08, "aclrtDestroyStream")]);
    assert_eq!(run(false), []);
}

/// A destructor destroys and then waits.
#[test]
fn a_wait_that_comes_after_the_end_of_its_stream_is_the_wait_that_was_missing() {
    for checks in BOTH {
        let run = |destroy_first: bool| {
            found_with(checks, || {
                let (stream, memory) = (stream(), malloc(64));
                ok!(aclrtMemsetAsync(memory, 64, 0, 64, stream));
                if destroy_first {
                    acl!(aclrtDestroyStream(stream));
                    acl!(aclrtSynchronizeStream(stream));
                } else {
                    sync(stream);
                    ok!(aclrtDestroyStream(stream));
                }
                ok!(aclrtFree(memory));
            })
        };
        assert_eq!(run(true), [(rules::STREAM_05, "aclrtDestroyStream")], "{checks:?}");
        assert_eq!(run(false), [], "{checks:?}");
    }
}

/// The stream's work was complete. So the wait is the mistake.
#[test]
fn a_wait_for_a_stream_that_ended_in_time_is_told_of() {
    let found = broken_by(|| {
        let stream = stream();
        sync(stream);
        ok!(aclrtDestroyStream(stream));
        acl!(aclrtSynchronizeStream(stream));
    });
    assert_eq!(found, [(rules::STREAM_08, "aclrtSynchronizeStream")]);
}

/// A runner keeps a data buffer, and destroys it with the dataset of the first frame.
#[test]
fn a_run_lacks_the_buffer_that_ended_before_it_was_added() {
    for checks in BOTH {
        let run = |early: bool| {
            found_with(checks, || {
                let (id, output, memory) = (load(), dataset(malloc(OUTPUT), OUTPUT), malloc(INPUT));
                ok!(aclrtMemset(memory, INPUT, 0, INPUT));
                let buffer = acl!(aclCreateDataBuffer(memory, INPUT));
                for frame in 0..2 {
                    let input = acl!(aclmdlCreateDataset());
                    acl!(aclmdlAddDatasetBuffer(input, buffer));
                    if !early || frame == 0 {
                        shape(input);
                    }
                    acl!(aclmdlExecute(id, input, output));
                    ok!(aclmdlDestroyDataset(input));
                    if early && frame == 0 {
                        ok!(aclDestroyDataBuffer(buffer));
                    }
                }
                if !early {
                    ok!(aclDestroyDataBuffer(buffer));
                }
            })
        };
        assert_eq!(run(true), [(rules::DATA_05, "aclmdlAddDatasetBuffer")], "{checks:?}");
        assert_eq!(run(false), [], "{checks:?}");
    }
}

/// Zero is a number like any other, and no null pointer.
#[test]
fn a_model_that_no_load_has_returned_is_told_of_by_its_number() {
    for id in [0, 7] {
        let _machine = machine(Checks::Report);
        ok!(aclInit(null()));
        ok!(aclrtSetDevice(0));
        acl!(aclmdlUnload(id));
        let findings = control::take_findings();
        let [finding] = findings.as_slice() else { panic!("{findings:?}") };
        assert_eq!(finding.rule, rules::MODEL_12);
        assert_eq!(finding.found, format!("model {id} is ended, but no load has returned this number"));
    }
}
