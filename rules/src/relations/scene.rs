//! One event, with everything that it names looked up.

use super::clock::Awaited;
use super::world::World;
use crate::events::{Access, Event, Flag, Kind, Object, Op, Place, Role, Span, Use};
use crate::finding::{Call, Finding};
use crate::rule::RuleId;
use std::borrow::Cow;

/// An event in which handles of default streams are replaced by [`Kind::DefaultStream`] objects, and the memory of its
/// datasets, models and graphs is listed.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) call: Call,
    pub(super) event: Event,
    pub(super) memory: Vec<MemoryUse>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryUse {
    pub(super) span: Span,
    pub(super) access: Access,
    pub(super) role: Role,
    pub(super) claimed: Option<Place>,
}

/// A call that has begun and not ended.
#[derive(Debug)]
pub(super) struct UnderWay {
    pub(super) scene: Scene,
    /// The work that is over when the call has returned successfully.
    pub(super) awaited: Awaited,
    /// The count of the work that it queues.
    pub(super) count: u64,
    /// The objects that the call's findings name, if it breaks a rule.
    pub(super) reported: Option<Vec<Object>>,
}

/// A scene that the relations check, and their findings.
pub(super) struct Case<'a> {
    pub(super) world: &'a World,
    pub(super) scene: &'a Scene,
    pub(super) findings: Vec<Finding>,
    /// An earlier finding has reported the mistake that this call repeats.
    pub(super) told: bool,
}

impl Scene {
    pub(super) fn new(world: &World, call: Call, event: &Event) -> Self {
        let mut event = event.clone();
        // A registration is for the handle itself, and an object that is about to be created has no handle yet.
        let literal = matches!(event.op, Op::Register | Op::Unregister | Op::Create | Op::AskDefaultStream);
        let context = event.context.filter(|_| !literal);
        let resolve = |object: &mut Object| {
            if let Some(default) = world.default_handles.get(object) {
                *object = *default;
            } else if let (Kind::Stream, 0, Some(context)) = (object.kind, object.number, context) {
                *object = Object::default_stream(context);
            }
        };
        resolve(&mut event.object);
        for used in &mut event.uses {
            if let Use::Queue(object) | Use::With(object) = used {
                resolve(object);
            }
        }
        let memory = memory_of(world, &event);
        Self { call, event, memory }
    }

    /// The data buffers that the call works with, through datasets or by themselves.
    pub(super) fn data_buffers<'a>(&'a self, world: &'a World) -> impl Iterator<Item = Object> + 'a {
        let datasets = self.event.others().filter(|object| object.kind == Kind::Dataset);
        datasets.filter_map(|dataset| world.datasets.get(dataset)).flat_map(|set| set.data.buffers.iter().copied())
    }

    /// The device of the stream that the call queues work on, or of the model that it loads or runs before it returns.
    pub(super) fn device_of_work(&self, world: &World) -> Option<u64> {
        match self.event.queue() {
            Some(queue) => Some(world.streams.get(queue)?.data.device),
            None if matches!(self.event.op, Op::Execute | Op::Load) => world.context_device(self.event.context),
            None => None,
        }
    }

    /// Whether the work that it queues runs functions of the program. These may use memory without an event.
    pub(super) fn runs_own_code(&self) -> bool {
        let instruction = |used: &MemoryUse| used.role == Role::Instruction;
        matches!(self.event.op, Op::LaunchCallback | Op::LaunchHostFunction)
            || self.event.op == Op::Replay && self.memory.iter().any(instruction)
    }

    /// Whether the work that it queues may write memory that the event does not name.
    pub(super) fn writes_unnamed(&self) -> bool {
        let unnamed = |used: &MemoryUse| used.span == UNNAMED && used.access == Access::Write;
        self.runs_own_code()
            || self.event.op == Op::Use && self.event.is(Flag::Elsewhere)
            || self.event.op == Op::Replay && self.memory.iter().any(unnamed)
    }

    /// Whether the call uses the object.
    pub(super) fn concerns(&self, world: &World, object: Object) -> bool {
        let named = self.event.object == object
            || self.event.others().any(|other| other == object)
            || self.data_buffers(world).any(|buffer| buffer == object);
        named && world.means(self.call, object)
    }

    /// Whether the work takes memory from the stream's allocator.
    pub(super) fn allocates(&self, world: &World) -> bool {
        let dynamic = world.models.get(self.event.object).is_some_and(|model| model.data.dynamic);
        self.event.is(Flag::Allocates) || (self.event.op == Op::Execute && dynamic)
    }
}

/// Memory that the device finds when it comes to the work, or the functions of the program use.
const UNNAMED: Span = Span::new(0, 0);

/// What captured work uses that its call does not name.
pub(super) fn unnamed_of(event: &Event) -> Option<Use> {
    let of = |access, role| Some(Use::Memory { span: UNNAMED, access, role, claimed: None });
    match event.op {
        Op::LaunchCallback | Op::LaunchHostFunction => of(Access::Read, Role::Instruction),
        Op::Use if event.is(Flag::Elsewhere) => of(Access::Write, Role::Target),
        _ => None,
    }
}

/// Whether the run of a model has working memory that no other run uses, unless it is given that, too.
pub(super) fn works_in_its_own(event: &Event) -> bool {
    event.uses.iter().any(|used| matches!(used, Use::Memory { role: Role::Workspace, .. }))
}

/// What tells runs of a model apart that have such memory.
pub(super) fn role_of_run(event: &Event) -> Role {
    if works_in_its_own(event) { Role::Workspace } else { Role::Contents }
}

pub(super) fn memory_of(world: &World, event: &Event) -> Vec<MemoryUse> {
    let mut memory = Vec::new();
    if event.object.kind == Kind::Graph && matches!(event.op, Op::Create | Op::Change) {
        // The call uses no memory. The graph's replays do.
        return memory;
    }
    let graph = world.graphs.get(event.object).filter(|_| event.op == Op::Replay);
    let captured = graph.into_iter().flat_map(|graph| &graph.data.memory);
    let mut add = |span: Span, access, role, claimed| {
        memory.extend(world.parts(span).map(|span| MemoryUse { span, access, role, claimed }));
    };
    for used in event.uses.iter().chain(captured) {
        let (dataset, access, role) = match *used {
            Use::Memory { span, access, role, claimed } => {
                add(span, access, role, claimed);
                continue;
            }
            Use::Inputs(dataset) => (dataset, Access::Read, Role::Input),
            Use::Outputs(dataset) => (dataset, Access::Write, Role::Output),
            Use::Queue(_) | Use::With(_) | Use::Room { .. } => continue,
        };
        let buffers = world.datasets.get(dataset).into_iter().flat_map(|set| &set.data.buffers);
        for buffer in buffers.filter_map(|buffer| world.data_buffers.get(*buffer)) {
            // For an output without an address, the library allocates memory.
            if buffer.data.span.start != 0 {
                add(buffer.data.span, access, role, Some(Place::Device));
            }
        }
    }
    if event.op == Op::Execute
        && let Some(model) = world.models.get(event.object)
    {
        // Working memory that the run is given comes in place of what the model was loaded with.
        let loaded_with = model.data.work.filter(|_| !works_in_its_own(event));
        loaded_with.into_iter().for_each(|span| add(span, Access::Write, Role::Workspace, None));
        model.data.weights.into_iter().for_each(|span| add(span, Access::Read, Role::Weights, None));
    }
    memory
}

impl<'a> Case<'a> {
    pub(super) fn new(world: &'a World, scene: &'a Scene) -> Self {
        Self { world, scene, findings: Vec::new(), told: false }
    }

    pub(super) fn event(&self) -> &'a Event {
        &self.scene.event
    }

    /// An address in the memory that these bytes belong to. A row that begins behind the end of its block belongs to the
    /// memory of the copy's first row, so that it breaks no rule but COPY-01.
    pub(super) fn begins(&self, span: Span) -> u64 {
        if self.world.block(span.start).is_some() {
            return span.start;
        }
        let states = |used: &Use| match *used {
            Use::Room { said, .. } if said.covers(span) => Some(said.start),
            _ => None,
        };
        self.event().uses.iter().find_map(states).unwrap_or(span.start)
    }

    /// Reports a broken rule. The returned [`Report`] takes more details.
    pub(super) fn report(
        &mut self,
        rule: RuleId,
        found: impl Into<Cow<'static, str>>,
        expected: impl Into<Cow<'static, str>>,
        fix: impl Into<Cow<'static, str>>,
    ) -> Report<'_, 'a> {
        let finding = Finding {
            rule,
            call: self.scene.call,
            caller: None,
            found: found.into(),
            expected: expected.into(),
            objects: Vec::new(),
            contradicts: None,
            fix: fix.into(),
            repeated: 0,
        };
        Report { case: self, finding: Some(finding) }
    }

    /// The calls that other threads are in.
    pub(super) fn elsewhere(&self) -> impl Iterator<Item = &'a UnderWay> + use<'a> {
        let thread = self.scene.call.thread;
        self.world.under_way.iter().filter(move |other| other.scene.call.thread != thread)
    }
}

/// A finding that is reported when this is dropped.
pub(super) struct Report<'c, 'a> {
    case: &'c mut Case<'a>,
    finding: Option<Finding>,
}

impl Report<'_, '_> {
    /// An object that is concerned.
    pub(super) fn about(self, object: Object) -> Self {
        self.all([object])
    }

    pub(super) fn all(mut self, objects: impl IntoIterator<Item = Object>) -> Self {
        if let Some(finding) = &mut self.finding {
            let concerned = |object| self.case.world.concerned(object);
            finding.objects.extend(objects.into_iter().map(concerned));
        }
        self
    }

    /// The earlier call that is contradicted, and what it did.
    pub(super) fn against(mut self, call: Call, what: impl Into<Cow<'static, str>>) -> Self {
        if let Some(finding) = &mut self.finding {
            finding.contradicts = Some((call, what.into()));
        }
        self
    }

    pub(super) fn against_any(self, earlier: Option<Call>, what: impl Into<Cow<'static, str>>) -> Self {
        match earlier {
            Some(call) => self.against(call, what),
            None => self,
        }
    }
}

impl Drop for Report<'_, '_> {
    fn drop(&mut self) {
        self.case.findings.extend(self.finding.take());
    }
}
