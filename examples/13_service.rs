//! A web service: `cargo run --release --example 13_service`.
//!
//! An `axum` handler classifies images of handwritten digits (`POST /digits`, 64 numbers as JSON). The application's state, in
//! `service/mod.rs`, owns the runtime and a pool of workers. A worker is a stream, a model and its buffers; each request that
//! is under way has one. A request waits for its turn and its work without blocking a thread, for at most [`LIMIT`]. If it is
//! late or cancelled, the task that has its worker goes on, and gives the worker back when the work is over: so a device that
//! is slow or hangs gets no more work than there are workers. Clients of this program send images over the loopback interface.
//! Then the service is shut down and the runtime closed.
//!
//! Runs on the vendor's library if one is installed, else on the simulator. `ASCENDCL_LIBRARY` chooses: the path of a
//! library, or `sim`.

mod digits;
mod service;

use ascendcl::{Library, Setup};
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use digits::PIXELS;
use service::Service;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// How long a request waits for its turn and the device.
const LIMIT: Duration = Duration::from_secs(10);
/// How many requests are under way at a time; the others wait.
const WORKERS: usize = 4;
const CLIENTS: usize = 8;

type Failure = Box<dyn std::error::Error + Send + Sync>;

async fn digit(
    State(service): State<Arc<Service>>,
    Json(image): Json<Vec<f32>>,
) -> Result<Json<usize>, (StatusCode, String)> {
    if image.len() != PIXELS {
        return Err((StatusCode::BAD_REQUEST, format!("an image has {PIXELS} pixels, this one {}", image.len())));
    }
    let digit = service.classify(&image, LIMIT).await;
    digit.map(Json).map_err(|error| (StatusCode::SERVICE_UNAVAILABLE, error.to_string()))
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let images: Arc<[(usize, String)]> = digits::lines()?.into();
    let setup = Setup::builder().library(Library::VendorOrSimulator).teardown_timeout(LIMIT).build();
    let service = Arc::new(Service::open(setup, WORKERS)?);
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

    // If the channel is closed, the server has ended.
    let _ = stop.send(());
    server.await??;
    service.close(LIMIT)?;
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
