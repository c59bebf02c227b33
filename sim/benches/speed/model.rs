//! A model through the simulator, and the same model in `rten` alone, in turn.

use super::{median, ok, stream};
use ascendcl_sim::exports::{base::*, copy::*, memory::*, model::*, stream::*, tensor_desc::*};
use ascendcl_sys::types::*;
use rten::{NodeId, RunOptions, ThreadPool, Value, ValueOrView};
use rten_onnx::onnx::*;
use rten_tensor::{AsView, Tensor};
use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One image of the digits example: a run of microseconds, where what is around it shows.
pub(crate) fn small() -> bool {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/digits.onnx");
    let [alone, simulated] = compare(&std::fs::read(file).unwrap(), [1, 64], 10, 20_000);
    println!("digits, one image: {:?} in rten, {:?} on a stream (no bound)", alone.elapsed, simulated.elapsed);
    true
}

/// Four layers of 1024 columns over 64 rows: a run of milliseconds, as a model in use has. The bound is on the processor
/// time, which does not depend on what else the machine does.
pub(crate) fn large() -> bool {
    const MOST: f64 = 3.0;
    let [alone, simulated] = compare(&layers(4, 1024), [64, 1024], 64 * 1024, 300);
    let more = |alone: Duration, simulated: Duration| (simulated.as_secs_f64() / alone.as_secs_f64() - 1.0) * 100.0;
    let (busy, elapsed) = (more(alone.busy, simulated.busy), more(alone.elapsed, simulated.elapsed));
    println!("four layers of 1024 columns, 64 rows: {alone:?} in rten, {simulated:?} on a stream");
    println!("  {busy:.2} % more of the processor (at most {MOST} %), {elapsed:.2} % more time");
    busy < MOST
}

/// What a run took: in time, and of the processor.
#[derive(Clone, Copy, Debug)]
struct Took {
    elapsed: Duration,
    busy: Duration,
}

impl Took {
    fn of<R>(run: impl FnOnce() -> R) -> (Self, R) {
        let (start, busy) = (Instant::now(), busy());
        let result = run();
        (Self { elapsed: start.elapsed(), busy: self::busy().saturating_sub(busy) }, result)
    }

    fn median(runs: &[Self]) -> Self {
        let median = |part: fn(&Self) -> Duration| median(runs.iter().map(part).collect());
        Self { elapsed: median(|run| run.elapsed), busy: median(|run| run.busy) }
    }
}

/// The processor time of the process so far.
#[cfg(target_os = "linux")]
fn busy() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.try_into().unwrap())
}

/// Elsewhere the time itself has to do.
#[cfg(not(target_os = "linux"))]
fn busy() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

/// The medians of runs in `rten`, and of runs that are queued on a stream and waited for.
fn compare(file: &[u8], dims: [usize; 2], outputs: usize, rounds: usize) -> [Took; 2] {
    let elements: Vec<f32> = (0..dims[0] * dims[1]).map(|n| (n % 17) as f32 / 16.0).collect();
    let graph = rten::Model::load(file.to_vec()).unwrap();
    let (input, output) = (graph.input_ids()[0], graph.output_ids()[0]);
    // One thread, as the simulator has for a stream.
    let pool = Arc::new(ThreadPool::with_num_threads(1));
    let options = RunOptions::default().with_thread_pool(Some(pool));
    let simulated = Simulated::new(file, dims, &elements, outputs);
    let (mut direct, mut queued) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (took, expected) = Took::of(|| alone(&graph, input, output, &elements, dims, &options));
        direct.push(took);
        queued.push(simulated.run(&expected));
    }
    simulated.end();
    [Took::median(&direct), Took::median(&queued)]
}

/// A run from elements to elements: as the simulator does, it copies both.
fn alone(
    graph: &rten::Model,
    input: NodeId,
    output: NodeId,
    elements: &[f32],
    dims: [usize; 2],
    options: &RunOptions,
) -> Vec<f32> {
    let value = Value::from(Tensor::from_data(&dims, elements.to_vec()));
    let results = graph.run(vec![(input, ValueOrView::Value(value))], &[output], Some(options.clone())).unwrap();
    let result: Tensor<f32> = results.into_iter().next().unwrap().try_into().unwrap();
    result.to_vec()
}

/// The model, loaded, with its datasets.
struct Simulated {
    id: u32,
    stream: aclrtStream,
    input: *mut aclmdlDataset,
    output: *mut aclmdlDataset,
    place: *mut c_void,
    bytes: usize,
}

impl Simulated {
    fn new(file: &[u8], dims: [usize; 2], elements: &[f32], outputs: usize) -> Self {
        let mut id = 0;
        ok!(aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
        let from = device_memory(size_of_val(elements));
        let kind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
        ok!(aclrtMemcpy(from, size_of_val(elements), elements.as_ptr().cast(), size_of_val(elements), kind));
        let bytes = outputs * size_of::<f32>();
        let place = device_memory(bytes);
        let (input, output) = (dataset(from, size_of_val(elements)), dataset(place, bytes));
        let dims = dims.map(|dim| dim as i64);
        let (float, format) = (aclDataType::ACL_FLOAT, aclFormat::ACL_FORMAT_ND);
        // SAFETY: the array has two dims.
        let desc = unsafe { aclCreateTensorDesc(float, 2, dims.as_ptr(), format) };
        ok!(aclmdlSetDatasetTensorDesc(input, desc, 0));
        Self { id, stream: stream(), input, output, place, bytes }
    }

    fn run(&self, expected: &[f32]) -> Took {
        let (took, ()) = Took::of(|| {
            ok!(aclmdlExecuteAsync(self.id, self.input, self.output, self.stream));
            ok!(aclrtSynchronizeStream(self.stream));
        });
        let mut found = vec![0_f32; expected.len()];
        let kind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST;
        ok!(aclrtMemcpy(found.as_mut_ptr().cast(), self.bytes, self.place, self.bytes, kind));
        assert_eq!(found, expected);
        took
    }

    fn end(self) {
        ok!(aclrtDestroyStream(self.stream));
        ok!(aclmdlUnload(self.id));
    }
}

fn device_memory(bytes: usize) -> *mut c_void {
    let mut place = null_mut();
    ok!(aclrtMalloc(&mut place, bytes, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
    place
}

fn dataset(place: *mut c_void, bytes: usize) -> *mut aclmdlDataset {
    // SAFETY: the area is device memory of that size.
    let (dataset, buffer) = unsafe { (aclmdlCreateDataset(), aclCreateDataBuffer(place, bytes)) };
    ok!(aclmdlAddDatasetBuffer(dataset, buffer));
    dataset
}

/// `count` times `x = relu(x * weights)`, square weights of so many columns.
fn layers(count: usize, columns: usize) -> Vec<u8> {
    let port = |name: &str| ValueInfoProto {
        name: Some(name.to_owned()),
        r#type: Some(TypeProto {
            tensor_type: Some(TypeProtoTensor {
                elem_type: Some(DataType::FLOAT),
                shape: Some(TensorShapeProto {
                    dim: vec![
                        Dimension { dim_param: Some("rows".to_owned()), ..Default::default() },
                        Dimension { dim_value: Some(columns as i64), ..Default::default() },
                    ],
                }),
            }),
            ..Default::default()
        }),
    };
    let weights = (0..columns * columns).flat_map(|n| ((n % 13) as f32 / 1024.0).to_le_bytes()).collect();
    let weights = TensorProto {
        dims: vec![columns as i64; 2],
        data_type: Some(DataType::FLOAT),
        raw_data: Some(RefCell::new(weights)),
        name: Some("weights".to_owned()),
        ..Default::default()
    };
    let node = |operator: &str, inputs: &[&str], output: String| NodeProto {
        op_type: Some(operator.to_owned()),
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output],
        ..Default::default()
    };
    let steps = (0..count).flat_map(|layer| {
        let product = format!("p{layer}");
        let (before, after) = (format!("x{layer}"), format!("x{}", layer + 1));
        [node("MatMul", &[&before, "weights"], product.clone()), node("Relu", &[&product], after)]
    });
    let model = ModelProto {
        ir_version: Some(8),
        graph: Some(GraphProto {
            input: vec![port("x0")],
            output: vec![port(&format!("x{count}"))],
            node: steps.collect(),
            initializer: vec![weights],
            ..Default::default()
        }),
        opset_import: vec![OperatorSetIdProto { domain: None, version: Some(17) }],
        ..Default::default()
    };
    model.write_buf().unwrap()
}
