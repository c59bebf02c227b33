//! Programs as events: calls without ceremony, and the rules that they break.

use ascendcl_rules::*;

pub(crate) const DEVICE: Option<Place> = Some(Place::Device);
pub(crate) const HOST: Option<Place> = Some(Place::Host);

/// A process under watch. Its calls succeed unless the test says otherwise.
pub(crate) struct Program {
    pub(crate) checker: Checker,
    pub(crate) findings: Vec<Finding>,
    thread: Thread,
    /// The current context, thread by thread.
    contexts: Vec<Option<u64>>,
    inside: Option<Object>,
    next: u64,
}

/// The rules that a program breaks, in order, in a process that has not initialised the library.
pub(crate) fn without_library(run: impl FnOnce(&mut Program)) -> Vec<RuleId> {
    let mut program = Program::new();
    run(&mut program);
    program.findings.iter().map(|finding| finding.rule).collect()
}

/// The rules that a program breaks, in order. The library is initialised, and device 0 is set on thread 0.
pub(crate) fn broken(run: impl FnOnce(&mut Program)) -> Vec<RuleId> {
    findings(run).iter().map(|finding| finding.rule).collect()
}

pub(crate) fn findings(run: impl FnOnce(&mut Program)) -> Vec<Finding> {
    let mut program = Program::new();
    program.init();
    program.set(0);
    run(&mut program);
    program.findings.extend(program.checker.left_open());
    program.findings
}

/// What a program's findings say, without the texts of the rules.
pub(crate) fn says(run: impl FnOnce(&mut Program)) -> String {
    let lines = |finding: &Finding| {
        finding
            .to_string()
            .lines()
            .filter(|line| !line.starts_with("  rule:"))
            .fold(String::new(), |text, line| text + line + "\n")
    };
    findings(run).iter().map(lines).collect()
}

impl Program {
    pub(crate) fn new() -> Self {
        Self {
            checker: Checker::new(),
            findings: Vec::new(),
            thread: Thread(0),
            contexts: vec![None; 4],
            inside: None,
            next: 0x1_0000,
        }
    }

    /// Goes on as another thread.
    pub(crate) fn on(&mut self, thread: u64) -> &mut Self {
        self.thread = Thread(thread);
        self
    }

    /// Runs calls as a callback that the stream waits for.
    pub(crate) fn inside(&mut self, stream: Object, run: impl FnOnce(&mut Self)) {
        self.inside = Some(stream);
        run(self);
        self.inside = None;
    }

    pub(crate) fn fresh(&mut self) -> u64 {
        self.next += 0x1_0000;
        self.next
    }

    pub(crate) fn context(&mut self) -> &mut Option<u64> {
        &mut self.contexts[self.thread.0 as usize]
    }

    pub(crate) fn event(&mut self, call: &'static str, object: Object, op: Op) -> Event {
        let context = *self.context();
        let mut event = Event::new(call, object, op, self.thread).in_context(context);
        event.inside = self.inside;
        event
    }

    pub(crate) fn see(&mut self, event: &Event, outcome: Outcome) {
        let found = self.checker.observe(event, outcome);
        self.findings.extend(found);
    }

    pub(crate) fn begin(&mut self, event: &Event) {
        let found = self.checker.judge(event);
        self.findings.extend(found);
    }

    pub(crate) fn call(&mut self, call: &'static str, object: Object, op: Op) {
        let event = self.event(call, object, op);
        self.see(&event, Outcome::Success);
    }

    pub(crate) fn create(&mut self, event: &Event) -> Object {
        let number = self.fresh();
        self.see(event, Outcome::Created(number));
        Object { number, ..event.object }
    }

    pub(crate) fn init(&mut self) {
        self.call("aclInit", Object::PROCESS, Op::Initialise);
    }

    pub(crate) fn finalise(&mut self) {
        self.call("aclFinalize", Object::PROCESS, Op::Finalise);
    }

    /// The default context of device `id` is named 1000 + id.
    pub(crate) fn set(&mut self, id: u64) {
        let event = self.event("aclrtSetDevice", Object::device(id), Op::Set);
        self.see(&event, Outcome::Created(1000 + id));
        *self.context() = Some(1000 + id);
    }

    pub(crate) fn reset(&mut self, id: u64) {
        self.call("aclrtResetDevice", Object::device(id), Op::Reset);
        if *self.context() == Some(1000 + id) {
            *self.context() = None;
        }
    }

    pub(crate) fn new_context(&mut self, device: u64) -> Object {
        let event = self.event("aclrtCreateContext", Object::context(0), Op::Create);
        let context = self.create(&event.using(Use::With(Object::device(device))));
        *self.context() = Some(context.number);
        context
    }

    pub(crate) fn choose(&mut self, context: Object) {
        self.call("aclrtSetCurrentContext", context, Op::MakeCurrent);
        *self.context() = Some(context.number);
    }

    pub(crate) fn destroy_context(&mut self, context: Object) {
        self.call("aclrtDestroyContext", context, Op::Destroy);
        if *self.context() == Some(context.number) {
            *self.context() = None;
        }
    }

    pub(crate) fn end_thread(&mut self) {
        self.call("the end of the thread", Object::PROCESS, Op::EndThread);
    }

    pub(crate) fn stream(&mut self) -> Object {
        let event = self.event("aclrtCreateStream", Object::stream(0), Op::Create);
        self.create(&event)
    }

    pub(crate) fn destroy(&mut self, object: Object) {
        let call = match object.kind {
            Kind::Stream => "aclrtDestroyStream",
            Kind::Event => "aclrtDestroyEvent",
            Kind::Dataset => "aclmdlDestroyDataset",
            Kind::DataBuffer => "aclDestroyDataBuffer",
            _ => "aclrtAllocatorDestroyDesc",
        };
        self.call(call, object, Op::Destroy);
    }

    pub(crate) fn sync(&mut self, stream: Object) {
        self.call("aclrtSynchronizeStream", stream, Op::Synchronize);
    }

    pub(crate) fn sync_device(&mut self) {
        self.call("aclrtSynchronizeDevice", Object::PROCESS, Op::Synchronize);
    }

    /// An event with these properties.
    pub(crate) fn new_event(&mut self, flags: &[Flag]) -> Object {
        let mut event = self.event("aclrtCreateEventWithFlag", Object::event(0), Op::Create);
        event.flags = flags.to_vec();
        self.create(&event)
    }

    pub(crate) fn mark(&mut self) -> Object {
        self.new_event(&[Flag::Waitable, Flag::Timed])
    }

    pub(crate) fn record(&mut self, mark: Object, stream: Object) {
        let event = self.event("aclrtRecordEvent", mark, Op::Record).using(Use::Queue(stream));
        self.see(&event, Outcome::Success);
    }

    pub(crate) fn fence(&mut self, stream: Object) {
        let event = self.event("aclrtWaitAndResetNotify", stream, Op::Fence).using(Use::Queue(stream));
        self.see(&event, Outcome::Success);
    }

    pub(crate) fn wait(&mut self, stream: Object, mark: Object) {
        let event = self.event("aclrtStreamWaitEvent", mark, Op::Await).using(Use::Queue(stream));
        self.see(&event, Outcome::Success);
    }

    pub(crate) fn reset_event(&mut self, mark: Object, stream: Object) {
        let event = self.event("aclrtResetEvent", mark, Op::Reset).using(Use::Queue(stream));
        self.see(&event, Outcome::Success);
    }

    pub(crate) fn elapsed(&mut self, first: Object, last: Object) {
        let event = self.event("aclrtEventElapsedTime", first, Op::Elapsed).using(Use::With(last));
        self.see(&event, Outcome::Success);
    }

    fn allocate(&mut self, call: &'static str, bytes: u64, place: Option<Place>) -> Object {
        let event = self.event(call, Object::memory(0), Op::Allocate);
        let event = event.using(memory(Object::memory(0), bytes, Access::Write, Role::Contents, place));
        self.create(&event)
    }

    pub(crate) fn malloc(&mut self, bytes: u64) -> Object {
        self.allocate("aclrtMalloc", bytes, DEVICE)
    }

    pub(crate) fn malloc_host(&mut self, bytes: u64) -> Object {
        self.allocate("aclrtMallocHost", bytes, HOST)
    }

    pub(crate) fn free(&mut self, block: Object) {
        self.call("aclrtFree", block, Op::Free);
    }

    pub(crate) fn free_host(&mut self, block: Object) {
        self.call("aclrtFreeHost", block, Op::FreeHost);
    }

    /// A copy of 64 bytes; from device to host and so on as `from` and `to` say.
    pub(crate) fn copy_as(
        &mut self,
        to: (Object, Option<Place>),
        from: (Object, Option<Place>),
        queue: Option<Object>,
    ) {
        let (call, object) = match queue {
            Some(stream) => ("aclrtMemcpyAsync", stream),
            None => ("aclrtMemcpy", to.0),
        };
        let mut event = self.event(call, object, Op::Use);
        event.uses.extend(queue.map(Use::Queue));
        let event = event.using(memory(to.0, 64, Access::Write, Role::Target, to.1));
        let event = event.using(memory(from.0, 64, Access::Read, Role::Source, from.1));
        self.see(&event, Outcome::Success);
    }

    pub(crate) fn copy(&mut self, to: Object, from: Object, queue: impl Into<Option<Object>>) {
        self.copy_as((to, None), (from, None), queue.into());
    }

    /// Work on a stream that touches nothing.
    pub(crate) fn work(&mut self, stream: Object) {
        let event = self.event("aclrtMemsetAsync", stream, Op::Use).using(Use::Queue(stream));
        self.see(&event, Outcome::Success);
    }

    /// Work on a stream that takes memory from its allocator.
    pub(crate) fn allocating_work(&mut self, stream: Object) {
        let event = self.event("aclopExecuteV2", stream, Op::Use).using(Use::Queue(stream)).flag(Flag::Allocates);
        self.see(&event, Outcome::Success);
    }

    /// A model in this working memory and these weights.
    pub(crate) fn load(&mut self, work: Option<Object>, weights: Option<Object>) -> Object {
        let mut event = self.event("aclmdlLoadFromFileWithMem", Object::model(0), Op::Load);
        event.uses.extend(work.map(|block| memory(block, 64, Access::Write, Role::Workspace, DEVICE)));
        event.uses.extend(weights.map(|block| memory(block, 64, Access::Read, Role::Weights, DEVICE)));
        self.create(&event)
    }

    pub(crate) fn unload(&mut self, model: Object) {
        self.call("aclmdlUnload", model, Op::Unload);
    }

    pub(crate) fn data_buffer(&mut self, block: Object, bytes: u64) -> Object {
        let event = self.event("aclCreateDataBuffer", Object::data_buffer(0), Op::Create);
        self.create(&event.using(memory(block, bytes, Access::Read, Role::Contents, None)))
    }

    /// A dataset of one data buffer over this block.
    pub(crate) fn dataset(&mut self, block: Object) -> (Object, Object) {
        let buffer = self.data_buffer(block, 64);
        let event = self.event("aclmdlCreateDataset", Object::dataset(0), Op::Create);
        let dataset = self.create(&event);
        self.add(dataset, buffer);
        (dataset, buffer)
    }

    pub(crate) fn add(&mut self, dataset: Object, buffer: Object) {
        let event = self.event("aclmdlAddDatasetBuffer", dataset, Op::Add).using(Use::With(buffer));
        self.see(&event, Outcome::Success);
    }

    pub(crate) fn run(&mut self, model: Object, input: Object, output: Object, queue: impl Into<Option<Object>>) {
        let event = self.running(model, input, output, queue.into());
        self.see(&event, Outcome::Success);
    }

    /// The call is refused for what it breaks, as strict checks do.
    pub(crate) fn refused(&mut self, call: &'static str, object: Object, op: Op) {
        let event = self.event(call, object, op);
        self.see(&event, Outcome::Refused);
    }

    pub(crate) fn running(&mut self, model: Object, input: Object, output: Object, queue: Option<Object>) -> Event {
        let call = if queue.is_some() { "aclmdlExecuteAsync" } else { "aclmdlExecute" };
        let mut event = self.event(call, model, Op::Execute);
        event.uses.extend(queue.map(Use::Queue));
        event.using(Use::Inputs(input)).using(Use::Outputs(output))
    }

    /// A descriptor with these members, whose object is the one with this number.
    pub(crate) fn descriptor(&mut self, members: &[Member], object: u64) -> Object {
        let event = self.event("aclrtAllocatorCreateDesc", Object::descriptor(0), Op::Create);
        let descriptor = self.create(&event);
        for member in members {
            let event = self.event("aclrtAllocatorSetObjToDesc", descriptor, Op::SetMember(*member));
            let event = event.using(Use::With(Object::allocator(object)));
            self.see(&event, Outcome::Success);
        }
        descriptor
    }

    pub(crate) fn register(&mut self, stream: Object, descriptor: Object) {
        let event = self.event("aclrtAllocatorRegister", stream, Op::Register).using(Use::With(descriptor));
        self.see(&event, Outcome::Success);
    }

    pub(crate) fn unregister(&mut self, stream: Object) {
        self.call("aclrtAllocatorUnregister", stream, Op::Unregister);
    }

    pub(crate) fn subscribe(&mut self, stream: Object) {
        self.call("aclrtSubscribeReport", stream, Op::Subscribe);
    }

    /// Queues a callback; what comes back begins it.
    pub(crate) fn launch(&mut self, stream: Object, op: Op) -> Object {
        let callback = Object::callback(self.fresh());
        let event = self.event("aclrtLaunchCallback", stream, op);
        self.see(&event.using(Use::Queue(stream)).using(Use::With(callback)), Outcome::Success);
        callback
    }

    pub(crate) fn callback_begins(&mut self, callback: Object) {
        self.call("callback", callback, Op::Begin);
    }
}

pub(crate) fn memory(block: Object, bytes: u64, access: Access, role: Role, claimed: Option<Place>) -> Use {
    Use::Memory { span: Span::new(block.number, bytes), access, role, claimed }
}

/// A program that breaks exactly this rule, and one that differs in what mends it.
pub(crate) fn breaks(rule: RuleId, misuse: impl FnOnce(&mut Program), repaired: impl FnOnce(&mut Program)) {
    let found = findings(misuse);
    let rules: Vec<RuleId> = found.iter().map(|finding| finding.rule).collect();
    let report: String = found.iter().map(|finding| format!("{finding}\n")).collect();
    assert_eq!(rules, [rule], "{report}");
    assert!(report.contains(rule.rule().text), "{report}");
    let found = findings(repaired);
    assert!(found.is_empty(), "the repaired program breaks {}", found[0]);
}
