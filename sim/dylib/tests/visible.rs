//! A process sees the devices that its launcher gives it.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod compiler;
mod library;

use std::process::Command;

#[test]
fn the_devices_of_the_list_are_counted_from_0() {
    let program = compiler::compile("CC", "cc", "-std=c11", "visible.c", library::folder(), "-lascendcl");
    let said = |list: &str| {
        let mut command = Command::new(&program);
        command.env("LD_LIBRARY_PATH", library::folder()).env("ASCENDCL_SIM_DEVICES", "8");
        let output = command.env("ASCEND_RT_VISIBLE_DEVICES", list).output().unwrap();
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let two = "count: 0, 2\n\
         device 0: 0, current 0; 0, physical 3, user 0\n\
         device 1: 0, current 1; 0, physical 5, user 1\n\
         device 2: 107001, current 1; 107001, physical -1, user -1\n";
    assert_eq!(said("3,5"), two);
    let none = "count: 0, 0\n\
         device 0: 107001, current -1; 107001, physical -1, user -1\n\
         device 1: 107001, current -1; 107001, physical -1, user -1\n\
         device 2: 107001, current -1; 107001, physical -1, user -1\n";
    assert_eq!(said("9"), none);
}
