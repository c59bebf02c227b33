//! Waits for several pieces of work, on any streams of a context.

use super::Pending;
use super::payload::Payload;
use crate::brand::Brand;
use crate::current::Current;
use crate::error::Failed;
use ascendcl_macros::rule;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The pause before the next look at work that is not over. Each further pause is twice as long, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// What a wait for one of several pieces of work gave, or the work that failed, or could not be waited for.
type Waited<C, T> = Result<T, Failed<Pending<C, T>>>;

impl<C: Brand> Current<C> {
    /// Waits for each of these pieces of work, on any streams of the context (`aclrtSynchronizeStreamWithTimeout`). Returns
    /// what each wait gave, in the order of the list: a failure of one piece keeps none of the others. The whole list is made
    /// before the first wait, so an iterator may queue the work.
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let streams = [current.stream()?, current.stream()?, current.stream()?];
    /// let mut works = Vec::new();
    /// for (stream, value) in streams.iter().zip(1..) {
    ///     works.push(stream.set_bytes(current, current.device_buffer::<u8>(4)?, value)?);
    /// }
    /// let buffers = current.wait_all(works).into_iter().collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(buffers[2].to_vec(current)?, [3; 4]);
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// Futures of work ([`Pending::when_done`]) are awaited together by what executors have for that, for example
    /// `futures::future::join_all` and `select_all`.
    ///
    /// # Errors
    ///
    /// In the list: those of [`Pending::wait`], each with its work.
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn wait_all<T: Payload>( // STREAM-09, MEM-11: work of its own context: `context.enter(thread, |current| ...)`
        &self,
        works: impl IntoIterator<Item = Pending<C, T>>,
    ) -> Vec<Waited<C, T>> {
        let works: Vec<_> = works.into_iter().collect();
        works.into_iter().map(|work| work.wait(self)).collect()
    }

    /// As [`wait_all`](Self::wait_all), for at most `limit` in all, rounded up to whole milliseconds (STREAM-16). When it has
    /// passed, work that is over still comes back, and the code of the other errors
    /// [`is_timeout`](crate::error::Code::is_timeout).
    ///
    /// # Errors
    ///
    /// In the list: those of [`Pending::wait_within`], each with its work.
    #[rule(STREAM_16)]
    pub fn wait_all_within<T: Payload>(
        &self,
        works: impl IntoIterator<Item = Pending<C, T>>,
        limit: Duration,
    ) -> Vec<Waited<C, T>> {
        let works: Vec<_> = works.into_iter().collect();
        let until = Until::after(limit);
        works.into_iter().map(|work| work.wait_within(self, until.left())).collect()
    }

    /// Waits until one of these pieces of work is over (`aclrtStreamQuery`, repeatedly), removes it from the list, and waits for
    /// it, which does not block then. Returns its index and what the wait gave. `None` when the list is empty.
    ///
    /// Work that was queued later on the same stream counts, too, as for [`Pending::is_complete`]. Between two looks the
    /// thread sleeps for a millisecond at most. On a device that hangs this does not return: use
    /// [`wait_any_within`](Self::wait_any_within) there.
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let streams = [current.stream()?, current.stream()?];
    /// let mut works = Vec::new();
    /// for (stream, value) in streams.iter().zip(1..) {
    ///     works.push(stream.set_bytes(current, current.device_buffer::<u8>(4)?, value)?);
    /// }
    /// // Each result is used as soon as it is there.
    /// while let Some((_index, waited)) = current.wait_any(&mut works) {
    ///     println!("{:?}", waited?.to_vec(current)?);
    /// }
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Pending::wait`], with the work, which is not in the list any more; also [`Error::Vendor`](crate::Error::Vendor)
    /// when the library does not say whether a piece is over.
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn wait_any<T: Payload>( // STREAM-09, MEM-11: work of its own context: `context.enter(thread, |current| ...)`
        &self,
        works: &mut Vec<Pending<C, T>>,
    ) -> Option<(usize, Waited<C, T>)> {
        self.wait_for_one(works, None)
    }

    /// As [`wait_any`](Self::wait_any), for at most `limit`. `None` also when it has passed: then the list is unchanged.
    ///
    /// # Errors
    ///
    /// As for [`wait_any`](Self::wait_any).
    #[rule(STREAM_16)]
    pub fn wait_any_within<T: Payload>(
        &self,
        works: &mut Vec<Pending<C, T>>,
        limit: Duration,
    ) -> Option<(usize, Waited<C, T>)> {
        self.wait_for_one(works, Some(Until::after(limit)))
    }

    fn wait_for_one<T: Payload>(
        &self,
        works: &mut Vec<Pending<C, T>>,
        until: Option<Until>,
    ) -> Option<(usize, Waited<C, T>)> {
        let mut pause = FIRST_PAUSE;
        while !works.is_empty() {
            let mut looks = works.iter().map(|work| work.is_complete(self)).enumerate();
            match looks.find(|(_, look)| !matches!(look, Ok(false))) {
                Some((index, Ok(_))) => return Some((index, works.remove(index).wait(self))),
                Some((index, Err(error))) => return Some((index, Err(Failed { error, value: works.remove(index) }))),
                None => {}
            }
            let left = until.as_ref().map(Until::left);
            if left.is_some_and(|left| left.is_zero()) {
                return None;
            }
            sleep(left.map_or(pause, |left| left.min(pause)));
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
        None
    }
}

/// The end of a wait; `None` for a limit longer than all time.
struct Until(Option<Instant>);

impl Until {
    fn after(limit: Duration) -> Self {
        Self(Instant::now().checked_add(limit))
    }

    /// The time that is left.
    fn left(&self) -> Duration {
        self.0.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()))
    }
}
