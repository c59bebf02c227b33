//! How much exists.

/// The objects that a program created and has not destroyed. Default contexts and default streams do not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Live {
    /// Contexts made by `aclrtCreateContext`.
    pub contexts: usize,
    /// Streams.
    pub streams: usize,
    /// Events.
    pub events: usize,
    /// Blocks of device memory.
    pub device_blocks: usize,
    /// Blocks of pinned host memory.
    pub host_blocks: usize,
    /// Allocator descriptors.
    pub allocator_descriptors: usize,
    /// Loaded models.
    pub models: usize,
    /// Model descriptions.
    pub model_descriptions: usize,
    /// Datasets.
    pub datasets: usize,
    /// Data buffers.
    pub data_buffers: usize,
    /// Tensor descriptions.
    pub tensor_descriptions: usize,
    /// Collections of operator attributes.
    pub operator_attributes: usize,
    /// Operator handles.
    pub operator_handles: usize,
    /// Labels of models that are built, and lists of labels.
    pub labels: usize,
    /// Descriptions of media processing: channels, pictures, streams of video, regions, configurations.
    pub media_descriptions: usize,
    /// Channels of tensors, their datasets and items; queues, their attributes, routes and queries.
    pub tensor_channel_objects: usize,
}

impl Live {
    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
