//! A backend of a framework: `Send + Sync + 'static`, with a table of tensors that the framework knows by number.

use crate::common::{alone, library};
use ascendcl::operator::{DeviceTensor, Operator};
use ascendcl::{Error, Runtime, error::ObjectKind};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

ascendcl::names!(Backend);

trait Device: Send + Sync + 'static {
    fn upload(&self, numbers: &[f32]) -> Result<u64, Error>;
    fn relu(&self, x: u64) -> Result<u64, Error>;
    fn download(&self, x: u64) -> Result<Vec<f32>, Error>;
    fn free(&self, x: u64) -> Result<(), Error>;
}

type Tensor = DeviceTensor<Backend, f32>;

struct Ascend {
    tensors: Mutex<HashMap<u64, Tensor>>,
    next: AtomicU64,
    runtime: Runtime<Backend>,
}

impl Ascend {
    fn open() -> Result<Self, Error> {
        let runtime = Runtime::open(library())?;
        Ok(Self { tensors: Mutex::default(), next: AtomicU64::new(1), runtime })
    }

    fn keep(&self, tensor: Tensor) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.tensors.lock().unwrap().insert(number, tensor);
        number
    }

    fn take(&self, number: u64) -> Result<Tensor, Error> {
        let found = self.tensors.lock().unwrap().remove(&number);
        found.ok_or(Error::Gone { what: ObjectKind::DEVICE_MEMORY })
    }
}

impl Device for Ascend {
    fn upload(&self, numbers: &[f32]) -> Result<u64, Error> {
        let tensor = self.runtime.with(|current| current.upload_tensor(&[numbers.len()], numbers))??;
        Ok(self.keep(tensor))
    }

    fn relu(&self, x: u64) -> Result<u64, Error> {
        let input = self.take(x)?;
        let (input, output) = self.runtime.with(|current| {
            let stream = current.stream()?.without_allocator();
            let output = current.tensor::<f32>(input.shape())?;
            let relu = Operator::new("Relu").bind(current, input, output)?;
            let tensors = stream.launch(current, relu)?.wait(current)?.into_tensors(current)?;
            stream.destroy(current)?;
            Ok::<_, Error>(tensors)
        })??;
        self.tensors.lock().unwrap().insert(x, input);
        Ok(self.keep(output))
    }

    fn download(&self, x: u64) -> Result<Vec<f32>, Error> {
        let tensors = self.tensors.lock().unwrap();
        let tensor = tensors.get(&x).ok_or(Error::Gone { what: ObjectKind::DEVICE_MEMORY })?;
        self.runtime.with(|current| tensor.to_vec(current))?
    }

    fn free(&self, x: u64) -> Result<(), Error> {
        // Memory without a handle is freed here.
        drop(self.take(x)?);
        self.runtime.with(|current| current.collect().into_iter().next().map_or(Ok(()), Err))?
    }
}

#[test]
fn a_backend_behind_a_trait_serves_several_threads() {
    let alone = alone();
    let ascend = Arc::new(Ascend::open().unwrap());
    let device: Arc<dyn Device> = ascend.clone();
    let threads: Vec<_> = (0..4_u8)
        .map(|thread| {
            let device = Arc::clone(&device);
            std::thread::spawn(move || {
                for round in 0..10 {
                    let number = f32::from(thread) + round as f32;
                    let x = device.upload(&[number, -number]).unwrap();
                    let y = device.relu(x).unwrap();
                    assert_eq!(device.download(y).unwrap(), [number, 0.0]);
                    assert_eq!(device.download(x).unwrap(), [number, -number]);
                    device.free(x).unwrap();
                    device.free(y).unwrap();
                    assert!(device.download(x).is_err());
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(ascend.tensors.lock().unwrap().is_empty());
    // One tensor is still in the table when the backend is closed.
    device.upload(&[1.0]).unwrap();
    ascend.runtime.close().unwrap();
    alone.assert_nothing_lives();
}
