//! The streams of captured instances. The library makes one for each stream that took part in the capture, when a program
//! asks for them. The checker hears of them then: one that is left shows that the instance was left.

use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::contexts::teardown::discard_stream;
use crate::machine::device::Device;
use crate::machine::recording::Recorder;
use crate::machine::recording::finished::{Finished, refuse_late};
use crate::machine::recording::tasks::Node;
use crate::machine::streams::stream::{Kind, Stream};
use crate::machine::streams::table;
use crate::machine::watch;
use ascendcl_rules::{Flag, Object, Op};
use ascendcl_sys::constants::ACL_STREAM_PERSISTENT;
use ascendcl_sys::types::aclmdlRITask;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// The streams of one instance.
pub(super) struct Parts {
    /// The numbers of those that took part.
    captured: Vec<usize>,
    own: Mutex<Vec<Arc<Stream>>>,
    late: Arc<AtomicBool>,
}

impl Parts {
    pub(super) fn new(captured: &[usize]) -> Self {
        Self { captured: captured.to_vec(), own: Mutex::default(), late: Arc::default() }
    }

    pub(super) fn streams(&self, context: usize, device: &Arc<Device>, nodes: &[Arc<Node>]) -> Answer<Vec<usize>> {
        let mut own = lock(&self.own);
        if own.is_empty() {
            for number in &self.captured {
                let kind = Kind { flags: ACL_STREAM_PERSISTENT, of_model: true, ..Kind::default() };
                let call = watch::call(Op::Create, Object::stream(0)).flag(Flag::Persistent, true).begin_always();
                let stream = table::create(context, device, kind)?;
                call.made(stream.number());
                let nodes = nodes.iter().filter(|node| node.stream() == *number).cloned().collect();
                stream.bind(Recorder::Finished(Arc::new(Finished { nodes, late: Arc::clone(&self.late) })));
                own.push(stream);
            }
        }
        Ok(own.iter().map(|stream| stream.number()).collect())
    }

    pub(super) fn refuse_late(&self) -> Answer {
        if self.late.load(SeqCst) { Err(refuse_late()) } else { Ok(()) }
    }

    /// The instance is destroyed.
    pub(super) fn release(&self) {
        for stream in std::mem::take(&mut *lock(&self.own)) {
            let ends = watch::call(Op::Destroy, Object::stream(stream.number() as u64)).begin_always();
            discard_stream(&stream);
            let _ = ends.end(Ok::<_, Failure>(()));
        }
    }
}

/// The handles of the tasks that a stream has as part of an instance.
pub(crate) fn tasks_of(stream: &Stream) -> Answer<Vec<aclmdlRITask>> {
    let nodes = match stream.recorder() {
        Some(Recorder::Finished(finished)) => finished.nodes.clone(),
        Some(Recorder::Built(assembly)) => assembly.nodes_of(stream.number()),
        _ => return Err(Failure::refused("the stream is part of no model instance; aclmdlRIGetStreams gives those")),
    };
    Ok(nodes.iter().map(Node::handle).collect())
}
