//! Datasets and data buffers.

rules! {
    ($) DATA doc_data {
        DATA_01 = "DATA-01" {
            text: "Destroying a data buffer never frees the memory it describes; that stays with the user.",
            misuse: "expecting the device memory to be released, or freeing it twice",
            consequence: "leak or double free",
            source: "aclDestroyDataBuffer",
            pages: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "A dataset owns its buffer records. The memory is a block with its own row.",
        }
        DATA_02 = "DATA-02" {
            text: "The described memory must outlive the data buffer and every execution that uses it; replacing it \
                leaves the old memory to the user.",
            misuse: "freeing the memory while the dataset is still used",
            consequence: "undefined",
            source: "aclCreateDataBuffer / aclUpdateDataBuffer",
            pages: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "A binding keeps the rows of its blocks until its datasets are destroyed. The datasets are \
                destroyed when no queued work uses them.",
        }
        DATA_03 = "DATA-03" {
            text: "A null data pointer is only allowed together with size zero; an empty tensor still needs at least \
                one byte.",
            misuse: "null with a size",
            consequence: "error / later failure",
            source: "aclCreateDataBuffer",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "A buffer record describes a block of at least one byte, or null with size zero for an output \
                that the library allocates.",
        }
        DATA_04 = "DATA-04" {
            text: "Destroying a dataset does not destroy its data buffers (the source only frees attached tensor \
                descriptions).",
            misuse: "destroying only the dataset, or destroying a buffer still in a dataset",
            consequence: "leak / dangling",
            source: "aclmdlDestroyDataset; samples",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "Destroying a dataset destroys its buffer records and then the list.",
            hole: "A list that the library refuses to destroy leaks.",
        }
        DATA_05 = "DATA-05" {
            text: "Descriptions, datasets, AIPP and config objects are destroyed by their own call, once.",
            misuse: "double destroy or wrong destroyer",
            consequence: "undefined",
            source: "aclmdlCreate*/Destroy* pairs",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "On every path, descriptions, datasets and their buffers are destroyed once, each by its own \
                call.",
        }
        DATA_06 = "DATA-06" {
            text: "For synchronous execution an empty output buffer lets the runtime allocate device memory that the \
                user must then free and reset; not documented for async.",
            misuse: "reusing the dataset without freeing, or relying on it with execute_async",
            consequence: "leak / missing output",
            source: "aclmdlExecute, output parameter",
            pages: [],
            basis: "doc+source",
            priority: 2,
            class: ByConstruction,
            means: "The crate takes over and frees the memory that the library allocated: `Model::run` immediately, \
                a bound model before its next execution and when it ends.",
            hole: "The vendor does not promise the allocation for executions on a stream. Reading an output without \
                memory returns `Error::OutputNotAllocated`.",
        }
        DATA_07 = "DATA-07" {
            text: "The dataset must provide as many inputs and outputs as the model has, in order, and none may be \
                null.",
            misuse: "one input missing",
            consequence: "100017 / 100018 / 100000",
            source: "100017, 100018; model source",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: RunTime,
            means: "The crate compares the given inputs and outputs, by order or by name, with the model's before it \
                calls the library.",
        }
        DATA_08 = "DATA-08" {
            text: "Each buffer must be at least as large as the description says.",
            misuse: "short buffer",
            consequence: "error or overrun",
            source: "aclmdlGetInputSizeByIndex / OutputSizeByIndex",
            pages: [],
            basis: "doc",
            priority: 1,
            class: RunTime,
            means: "The crate compares shapes and element types with the model's description. It allocates a buffer by \
                its shape, or by the size in the description if that is larger. `bind` and `reshape` refuse memory for an \
                output that is shorter than what an execution writes: the whole output of a model with fixed shapes, and \
                the output in the chosen gear, or in the largest one if the library does not say its shape in the gear.",
            hole: "If shapes are free and the model has no gears, only the library compares outputs with their memory.",
        }
        DATA_09 = "DATA-09" {
            text: "Tensor descriptions are attached after the buffers, at an existing index, within the compiled \
                range; only their shape counts, and a queried description belongs to the dataset and is replaced by \
                the next run.",
            misuse: "setting index 3 on a two-buffer dataset; keeping the pointer",
            consequence: "error / dangling",
            source: "aclmdlSetDatasetTensorDesc / GetDatasetTensorDesc",
            pages: [],
            basis: "doc+source",
            priority: 2,
            class: ByConstruction,
            means: "Descriptions are attached after the buffers, one for each input whose shape the model leaves \
                open. The crate copies the descriptions that a dataset returns.",
        }
        DATA_10 = "DATA-10" {
            text: "A dataset and its buffers must not be changed or destroyed while an async execution uses them.",
            misuse: "UpdateDataBuffer during execution",
            consequence: "undefined",
            source: "async execution",
            pages: [],
            basis: "derived",
            priority: 1,
            class: Compile,
            means: "The inputs and outputs of a queued model are inaccessible until its stream was waited for. Its \
                datasets stay as long. The library reads them in the call, and enters the memory that it allocates for \
                outputs at the end of the run, so the checker only warns.",
        }
        DATA_11 = "DATA-11" {
            text: "The dimension count must equal the array length and be non-negative.",
            misuse: "numDims larger than the array",
            consequence: "out-of-bounds read",
            source: "aclCreateTensorDesc",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "The dimension count and the dimensions come from one slice.",
        }
    }
}
