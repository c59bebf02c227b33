//! Dumps: `aclmdlInitDump`, `aclmdlSetDump`, `aclmdlFinalizeDump`, and the configuration of `aclInit`.

use crate::files;
use crate::world::*;
use ascendcl_macros::proves;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ptr::null;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};

/// A folder that goes with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ascendcl-sim-dump-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A configuration file with a section on dumps.
    fn configuration(&self, section: &str) -> std::ffi::CString {
        let path = self.0.join("acl.json");
        let text = format!(r#"{{"dump": {{{section}}}}}"#);
        fs::write(&path, text.replace("HERE", self.0.to_str().unwrap())).unwrap();
        c(path.to_str().unwrap())
    }

    /// The dumped files below the folder named after the time.
    fn dumped(&self) -> Vec<String> {
        let mut found = Vec::new();
        below(&self.0, &mut found);
        let root = self.0.to_str().unwrap();
        let inside = found.iter().filter_map(|path| path.to_str().unwrap().strip_prefix(root)?.split_once('/'));
        let mut names: Vec<_> = inside.filter_map(|(_, path)| Some(path.split_once('/')?.1.to_owned())).collect();
        names.sort();
        names
    }

    fn read(&self, name: &str) -> Vec<u8> {
        let mut found = Vec::new();
        below(&self.0, &mut found);
        fs::read(found.iter().find(|path| path.ends_with(name)).unwrap()).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { below(&path, found) } else { found.push(path) }
    }
}

/// Runs a model that adds 10 to two rows of four.
fn run(id: u32, value: f32) {
    let (input, output) = (dataset(&[(on_device(&bytes(&[value; 8])), 32)]), dataset(&[(device_memory(32), 32)]));
    ok!(model::aclmdlExecute(id, input, output));
    destroy(input);
    destroy(output);
}

#[test]
#[proves(INIT_12)]
fn what_a_model_reads_and_writes_is_in_files_of_numpy() {
    let (_world, folder) = (world(), Folder::new("files"));
    let before = load(&files::sum("2", None));
    let settings =
        folder.configuration(r#""dump_list": [{"model_name": "sum"}], "dump_path": "HERE", "dump_mode": "all""#);
    ok!(process::aclmdlInitDump());
    ok!(process::aclmdlSetDump(settings.as_ptr()));
    fs::write(folder.0.join("sum.onnx"), files::sum("2", None)).unwrap();
    let (mut id, path) = (0, c(folder.0.join("sum.onnx").to_str().unwrap()));
    ok!(model::aclmdlLoadFromFile(path.as_ptr(), &mut id));
    let other = load(&files::sum("2", None));
    run(before, 1.0);
    run(other, 2.0);
    assert_eq!(folder.dumped(), [""; 0], "one was loaded before, and the other has another name");
    run(id, 3.0);
    run(id, 4.0);
    let names = ["0/input.0.x.npy", "0/output.0.y.npy", "1/input.0.x.npy", "1/output.0.y.npy"];
    assert_eq!(folder.dumped(), names.map(|name| format!("0/sum/{id}/{name}")));
    let file = folder.read(&format!("sum/{id}/1/output.0.y.npy"));
    let (head, data) = file.split_at(128);
    let start = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2,4,), } ";
    assert!(head.starts_with(start) && head.ends_with(b" \n"), "{}", String::from_utf8_lossy(head));
    assert_eq!(floats(data), [14.0; 8]);
    assert_eq!(floats(&folder.read("1/input.0.x.npy")[128..]), [4.0; 8]);
    ok!(process::aclmdlFinalizeDump());
    let (mut later, files) = (0, folder.dumped());
    ok!(model::aclmdlLoadFromFile(path.as_ptr(), &mut later));
    run(later, 5.0);
    assert_eq!(folder.dumped(), files, "after the end nothing is dumped of what is loaded");
}

#[test]
#[proves(INIT_12)]
fn dumps_are_set_by_the_configuration_of_the_start_or_by_calls() {
    let (_world, folder) = (world(), Folder::new("start"));
    let all = r#""dump_list": [{}], "dump_path": "HERE""#;
    fails!(ACL_ERROR_DUMP_NOT_RUN, "aclmdlInitDump", process::aclmdlSetDump(folder.configuration(all).as_ptr()));
    fails!(ACL_ERROR_DUMP_NOT_RUN, "aclmdlInitDump", process::aclmdlFinalizeDump());
    ok!(process::aclmdlInitDump());
    fails!(ACL_ERROR_REPEAT_INITIALIZE, "initialised already", process::aclmdlInitDump());
    ok!(process::aclFinalize());
    fails!(ACL_ERROR_UNINITIALIZE, "after aclInit", process::aclmdlInitDump());
    // A process has one configuration for life.
    ascendcl_sim::control::reset();
    ok!(process::aclInit(folder.configuration(all).as_ptr()));
    ok!(device::aclrtSetDevice(0));
    fails!(ACL_ERROR_DUMP_ALREADY_RUN, "INIT-12", process::aclmdlInitDump());
    fails!(ACL_ERROR_DUMP_NOT_RUN, "aclmdlInitDump", process::aclmdlFinalizeDump());
    run(load(&files::sum("2", None)), 1.0);
    assert_eq!(folder.dumped().len(), 1, "outputs alone, of every model: {:?}", folder.dumped());
    ascendcl_sim::control::reset();
    ok!(process::aclInit(folder.configuration(r#""dump_list": [{}], "dump_path": "/no/such/folder""#).as_ptr()));
    ok!(process::aclmdlInitDump());
}

#[test]
fn settings_that_cannot_be_followed_are_refused_and_say_why() {
    let (_world, folder) = (world(), Folder::new("refused"));
    // The order of the calls comes before the path.
    fails!(ACL_ERROR_DUMP_NOT_RUN, "aclmdlInitDump", process::aclmdlSetDump(null()));
    ok!(process::aclmdlInitDump());
    fails!(ACL_ERROR_INVALID_PARAM, "null", process::aclmdlSetDump(null()));
    fails!(ACL_ERROR_INVALID_FILE, "cannot be read", process::aclmdlSetDump(c("").as_ptr()));
    fails!(ACL_ERROR_INVALID_FILE, "/no/such", process::aclmdlSetDump(c("/no/such/file").as_ptr()));
    for (section, why) in REFUSED {
        fails!(ACL_ERROR_INVALID_DUMP_CONFIG, why, process::aclmdlSetDump(folder.configuration(section).as_ptr()));
    }
    let away = r#""dump_list": [], "dump_path": "/no/such/folder""#;
    let away = folder.configuration(away);
    fails!(ACL_ERROR_INVALID_DUMP_CONFIG, "which is not a folder", process::aclmdlSetDump(away.as_ptr()));
    for section in TAKEN_AS_THEY_ARE {
        ok!(process::aclmdlSetDump(folder.configuration(section).as_ptr()));
    }
    let other = folder.0.join("other.json");
    let set = |text: &str| {
        fs::write(&other, text).unwrap();
        call!(process::aclmdlSetDump(c(other.to_str().unwrap()).as_ptr()))
    };
    assert_eq!(["", "{}", r#"{"dump": {}}"#].map(set), [0; 3]);
    assert_eq!(set(r#"{"dump": 1}"#), ACL_ERROR_INVALID_DUMP_CONFIG);
    assert_eq!(set("{"), ACL_ERROR_INVALID_DUMP_CONFIG);
    assert_eq!(set(&"[".repeat(11)), ACL_ERROR_PARSE_FILE);
    run(load(&files::sum("2", None)), 1.0);
    assert_eq!(folder.dumped(), [""; 0], "none of them wants a dump");
}

/// What a section may not say, and what the text says of that.
const REFUSED: [(&str, &str); 29] = [
    (r#""dump_list": [{}]"#, "it has no `dump_path`"),
    (r#""dump_list": []"#, "it has no `dump_path`"),
    (r#""dump_list": [{}], "dump_path": """#, "`dump_path` is empty"),
    (r#""dump_list": [{}], "dump_path": 3"#, "`dump_path` is not a text"),
    (r#""dump_list": "all", "dump_path": "HERE""#, "`dump_list` is not a list"),
    (r#""dump_list": ["all"], "dump_path": "HERE""#, "`dump_list` is not a list of objects"),
    (r#""dump_list": [{"model_name": 1}], "dump_path": "HERE""#, "`model_name` is not a text"),
    (r#""dump_list": [{"model_name": ""}], "dump_path": "HERE""#, "`model_name` is empty"),
    (r#""dump_list": [{"layer": []}], "dump_path": "HERE""#, "`layer` is empty"),
    (r#""dump_list": [{"layer": "one"}], "dump_path": "HERE""#, "`layer` is not a list of texts"),
    (r#""dump_list": [{"watcher_nodes": ["one"]}], "dump_path": "HERE""#, "go with a watcher"),
    (r#""dump_list": [{"optype_blacklist": [{}]}], "dump_path": "HERE""#, "goes with `dump_level` `op`"),
    (r#""dump_list": [{"opname_range": [{}]}], "dump_path": "HERE", "dump_level": "op""#, "ranges of operators"),
    (r#""dump_list": [{}], "dump_path": "HERE", "dump_mode": "none""#, "`none`"),
    (r#""dump_path": "HERE", "dump_op_switch": "yes""#, "`yes`"),
    (r#""dump_path": "HERE", "dump_kernel_data": "printf,""#, "`dump_kernel_data` is ``"),
    (r#""dump_path": "HERE", "dump_stats": ["Most"], "dump_data": "stats""#, "`Most`"),
    (r#""dump_path": "HERE", "dump_stats": ["Max"]"#, "goes with `dump_data` `stats`"),
    (r#""dump_path": "HERE", "dump_stats": [], "dump_data": "stats""#, "is not empty"),
    (r#""dump_path": "HERE", "dump_step": "3-1""#, "`3-1`"),
    (r#""dump_path": "HERE", "dump_step": "1||2""#, "has ``"),
    (r#""dump_path": "HERE", "dump_step": "1-2-3""#, "`1-2-3`"),
    (r#""dump_path": "HERE", "dump_debug": "on", "dump_list": []"#, "with `dump_debug` on"),
    (r#""dump_path": "HERE", "dump_debug": "on", "dump_op_switch": "on""#, "`dump_op_switch` is not on"),
    (r#""dump_scene": "everything""#, "`everything`"),
    (r#""dump_scene": "lite_exception", "dump_list": []"#, "with a scene of failures"),
    (r#""dump_scene": "watcher", "dump_level": "op", "dump_path": "HERE""#, "with a watcher"),
    (r#""dump_scene": "watcher", "dump_list": [{}], "dump_path": "HERE""#, "go with a watcher"),
    (r#""dump_scene": "watcher", "dump_mode": "all", "dump_path": "HERE""#, "dumps outputs"),
];

/// Sections that are right, and of which nothing is dumped here.
const TAKEN_AS_THEY_ARE: [&str; 7] = [
    r#""dump_list": [], "dump_path": "HERE""#,
    r#""dump_path": "HERE", "dump_op_switch": "on", "dump_kernel_data": "printf,assert", "dump_level": "kernel""#,
    r#""dump_path": "HERE", "dump_debug": "on", "dump_step": "not looked at""#,
    r#""dump_path": "HERE", "dump_step": "0|3-7|5-5", "dump_data": "stats", "dump_stats": ["Max", "Positive Inf"]"#,
    r#""dump_scene": "aic_err_norm_dump", "dump_path": "/no/such/folder""#,
    r#""dump_scene": "watcher", "dump_path": "HERE""#,
    r#""dump_path": "HERE", "another": 1"#,
];

/// A folder that is not there is another machine's.
#[test]
fn a_start_refuses_dumps_that_cannot_be_followed_except_for_their_folder() {
    let (_world, folder) = (world(), Folder::new("refused-start"));
    for (section, _) in REFUSED {
        ascendcl_sim::control::reset();
        let code = call!(process::aclInit(folder.configuration(section).as_ptr()));
        assert_eq!(code, ACL_ERROR_INVALID_DUMP_CONFIG, "{section}");
    }
    let away = r#""dump_list": [{}], "dump_path": "/no/such/folder""#;
    for section in TAKEN_AS_THEY_ARE.into_iter().chain([away]) {
        ascendcl_sim::control::reset();
        ok!(process::aclInit(folder.configuration(section).as_ptr()));
    }
}

#[test]
fn a_dump_that_cannot_be_written_fails_the_run() {
    let (_world, folder) = (world(), Folder::new("unwritable"));
    ok!(process::aclmdlInitDump());
    let settings = folder.configuration(r#""dump_list": [{}], "dump_path": "HERE/inside""#);
    fs::create_dir(folder.0.join("inside")).unwrap();
    ok!(process::aclmdlSetDump(settings.as_ptr()));
    let id = load(&files::sum("2", None));
    fs::remove_dir(folder.0.join("inside")).unwrap();
    fs::write(folder.0.join("inside"), "a file").unwrap();
    let (input, output) = (dataset(&[(on_device(&bytes(&[1.0; 8])), 32)]), dataset(&[(device_memory(32), 32)]));
    fails!(ACL_ERROR_INVALID_FILE, "cannot be written", model::aclmdlExecute(id, input, output));
}

/// What `take` was given: file, offset, whether it was the last part, and the bytes.
static TAKEN: Mutex<Vec<(String, i64, bool, Vec<u8>)>> = Mutex::new(Vec::new());
static ANSWER: AtomicI32 = AtomicI32::new(0);

unsafe extern "C" fn take(chunk: *const acldumpChunk, length: i32) -> i32 {
    // SAFETY: the library hands over a part of a dump, whose length counts the structure and the bytes behind its members.
    let (head, bytes) = unsafe {
        let head = &*chunk;
        assert_eq!(length as usize, size_of::<acldumpChunk>() + head.bufLen as usize);
        (head, std::slice::from_raw_parts(head.dataBuf.as_ptr(), head.bufLen as usize))
    };
    let part = (string(head.fileName.as_ptr()), head.offset, head.isLastChunk == 1, bytes.to_vec());
    TAKEN.lock().unwrap().push(part);
    ANSWER.load(SeqCst)
}

#[test]
fn a_function_takes_dumps_in_place_of_files() {
    let (_world, folder) = (world(), Folder::new("function"));
    let all = r#""dump_list": [{}], "dump_path": "HERE", "dump_mode": "all""#;
    let path = || call!(dump::acldumpGetPath(acldumpType::DATA_DUMP));
    assert!(path().is_null(), "nothing is dumped");
    ok!(process::aclmdlInitDump());
    ok!(process::aclmdlSetDump(folder.configuration(all).as_ptr()));
    let told = path();
    assert_eq!(string(told), folder.0.to_str().unwrap());
    assert!(call!(dump::acldumpGetPath(acldumpType::AIC_ERR_BRIEF_DUMP)).is_null());
    assert_eq!(call!(dump::acldumpGetPath(acldumpType::OVERFLOW_DUMP)), told);
    fails!(ACL_ERROR_FAILURE, "flag 1", dump::acldumpRegCallback(None, 1));
    fails!(ACL_ERROR_FAILURE, "null", dump::acldumpRegCallback(None, 0));
    fails!(ACL_ERROR_FAILURE, "flag 1", dump::acldumpRegCallback(Some(take), 1));
    ok!(dump::acldumpRegCallback(Some(take), 0));
    let id = load(&files::sum("2", None));
    run(id, 1.0);
    let taken = std::mem::take(&mut *TAKEN.lock().unwrap());
    let [(input, 0, true, _), (output, 0, true, bytes)] = &taken[..] else { panic!("{taken:?}") };
    assert!(input.ends_with("input.0.x.npy") && output.ends_with("output.0.y.npy"), "{input} {output}");
    assert!(bytes.starts_with(b"\x93NUMPY"));
    assert_eq!(floats(&bytes[128..]), [11.0; 8]);
    assert_eq!(folder.dumped(), [""; 0]);
    // A function that cannot take it fails the run.
    ANSWER.store(-1, SeqCst);
    let (inputs, outputs) = (dataset(&[(on_device(&[0; 32]), 32)]), dataset(&[(device_memory(32), 32)]));
    fails!(ACL_ERROR_INVALID_FILE, "answered -1", model::aclmdlExecute(id, inputs, outputs));
    ANSWER.store(0, SeqCst);
    call!(dump::acldumpUnregCallback());
    run(id, 2.0);
    assert_eq!(folder.dumped().len(), 2, "files again");
    ok!(process::aclmdlFinalizeDump());
    assert!(path().is_null());
    assert_eq!(string(told), folder.0.to_str().unwrap(), "the text stays in place");
}

#[test]
fn a_large_dump_comes_in_parts_that_make_up_the_file() {
    let (_world, folder) = (world(), Folder::new("parts"));
    ok!(process::aclmdlInitDump());
    let outputs = r#""dump_list": [{}], "dump_path": "HERE""#;
    ok!(process::aclmdlSetDump(folder.configuration(outputs).as_ptr()));
    ok!(dump::acldumpRegCallback(Some(take), 0));
    TAKEN.lock().unwrap().clear();
    const ROWS: usize = 150_000;
    let size = ROWS * 16;
    let id = load(&files::sum(&ROWS.to_string(), None));
    let (inputs, outputs) = (dataset(&[(on_device(&vec![0; size]), size)]), dataset(&[(device_memory(size), size)]));
    ok!(model::aclmdlExecute(id, inputs, outputs));
    let taken = std::mem::take(&mut *TAKEN.lock().unwrap());
    assert!(taken.len() > 1);
    let mut file = Vec::new();
    for (index, (_, offset, last, bytes)) in taken.iter().enumerate() {
        assert_eq!((*offset as usize, *last), (file.len(), index + 1 == taken.len()));
        file.extend_from_slice(bytes);
    }
    assert_eq!(file.len(), 128 + size);
    call!(dump::acldumpUnregCallback());
}
