//! A web service: `cargo run --release --example 07_service`.
//!
//! An `axum` handler classifies images of handwritten digits (`POST /digits`, 64 numbers as JSON). The application's state owns
//! the runtime, and a pool of lanes: a stream, a model and its buffers, one per request that is under way. A request waits
//! for its work without blocking a thread, for at most [`LIMIT`]; one that is late or cancelled loses its lane, and what the lane had
//! is taken down when nothing uses it any more. Clients of this program send images over the loopback interface; then the
//! service is shut down and the runtime closed.
//!
//! Runs on the vendor's library if one is installed, else on the simulator. `ASCENDCL_LIBRARY` chooses: the path of a
//! library, or `sim`.

mod digits;

use ascendcl::{Error, HostBuffer, Library, Plain, Prepared, Runtime, Stream};
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use digits::{CLASSES, PIXELS, data, most_likely};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

ascendcl::names! {
    /// The context that the service works in.
    Digits,
}

/// How long a request waits for the device.
const LIMIT: Duration = Duration::from_secs(10);
/// How many requests are under way at a time; the others wait.
const LANES: usize = 4;
const CLIENTS: usize = 8;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The application's state.
struct Service {
    idle: Mutex<Vec<Lane>>,
    places: Semaphore,
    runtime: Runtime<Digits>,
}

/// What a request has for itself while it is under way.
struct Lane {
    stream: Stream<Digits, Plain>,
    model: Prepared<Digits>,
    pixels: HostBuffer<Digits, f32>,
    scores: HostBuffer<Digits, f32>,
}

impl Service {
    fn open() -> Result<Self, Error> {
        let runtime = Runtime::open(Library::VendorOrSimulator)?;
        Ok(Self { idle: Mutex::default(), places: Semaphore::new(LANES), runtime })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Lane>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An idle lane, or a new one.
    fn lane(&self) -> Result<Lane, Error> {
        if let Some(lane) = self.idle().pop() {
            return Ok(lane);
        }
        self.runtime.with(|current| {
            // Requests that were cancelled have left something, which may be over by now.
            current.collect().iter().for_each(|error| eprintln!("warning: {error}"));
            let model = current.load_model(data("digits.onnx"))?;
            Ok(Lane {
                stream: current.stream()?.without_allocator(),
                model: model.prepare(current, &[&[1, PIXELS]], &[&[1, CLASSES]])?,
                pixels: current.host_buffer(PIXELS)?,
                scores: current.host_buffer(CLASSES)?,
            })
        })?
    }

    async fn classify(&self, image: &[f32]) -> Result<usize, Failure> {
        let _place = self.places.acquire().await?;
        let Lane { stream, model, mut pixels, scores } = self.lane()?;
        let (stream, done) = self.runtime.with(|current| {
            pixels.slice_mut(current)?.copy_from_slice(image);
            let (pixels, model) = stream.copy_to_input(current, pixels, model, 0)?.split();
            let model = stream.execute(current, model)?;
            let work = stream.copy_from_output(current, model, 0, scores)?.join(pixels)?;
            let done = work.when_done(current, &stream)?;
            Ok::<_, Error>((stream, done))
        })??;
        // No thread is blocked here, and no context is current.
        let work = timeout(LIMIT, done).await?;
        let (lane, digit) = self.runtime.with(|current| {
            let ((model, scores), pixels) = work.wait(current)?;
            let digit = most_likely(scores.slice(current)?);
            Ok::<_, Error>((Lane { stream, model, pixels, scores }, digit))
        })??;
        self.idle().push(lane);
        Ok(digit)
    }
}

async fn digit(
    State(service): State<Arc<Service>>,
    Json(image): Json<Vec<f32>>,
) -> Result<Json<usize>, (StatusCode, String)> {
    if image.len() != PIXELS {
        return Err((StatusCode::BAD_REQUEST, format!("an image has {PIXELS} pixels, this one {}", image.len())));
    }
    let digit = service.classify(&image).await;
    digit.map(Json).map_err(|error| (StatusCode::SERVICE_UNAVAILABLE, error.to_string()))
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let images: Arc<[(usize, String)]> = digits::lines()?.into();
    let service = Arc::new(Service::open()?);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let app = Router::new().route("/digits", post(digit)).with_state(Arc::clone(&service));
    let (stop, stopped) = oneshot::channel::<()>();
    let server = axum::serve(listener, app).with_graceful_shutdown(async { stopped.await.unwrap_or(()) });
    let server = tokio::spawn(async { server.await });

    let start = Instant::now();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let images = Arc::clone(&images);
            tokio::spawn(async move {
                let mut right = 0;
                for (label, pixels) in images.iter().skip(client).step_by(CLIENTS) {
                    right += usize::from(ask(address, pixels).await? == label.to_string());
                }
                Ok::<_, Failure>(right)
            })
        })
        .collect();
    let mut right = 0;
    for client in clients {
        right += client.await??;
    }
    let (count, elapsed) = (images.len(), start.elapsed());
    println!("{right} of {count} right: {:.1} %", 100.0 * right as f64 / count as f64);
    println!("{:.0} requests a second by {CLIENTS} clients", count as f64 / elapsed.as_secs_f64());

    // Nobody listens any more, then: the server has ended.
    let _ = stop.send(());
    server.await??;
    service.runtime.close_within(LIMIT)?;
    println!("closed");
    Ok(())
}

/// One request, over a connection of its own. Answers the body of the response.
async fn ask(address: std::net::SocketAddr, pixels: &str) -> Result<String, Failure> {
    let mut connection = TcpStream::connect(address).await?;
    let body = format!("[{pixels}]");
    let head = "POST /digits HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json";
    connection.write_all(format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await?;
    let mut response = String::new();
    connection.read_to_string(&mut response).await?;
    let (head, body) = response.split_once("\r\n\r\n").ok_or("the service answered with no response")?;
    if head.starts_with("HTTP/1.1 200") { Ok(body.to_owned()) } else { Err(format!("{head}: {body}").into()) }
}
