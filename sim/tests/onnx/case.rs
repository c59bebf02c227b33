//! One test of ONNX's: a model, and data sets of inputs and expected outputs.

use rten_onnx::onnx::{ModelProto, TensorProto};
use rten_onnx::protobuf::{DecodeMessage, ValueReader};
use std::path::{Path, PathBuf};

pub(crate) struct Case {
    pub(crate) name: String,
    /// The operator that it tests, or else the collection that it is from.
    pub(crate) group: String,
    pub(crate) folder: PathBuf,
    /// Relative and absolute, of floating-point outputs; `None` if the outputs are by chance.
    pub(crate) tolerance: Option<(f64, f64)>,
}

impl Case {
    /// All cases below a folder, by name.
    pub(crate) fn all(root: &Path) -> Vec<Self> {
        let mut cases = Vec::new();
        for kind in folders(root) {
            let nodes = kind.ends_with("node");
            for folder in folders(&kind) {
                let group = if nodes { operator(&folder) } else { name(&kind) };
                let numbers = std::fs::read_to_string(folder.join("tolerance.txt")).unwrap();
                let numbers: Vec<f64> = numbers.split_whitespace().map(|number| number.parse().unwrap()).collect();
                let tolerance = (!by_chance(&folder)).then_some((numbers[0], numbers[1]));
                cases.push(Self { name: name(&folder), group, tolerance, folder });
            }
        }
        cases
    }

    pub(crate) fn model(&self) -> Vec<u8> {
        std::fs::read(self.folder.join("model.onnx")).unwrap()
    }

    /// The model with all inputs but the first as constants, whose values are those of its only data set; `None` if it
    /// has other inputs or more data sets. What is known before a run is done in other ways than what is not.
    pub(crate) fn frozen(&self) -> Option<Vec<u8>> {
        let sets = self.data_sets();
        let mut model = ModelProto::parse_buf(&self.model()).ok()?;
        let graph = model.graph.as_mut().filter(|graph| sets.len() == 1 && graph.input.len() > 1)?;
        for (index, info) in graph.input.drain(1..).enumerate() {
            let file = std::fs::read(sets[0].join(format!("input_{}.pb", index + 1))).ok()?;
            info.r#type?.tensor_type?;
            let mut tensor = TensorProto::decode(ValueReader::from_buf(file)).ok()?;
            tensor.name = info.name;
            graph.initializer.push(tensor);
        }
        model.write_buf().ok()
    }

    pub(crate) fn data_sets(&self) -> Vec<PathBuf> {
        folders(&self.folder)
    }
}

fn by_chance(folder: &Path) -> bool {
    let bytes = std::fs::read(folder.join("model.onnx")).unwrap();
    let nodes = ModelProto::parse_buf(&bytes).unwrap().graph.unwrap().node;
    let draws = |operator: &str| operator.starts_with("Random") || matches!(operator, "Bernoulli" | "Multinomial");
    nodes.iter().any(|node| node.op_type.as_deref().is_some_and(draws))
}

/// The operator of a test's model. A test of an operator's expansion into simpler ones is named after that of the
/// operator itself.
fn operator(folder: &Path) -> String {
    let name = name(folder);
    let plain = name.split_once("_expanded").map(|(plain, _)| folder.with_file_name(plain));
    let folder = plain.filter(|plain| plain.is_dir()).unwrap_or_else(|| folder.to_path_buf());
    let bytes = std::fs::read(folder.join("model.onnx")).unwrap();
    let nodes = ModelProto::parse_buf(&bytes).unwrap().graph.unwrap().node;
    nodes.last().and_then(|node| node.op_type.clone()).unwrap_or_else(|| "none".to_string())
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}
