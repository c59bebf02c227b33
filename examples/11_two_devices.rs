//! Two devices, each with its own thread and context: `cargo run --release --example 11_two_devices`.
//!
//! Device 0 produces numbers, and device 1 consumes them. The data goes through host memory, which works for every two
//! devices and lets the two threads go on by themselves. Devices that reach each other's memory can copy without the
//! host: see `Current::with_peer`. The names of the two contexts keep their buffers apart: the compiler's messages speak of
//! `Scoped<'_, Produces>` and `Scoped<'_, Consumes>`.
//!
//! Runs on the vendor's library if one is installed, else on the simulator. Set `ASCENDCL_LIBRARY` to the path of a
//! library, or to `sim`, to choose.

use ascendcl::{Acl, Current, Device, Library, Scoped, Thread};
use std::error::Error;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Instant;

ascendcl::names! {
    /// The context on device 0.
    Produces,
    /// The context on device 1.
    Consumes,
}

const BLOCKS: u32 = 200;
const LENGTH: usize = 1 << 18;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    match both() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn both() -> Result<(), Failure> {
    let acl = Acl::init(Library::VendorOrSimulator)?;
    eprintln!("{} device(s)", acl.device_count()?);
    let mut thread = Thread::new()?;
    let (first, second) = (acl.device(&mut thread, 0)?, acl.device(&mut thread, 1)?);
    // Takes of a device are counted. The device stays set until each take was reset.
    acl.device(&mut thread, 0)?.reset(&mut thread)?;

    let start = Instant::now();
    // A few vectors circulate. More would only wait in the channel.
    let (full, filled) = sync_channel(2);
    let (empty, emptied) = sync_channel(4);
    let sum = std::thread::scope(|scope| {
        let source = scope.spawn(|| produce(&first, full, emptied));
        let sum = consume(&second, &mut thread, filled, empty);
        source.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).and(sum)
    })?;
    let (elapsed, bytes) = (start.elapsed(), f64::from(BLOCKS) * (LENGTH * size_of::<u32>()) as f64);
    let expected: u64 = (0..BLOCKS).map(|block| u64::from(block % 256) * 0x0101_0101 * LENGTH as u64).sum();
    println!("sum of {BLOCKS} blocks: {sum} (expected {expected})");
    println!("{:.0} MB/s from device 0 to device 1", bytes / elapsed.as_secs_f64() / 1e6);

    first.reset(&mut thread)?;
    second.reset(&mut thread)?;
    acl.close()?;
    if sum == expected { Ok(()) } else { Err("the sums differ".into()) }
}

/// Fills blocks on the first device and copies them to the host.
fn produce(device: &Device<'_>, full: SyncSender<Vec<u32>>, emptied: Receiver<Vec<u32>>) -> Result<(), Failure> {
    let mut thread = Thread::new()?;
    on::<Produces, _>(device, &mut thread, |current| {
        let stream = current.stream()?;
        let mut block = current.upload(&vec![0_u32; LENGTH])?;
        for number in 0..BLOCKS {
            let host = emptied.try_recv().unwrap_or_else(|_| vec![0; LENGTH]);
            // The set and the copy run in stream order. One wait covers both.
            let set = stream.set_bytes(current, block, (number % 256) as u8)?;
            let copied = stream.copy_to_host(current, set, current.pageable_buffer(host))?;
            let (device, host) = copied.wait(current)?;
            block = device;
            if full.send(host.into_vec(current)?).is_err() {
                break;
            }
        }
        Ok::<_, ascendcl::Error>(())
    })
}

/// Copies blocks to the second device and back, and adds up their elements.
fn consume(
    device: &Device<'_>,
    thread: &mut Thread,
    filled: Receiver<Vec<u32>>,
    empty: SyncSender<Vec<u32>>,
) -> Result<u64, Failure> {
    on::<Consumes, _>(device, thread, |current| {
        let stream = current.stream()?;
        let mut block = current.upload(&vec![0_u32; LENGTH])?;
        let mut sum = 0;
        for elements in filled {
            let (host, device) = stream.copy_to_device(current, current.pageable_buffer(elements), block)?.split();
            let (device, host) = stream.copy_to_host(current, device, host)?.wait(current)?;
            block = device;
            let elements = host.into_vec(current)?;
            sum += elements.iter().copied().map(u64::from).sum::<u64>();
            // The producer may have ended.
            let _ = empty.try_send(elements);
        }
        Ok::<_, ascendcl::Error>(sum)
    })
}

/// Runs a program in a context of this name on the device.
fn on<N, R>(
    device: &Device<'_>,
    thread: &mut Thread,
    program: impl for<'c> FnOnce(&mut Current<Scoped<'c, N>>) -> Result<R, ascendcl::Error>,
) -> Result<R, Failure> {
    let ran = device.named_context::<N, _, _>(thread, |context, thread| context.enter(thread, program));
    // The error contains the program's result, which need not be `Send`. Its text is enough here.
    Ok(ran.map_err(|error| error.to_string())???)
}
