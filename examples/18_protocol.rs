//! `protocol!` for another C library: TCP sockets of POSIX. `cargo run --example 18_protocol`
//!
//! The program prints the diagram of a socket's life cycle. It exchanges a message over loopback with wrappers that
//! refuse wrong calls at compile time. Then the monitor checks the recorded calls and finds a call of `accept` that
//! came too early.

use ascendcl::protocol;
use libc::c_int;
use socket::{
    At, Bound, CanAccept, CanBind, CanClose, CanConnect, CanListen, CanRecv, CanSend, CanShutdown, Connected, Finished,
    Fresh, Listening, Monitor, Op, Outcome, State, Unspecified,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};

// ANCHOR: protocol
protocol! {
    /// A TCP socket.
    pub mod socket;

    [*] --> Fresh : socket;
    Fresh --> Bound : bind;
    Bound --> Listening : listen;
    /// TCP-01: connections wait in the queue that `listen` creates.
    Listening --> Listening : accept;
    /// The connection is a new socket.
    [*] --> Connected : accept;
    Fresh --> Connected : connect;
    /// TCP-02: after a failed connect the socket's state is unspecified; do not use it again.
    Fresh --> Unspecified : connect fails;
    Connected --> Connected : send;
    Connected --> Connected : recv;
    /// TCP-03: the peer sees the end of the data; its answer can still be read.
    Connected --> Finished : shutdown;
    Finished --> Finished : recv;
    Fresh --> [*] : close;
    Bound --> [*] : close;
    Listening --> [*] : close;
    Unspecified --> [*] : close;
    Connected --> [*] : close;
    Finished --> [*] : close;
    /// TCP-04: a failed `close` also frees the descriptor; a second call would close another socket.
    Fresh --> [*] : close fails;
    Bound --> [*] : close fails;
    Listening --> [*] : close fails;
    Unspecified --> [*] : close fails;
    Connected --> [*] : close fails;
    Finished --> [*] : close fails;

    on send {
        message: "nothing can be sent on a socket in state `{Self}`",
        label: "expected a socket in state `Connected`",
        note: "TCP-03: after a shutdown the library returns `EPIPE`, and may end the process with `SIGPIPE`",
        note: "send before `shutdown`",
    }

    on accept {
        message: "a socket in state `{Self}` has no connections to accept",
        label: "expected a socket in state `Listening`",
        note: "TCP-01: the library returns `EINVAL`",
        note: "call `listen` first",
    }
}
// ANCHOR_END: protocol

/// A socket in state `S`. A call that the state does not allow does not compile:
///
/// ```text
/// let (client, sent) = (client.shutdown()?, client.send(b"more")); // error[E0382]: borrow of moved value: `client`
/// client.shutdown()?.send(b"more"); // error[E0277]: nothing can be sent on a socket in state `Finished`
/// Socket::new(&trace)?.accept(); // error[E0277]: a socket in state `Fresh` has no connections to accept
/// ```
#[must_use = "dropping a socket closes it, but does not record that in the trace"]
struct Socket<'t, S: State> {
    descriptor: OwnedFd,
    calls: Calls<'t>,
    state: PhantomData<S>,
}

/// The error of a call, and the socket in the state after the failure.
struct Undone<'t, S: State> {
    error: io::Error,
    socket: Socket<'t, S>,
}

impl<'t> Socket<'t, Fresh> {
    fn new(trace: &'t Trace) -> io::Result<Self> {
        // SAFETY: `socket` takes no pointers.
        let made = checked(unsafe { libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) });
        Self::made(trace, Op::Socket, made)
    }
}

impl<'t, S: State> Socket<'t, S> {
    fn bind(self, port: u16) -> Result<Socket<'t, Bound>, Undone<'t, S>>
    where
        S: CanBind,
    {
        // The compiler compares the signature with the declaration.
        const { assert!(S::THEN.is(Bound::AT) && S::OTHERWISE.is(S::AT)) };
        let address = loopback(port);
        // SAFETY: `address` is a `sockaddr_in` of the size that is given, and lives during the call.
        let bound = checked(unsafe { libc::bind(self.raw(), (&raw const address).cast(), ADDRESS_SIZE) });
        self.then(Op::Bind, bound)
    }

    fn listen(self, waiting: c_int) -> Result<Socket<'t, Listening>, Undone<'t, S>>
    where
        S: CanListen,
    {
        const { assert!(S::THEN.is(Listening::AT) && S::OTHERWISE.is(S::AT)) };
        // SAFETY: `listen` takes no pointers.
        let listening = checked(unsafe { libc::listen(self.raw(), waiting) });
        self.then(Op::Listen, listening)
    }

    fn accept(&self) -> io::Result<Socket<'t, Connected>>
    where
        S: CanAccept,
    {
        const { assert!(S::THEN.is(S::AT) && S::OTHERWISE.is(S::AT)) };
        // SAFETY: null pointers say that the peer's address is not wanted.
        let made = checked(unsafe { libc::accept(self.raw(), std::ptr::null_mut(), std::ptr::null_mut()) });
        self.calls.record(Op::Accept, &made);
        Socket::made(self.calls.trace, Op::Accept, made)
    }

    fn connect(self, port: u16) -> Result<Socket<'t, Connected>, Undone<'t, Unspecified>>
    where
        S: CanConnect,
    {
        const { assert!(S::THEN.is(Connected::AT) && S::OTHERWISE.is(Unspecified::AT)) };
        let address = loopback(port);
        // SAFETY: `address` is a `sockaddr_in` of the size that is given, and lives during the call.
        let connected = checked(unsafe { libc::connect(self.raw(), (&raw const address).cast(), ADDRESS_SIZE) });
        self.then(Op::Connect, connected)
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<usize>
    where
        S: CanSend,
    {
        const { assert!(S::THEN.is(S::AT) && S::OTHERWISE.is(S::AT)) };
        // SAFETY: `bytes` can be read up to the length that is given.
        let sent = unsafe { libc::send(self.raw(), bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) };
        self.counted(Op::Send, sent)
    }

    fn recv(&mut self, buffer: &mut [u8]) -> io::Result<usize>
    where
        S: CanRecv,
    {
        const { assert!(S::THEN.is(S::AT) && S::OTHERWISE.is(S::AT)) };
        // SAFETY: `buffer` can be written up to the length that is given, and is not used elsewhere: it is borrowed
        // `mut`.
        let received = unsafe { libc::recv(self.raw(), buffer.as_mut_ptr().cast(), buffer.len(), 0) };
        self.counted(Op::Recv, received)
    }

    fn shutdown(self) -> Result<Socket<'t, Finished>, Undone<'t, S>>
    where
        S: CanShutdown,
    {
        const { assert!(S::THEN.is(Finished::AT) && S::OTHERWISE.is(S::AT)) };
        // SAFETY: `shutdown` takes no pointers.
        let finished = checked(unsafe { libc::shutdown(self.raw(), libc::SHUT_WR) });
        self.then(Op::Shutdown, finished)
    }

    fn close(self) -> io::Result<()>
    where
        S: CanClose,
    {
        const { assert!(S::THEN.is(At::End) && S::OTHERWISE.is(At::End)) };
        // SAFETY: the descriptor was owned by this socket, which is gone: nobody uses it after this call.
        let closed = checked(unsafe { libc::close(self.descriptor.into_raw_fd()) });
        self.calls.record(Op::Close, &closed);
        closed.map(drop)
    }

    /// A query, which is allowed in every state and is not a step of the life cycle.
    fn port(&self) -> io::Result<u16> {
        let (mut address, mut size) = (loopback(0), ADDRESS_SIZE);
        // SAFETY: `address` has the size that `size` says, and both can be written.
        checked(unsafe { libc::getsockname(self.raw(), (&raw mut address).cast(), &raw mut size) })?;
        Ok(u16::from_be(address.sin_port))
    }

    fn raw(&self) -> c_int {
        self.descriptor.as_raw_fd()
    }

    /// The socket that a call created.
    fn made(trace: &'t Trace, op: Op, made: io::Result<c_int>) -> io::Result<Self> {
        let calls = trace.object();
        calls.record(op, &made);
        // SAFETY: the call that made the descriptor gave it to its caller, who passes it here once.
        let descriptor = unsafe { OwnedFd::from_raw_fd(made?) };
        Ok(Self { descriptor, calls, state: PhantomData })
    }

    fn then<T: State, E: State>(self, op: Op, called: io::Result<c_int>) -> Result<Socket<'t, T>, Undone<'t, E>> {
        self.calls.record(op, &called);
        let Self { descriptor, calls, .. } = self;
        match called {
            Ok(_) => Ok(Socket { descriptor, calls, state: PhantomData }),
            Err(error) => Err(Undone { error, socket: Socket { descriptor, calls, state: PhantomData } }),
        }
    }

    fn counted(&self, op: Op, count: isize) -> io::Result<usize> {
        let count = usize::try_from(count).map_err(|_| io::Error::last_os_error());
        self.calls.record(op, &count);
        count
    }
}

/// Closes a socket after a failure. Every state allows `close`.
impl<S: CanClose> From<Undone<'_, S>> for io::Error {
    fn from(undone: Undone<'_, S>) -> Self {
        // The first error is the cause.
        let _ = undone.socket.close();
        undone.error
    }
}

fn main() -> io::Result<()> {
    println!("{}", socket::DIAGRAM);
    let trace = Trace::default();
    println!("the server answers: {:?}", String::from_utf8_lossy(&exchange(&trace, b"hello")?));
    accept_without_listen(&trace)?;
    trace.check();
    Ok(())
}

/// One thread is enough, because the library connects to a listening socket before the connection is accepted.
fn exchange(trace: &Trace, question: &[u8]) -> io::Result<Vec<u8>> {
    let listener = Socket::new(trace)?.bind(0)?.listen(1)?;
    let mut client = Socket::new(trace)?.connect(listener.port()?)?;
    client.send(question)?;
    let mut client = client.shutdown()?;

    let mut server = listener.accept()?;
    let answer = read_to_end(&mut server)?.to_ascii_uppercase();
    server.send(&answer)?;
    server.shutdown()?.close()?;
    listener.close()?;

    let answer = read_to_end(&mut client)?;
    client.close()?;
    Ok(answer)
}

/// A function that takes sockets in several states also uses a bound.
fn read_to_end<S: CanRecv>(socket: &mut Socket<'_, S>) -> io::Result<Vec<u8>> {
    let (mut all, mut buffer) = (Vec::new(), [0; 64]);
    loop {
        let count = socket.recv(&mut buffer)?;
        match buffer.get(..count) {
            Some([]) | None => return Ok(all),
            Some(read) => all.extend_from_slice(read),
        }
    }
}

/// A mistake that is possible without the types.
fn accept_without_listen(trace: &Trace) -> io::Result<()> {
    let bound = Socket::new(trace)?.bind(0)?;
    // SAFETY: null pointers say that the peer's address is not wanted.
    let accepted = checked(unsafe { libc::accept(bound.raw(), std::ptr::null_mut(), std::ptr::null_mut()) });
    bound.calls.record(Op::Accept, &accepted);
    println!("the library's answer to an early `accept`: {accepted:?}");
    bound.close()
}

/// The calls of a program in order, each with its object.
#[derive(Default)]
struct Trace {
    calls: RefCell<Vec<(usize, Op, Outcome)>>,
    objects: RefCell<usize>,
}

/// The calls of one object. A number identifies it, because the library reuses descriptors.
struct Calls<'t> {
    trace: &'t Trace,
    object: usize,
}

impl Calls<'_> {
    fn record<T>(&self, op: Op, called: &io::Result<T>) {
        let outcome = if called.is_ok() { Outcome::Done } else { Outcome::Failed };
        self.trace.calls.borrow_mut().push((self.object, op, outcome));
    }
}

impl Trace {
    fn object(&self) -> Calls<'_> {
        let mut objects = self.objects.borrow_mut();
        *objects += 1;
        Calls { trace: self, object: *objects }
    }

    /// Checks the calls of each object with a monitor.
    fn check(&self) {
        let mut monitors: BTreeMap<usize, Monitor> = BTreeMap::new();
        for (object, op, outcome) in self.calls.borrow().iter() {
            match monitors.entry(*object).or_default().step(*op, *outcome) {
                Ok(at) => println!("socket {object}: {op} -> {at}"),
                Err(refused) => println!("socket {object}: REFUSED {refused}"),
            }
        }
        for (object, monitor) in monitors.iter().filter(|(_, monitor)| ![At::Start, At::End].contains(&monitor.at())) {
            println!("socket {object}: LEFT in state {}", monitor.at());
        }
    }
}

/// Reads the library's error right after the call, before the next call overwrites it.
fn checked(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

const ADDRESS_SIZE: libc::socklen_t = size_of::<libc::sockaddr_in>() as libc::socklen_t;

fn loopback(port: u16) -> libc::sockaddr_in {
    libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: port.to_be(),
        sin_addr: libc::in_addr { s_addr: libc::INADDR_LOOPBACK.to_be() },
        sin_zero: [0; 8],
    }
}
