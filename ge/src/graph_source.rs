//! The sources of graphs, the options, and the results of compiling a graph.

use ascendcl_ge_sys::{Format, Summary};
use ascendcl_macros::rule;
use core::ffi::c_void;
use core::ptr::NonNull;
use std::path::Path;

/// Where a graph comes from.
#[derive(Clone, Copy, Debug)]
pub struct GraphSource<'a>(Kind<'a>);

#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    OnnxFile(&'a Path),
    Onnx(&'a [u8]),
    AirFile(&'a Path),
    Graph(NonNull<c_void>),
}

impl<'a> GraphSource<'a> {
    /// An ONNX file (`aclgrphParseONNX`).
    pub fn onnx_file<P: AsRef<Path> + ?Sized>(path: &'a P) -> Self {
        Self(Kind::OnnxFile(path.as_ref()))
    }

    /// The contents of an ONNX file (`aclgrphParseONNXFromMem`).
    pub fn onnx(image: &'a [u8]) -> Self {
        Self(Kind::Onnx(image))
    }

    /// A graph that the vendor's tools saved as an `.air` file (`Graph::LoadFromFile`).
    pub fn air_file<P: AsRef<Path> + ?Sized>(path: &'a P) -> Self {
        Self(Kind::AirFile(path.as_ref()))
    }

    /// A graph that other code created: a pointer to a `ge::Graph`.
    ///
    /// It is the only source that the vendor's `libge_runtime_wrapper.so` takes.
    ///
    /// # Safety
    ///
    /// * `graph` points at a `ge::Graph` of the engine's own libraries, the ones that this program has loaded.
    /// * The object stays at this address until [`Session::add`](crate::Session::add) has returned, and no other thread
    ///   uses it before that.
    /// * The source is added once, to one session, and the object is not in a session already (GE-24), because the
    ///   session changes state that the object shares with its copies. Afterwards the object is only destroyed.
    #[rule(GE_24)]
    #[allow(unsafe_code, reason = "a declaration only: the caller vouches for the graph")]
    pub unsafe fn graph(graph: NonNull<c_void>) -> Self {
        Self(Kind::Graph(graph))
    }

    pub(crate) fn object(self) -> Option<NonNull<c_void>> {
        match self.0 {
            Kind::Graph(graph) => Some(graph),
            Kind::OnnxFile(_) | Kind::Onnx(_) | Kind::AirFile(_) => None,
        }
    }

    /// The engine's function that creates or accepts the graph.
    pub(crate) fn reader(self) -> &'static str {
        match self.0 {
            Kind::OnnxFile(_) => "aclgrphParseONNX",
            Kind::Onnx(_) => "aclgrphParseONNXFromMem",
            Kind::AirFile(_) => "Graph::LoadFromFile",
            Kind::Graph(_) => "AddGraph with options",
        }
    }

    pub(crate) fn path(self) -> Option<&'a Path> {
        match self.0 {
            Kind::OnnxFile(path) | Kind::AirFile(path) => Some(path),
            Kind::Onnx(_) | Kind::Graph(_) => None,
        }
    }

    pub(crate) fn image(self) -> Option<&'a [u8]> {
        match self.0 {
            Kind::Onnx(image) => Some(image),
            Kind::OnnxFile(_) | Kind::AirFile(_) | Kind::Graph(_) => None,
        }
    }

    pub(crate) fn format(self) -> Format {
        match self.0 {
            Kind::OnnxFile(_) => Format::OnnxFile,
            Kind::Onnx(_) => Format::OnnxMemory,
            Kind::AirFile(_) => Format::AirFile,
            Kind::Graph(_) => Format::Graph,
        }
    }
}

/// The vendor's option for the device of a session.
const DEVICE_OF_A_SESSION: &str = "ge.session_device_id";

/// Options of the engine, of a session or of a graph: the vendor's keys, with their values.
///
/// ```
/// use ascendcl_ge::Options;
///
/// let options = Options::new().with("ge.exec.precision_mode", "allow_fp32_to_fp16");
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[must_use = "options do nothing by themselves"]
pub struct Options(Vec<(String, String)>);

impl Options {
    /// No options: the engine's defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets an option. A later value for the same key replaces the earlier one.
    pub fn with(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        let key = key.into();
        self.0.retain(|(known, _)| *known != key);
        self.0.push((key, value.into()));
        self
    }

    pub(crate) fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    /// For a session on this device. Without the option, the session would use the engine's device. The program does not
    /// choose another one: the session would run in a context that is not current.
    #[rule(GE_18)]
    pub(crate) fn on_device(&self, device: i32) -> Self {
        self.clone().with(DEVICE_OF_A_SESSION, device.to_string())
    }

    /// For a graph of a session on this device. The options of a graph win over those of the session.
    #[rule(GE_18)]
    pub(crate) fn on_same_device(&self, device: i32) -> Self {
        if self.get(DEVICE_OF_A_SESSION).is_some() { self.on_device(device) } else { self.clone() }
    }

    /// The device that the engine sets for itself, with these options.
    #[rule(CTX_05, DEV_07)]
    pub(crate) fn own_device(&self) -> Option<i32> {
        let number = |key| self.get(key).and_then(|value| value.trim().parse::<i32>().ok());
        number("ge.exec.deviceId").or_else(|| number("ge.graphRunMode").filter(|mode| *mode >= 1).map(|_| 0))
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }
}

/// The result of compiling a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct GraphSummary {
    /// Whether all shapes are known. Only such a graph accepts memory of the caller, and has sizes.
    pub is_static: bool,
    /// Bytes of its constants.
    pub constants: usize,
    /// Bytes of its working memory.
    pub features: usize,
    /// Whether its working memory can be replaced between executions.
    pub refreshable: bool,
}

impl From<Summary> for GraphSummary {
    fn from(raw: Summary) -> Self {
        Self {
            is_static: raw.is_static != 0,
            refreshable: raw.feature_memory_is_refreshable != 0,
            constants: raw.const_bytes,
            features: raw.feature_bytes,
        }
    }
}
