//! Models.

rules! {
    ($) MODEL doc_model {
        MODEL_01 = "MODEL-01" {
            text: "Loading, executing and unloading one model must all happen in the same context.",
            misuse: "load in ctx A on thread 1, execute on thread 2 with ctx B",
            consequence: "ACL_ERROR_RT_MODEL_CONTEXT 107004 or failure",
            source: "load_from_mem_with_mem, restrictions; aclmdlExecute, aclmdlUnload",
            pages: [ModelLoading],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "A `Model` carries the brand of its context, and every method that calls the library takes a \
                `Current` of that context. The scope unloads forgotten models.",
        }
        MODEL_02 = "MODEL-02" {
            text: "User-supplied work memory must not be freed while the model executes.",
            misuse: "freeing the workspace after load",
            consequence: "undefined",
            source: "load_from_mem_with_mem, work_ptr",
            pages: [ModelLoading],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "A loaded model keeps the row of its working memory. A kept row is not freed.",
            hole: "If the library refuses to unload a model, the model's memory leaks.",
        }
        MODEL_03 = "MODEL-03" {
            text: "User-supplied weight memory must not be freed while the model executes.",
            misuse: "freeing weights after load",
            consequence: "undefined",
            source: "load_from_mem_with_mem, weight_ptr",
            pages: [ModelLoading],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "A loaded model keeps the row of its weights. A kept row is not freed.",
            hole: "If the library refuses to unload a model, the model's memory leaks.",
        }
        MODEL_04 = "MODEL-04" {
            text: "Models may share one workspace only if they run strictly one after another.",
            misuse: "two models with one workspace executed concurrently",
            consequence: "corrupted intermediate data",
            source: "load_from_mem_with_mem, work_ptr note",
            pages: [ModelLoading],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "A `Workspace` moves into one model, or into a `WorkspaceLane` or `WorkspaceMutex`. The models of a lane have \
                its brand and run through it only. Of two stored lanes with one name, a model of the other one is \
                `Error::OtherWorkspace`.",
        }
        MODEL_05 = "MODEL-05" {
            text: "With asynchronous execution, sharing models must all use a single stream (current manual keeps only \
                the lock advice).",
            misuse: "models sharing a workspace on two streams",
            consequence: "corruption",
            source: "load_from_mem_with_mem, asynchronous note",
            pages: [ModelLoading],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "A `WorkspaceLane` owns one stream and queues all its models there.",
        }
        MODEL_06 = "MODEL-06" {
            text: "With synchronous execution, a lock must serialise the models that share a workspace.",
            misuse: "two threads call aclmdlExecute on sharing models",
            consequence: "corruption",
            source: "load_from_mem_with_mem, synchronous note",
            pages: [ModelLoading],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "`WorkspaceLane::run` takes `&mut` of the lane, which is not `Sync`, and first waits for the work that the \
                lane has queued. `WorkspaceMutex::run` holds a lock during the execution, and no code of the program \
                runs meanwhile.",
        }
        MODEL_07 = "MODEL-07" {
            text: "The shared workspace must be large enough: the English page on loading a model from memory asks \
                for the sum of all models' needs, the Chinese edition for the maximum.",
            misuse: "sizing for the smaller model",
            consequence: "overrun",
            source: "load_from_mem_with_mem, workspace size",
            pages: [ModelLoading],
            basis: "doc+search",
            priority: 1,
            class: RunTime,
            means: "The crate adds up the sizes from `aclmdlQuerySize` of all models in a workspace. A load that \
                does not fit is an `Error::TooShort`, and the library is not asked to load.",
            hole: "The size is what the library reports for the file at that moment.",
        }
        MODEL_08 = "MODEL-08" {
            text: "A null work or weight pointer means the system manages that memory and the matching size is \
                ignored.",
            misuse: "passing a size with a null pointer and expecting it to be used",
            consequence: "size ignored",
            source: "load_from_mem_with_mem, null pointers",
            pages: [ModelLoading],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "An address and its size come from one optional block. Without a block, null and zero are passed.",
        }
        MODEL_09 = "MODEL-09" {
            text: "Several threads that each load the model may share one read-only weight buffer, which must stay \
                allocated as long as any of them uses it and must not be written.",
            misuse: "first thread frees the shared weights",
            consequence: "undefined",
            source: "load_from_mem_with_mem, weight sharing note",
            pages: [ModelLoading],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "`Weights` are shared pointers to memory that no method writes. Each loaded model keeps one.",
            hole: "The crate trusts the library to write the weights at the first load only. Files are compared by \
                path, size and modification time, so the crate does not notice a file that is replaced during the \
                load.",
        }
        MODEL_10 = "MODEL-10" {
            text: "The buffer holding the model file must be host memory when the program runs on the host and device \
                memory when it runs on the device.",
            misuse: "device pointer in host mode",
            consequence: "load fails / invalid address 145007",
            source: "load_from_mem_with_mem, model parameter",
            pages: [ModelLoading],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "The image is a slice in host memory. If the program runs on the device, the image is copied to \
                device memory for the duration of the call.",
        }
        MODEL_11 = "MODEL-11" {
            text: "The size argument is the byte length of the model data.",
            misuse: "wrong length",
            consequence: "145006 / 100015",
            source: "load_from_mem_with_mem, model_size",
            pages: [ModelLoading],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "The size is the length of the slice.",
        }
        MODEL_12 = "MODEL-12" {
            text: "The returned model id identifies the model in all later calls and only exists if loading succeeded.",
            misuse: "using the id after a failed load, or inventing one",
            consequence: "ACL_ERROR_INVALID_MODEL_ID 100011 / 145003",
            source: "load_from_mem_with_mem, return value",
            pages: [ModelLoading],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "The id is private to a `Model`. Only a successful load creates a `Model`.",
        }
        MODEL_13 = "MODEL-13" {
            text: "All five product families of the page are listed without an exclusion (table marks lost); IPV350 is \
                unsupported in the current reference.",
            misuse: "calling on IPV350",
            consequence: "unsupported",
            source: "load_from_mem_with_mem, product table",
            pages: [ModelLoading],
            basis: "doc",
            priority: 3,
            class: Limit,
            means: "The library's refusal is an `Error::Vendor`.",
            hole: "This project does not know the name that the library reports for IPV350, so the crate does not \
                recognise the product.",
        }
        MODEL_14 = "MODEL-14" {
            text: "A model is unloaded exactly once, after execution is complete and when nothing else uses it; it \
                cannot be used afterwards.",
            misuse: "unload while an async execution is in flight; double unload",
            consequence: "undefined / 100011, 145003",
            source: "aclmdlUnload",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "`Model::unload` takes the model by value. A model in flight is inaccessible, and a stamp \
                prevents unloading a model that queued work uses.",
        }
        MODEL_15 = "MODEL-15" {
            text: "One model id must not be executed on several streams at the same time.",
            misuse: "execute_async(m, s1) then execute_async(m, s2) without synchronise",
            consequence: "error",
            source: "aclmdlExecuteAsync, constraints",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "A queued model is inaccessible until its stream was waited for.",
        }
        MODEL_16 = "MODEL-16" {
            text: "Threads sharing a model id must hold one lock over both the input/output refresh and the execution.",
            misuse: "two threads, each copying inputs then executing",
            consequence: "mixed inputs and outputs",
            source: "aclmdlExecute / aclmdlExecuteAsync, constraints",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "A `Model` is `Send` and not `Sync`. Running a model takes `&mut` of it together with its inputs.",
        }
        MODEL_17 = "MODEL-17" {
            text: "After async execution the outputs may be read, and the memory of inputs and outputs written or \
                released, only after a synchronise. The datasets stay as they are at least until the call has returned.",
            misuse: "reading outputs right after the call",
            consequence: "stale data / corruption",
            source: "aclmdlExecuteAsync; developer guide on asynchronous execution",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "A queued model takes its inputs and outputs along, with the datasets that name them. \
                `Pending::wait` returns them.",
        }
        MODEL_18 = "MODEL-18" {
            text: "Model inputs and outputs are device memory.",
            misuse: "host buffer in a dataset",
            consequence: "failure",
            source: "aclmdlExecute, constraints",
            pages: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "The model's own methods allocate inputs and outputs on the device. A dataset contains nothing \
                else.",
        }
        MODEL_19 = "MODEL-19" {
            text: "Sizes cannot be queried for models with undetermined input shapes, and such models cannot use \
                user-managed memory.",
            misuse: "load_*_with_mem for a dynamic-shape model",
            consequence: "error; source: runtime-v2 models ignore the work pointer",
            source: "aclmdlQuerySize / QuerySizeFromMem",
            pages: [],
            basis: "doc+source",
            priority: 2,
            class: RunTime,
            means: "`Current::model_size`, `Current::weights` and each load onto a workspace or weights query the \
                sizes first and return the library's refusal.",
        }
        MODEL_20 = "MODEL-20" {
            text: "A dynamic model needs its shape chosen before each execution, through exactly one of the four \
                setters, on the model's dedicated dynamic input, with a value compiled into the model.",
            misuse: "executing without choosing, mixing two setters, or an unlisted batch size",
            consequence: "145011-145013, 100019 or largest gear used",
            source: "aclmdlSetDynamicBatchSize/HWSize/InputDynamicDims/SetDatasetTensorDesc",
            pages: [],
            basis: "doc",
            priority: 2,
            class: RunTime,
            means: "The crate compares shapes with those that the model was compiled for. It sets them with the setter \
                that the model was compiled for: when the model gets its buffers (`bind`, `run`), and at `reshape`. They \
                hold until the next `reshape`, so an execution sets nothing.",
        }
        MODEL_21 = "MODEL-21" {
            text: "Config-based loading: create handle, set the mandatory attributes for the chosen load type, load, \
                destroy handle; pointers set as attributes must be valid at load.",
            misuse: "LoadWithConfig without a load type",
            consequence: "error",
            source: "aclmdlCreateConfigHandle .. LoadWithConfig",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for loading by a configuration.",
        }
        MODEL_22 = "MODEL-22" {
            text: "External weights must be copied in before load, be 32-byte aligned in size and stay allocated while \
                the model runs; this setting beats the weight directory option.",
            misuse: "freeing after load",
            consequence: "undefined",
            source: "aclmdlSetExternalWeightAddress",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for external weights.",
        }
        MODEL_23 = "MODEL-23" {
            text: "Bundles are loaded/initialised and unloaded as a whole; inner model ids must go through the bundle \
                calls.",
            misuse: "aclmdlUnload on an inner id",
            consequence: "ACL_ERROR_INVALID_PARAM (source); 148053 for a bad bundle id",
            source: "aclmdlBundle*",
            pages: [],
            basis: "doc+source",
            priority: 3,
            class: NotOffered,
            means: "There are no bundles.",
        }
        MODEL_24 = "MODEL-24" {
            text: "A description read from file or memory cannot answer runtime queries, and name pointers die with \
                the description.",
            misuse: "GetCurOutputDims on a file description; keeping the name",
            consequence: "error / dangling",
            source: "aclmdlGetDescFromFile/Mem, aclmdlGetTensorRealName",
            pages: [],
            basis: "doc",
            priority: 3,
            class: ByConstruction,
            means: "The crate reads descriptions from loaded models and copies their names.",
        }
        MODEL_25 = "MODEL-25" {
            text: "Queue-based loading supports fixed-shape models only and needs one queue id per input and output.",
            misuse: "dynamic model with queues",
            consequence: "error",
            source: "aclmdlLoad*WithQ",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for loading with queues.",
        }
        MODEL_26 = "MODEL-26" {
            text: "The execution-config handle must not be null and the async V2 call refuses a null stream; support \
                differs per product.",
            misuse: "null handle",
            consequence: "error",
            source: "aclmdlExecuteV2 / ExecuteAsyncV2",
            pages: [],
            basis: "doc+source",
            priority: 3,
            class: NotOffered,
            means: "There is no API for execution configurations.",
        }
        MODEL_27 = "MODEL-27" {
            text: "A model file must match the installed version, and the number of loaded models is bounded by device \
                resources.",
            misuse: "loading many models",
            consequence: "100012 / 207010",
            source: "error 100012, 207010",
            pages: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "The library's refusal is an `Error::Vendor` with its code and text.",
        }
        MODEL_28 = "MODEL-28" {
            text: "With dump enabled, models must run serially, preferably in one thread, with a synchronise after \
                every async run.",
            misuse: "dumping two models at once",
            consequence: "wrong dump indices",
            source: "aclInit dump notes",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for dumps.",
        }
    }
}
