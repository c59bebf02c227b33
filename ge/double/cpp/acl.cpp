#include "acl.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

namespace acl {
namespace {

std::atomic<void *(*)(const char *)> resolver{nullptr};

void check(const char *call, int code) {
  if (code != 0) {
    throw std::runtime_error(std::string(call) + " answered " + std::to_string(code));
  }
}

template <typename... Arguments>
void done(const char *call, Arguments... arguments) {
  check(call, function<int(Arguments...)>(call)(arguments...));
}

template <typename... Arguments>
void *made(const char *call, Arguments... arguments) {
  void *answer = function<void *(Arguments...)>(call)(arguments...);
  check(call, answer == nullptr ? -1 : 0);
  return answer;
}

struct Dims {
  char name[128];
  size_t count;
  int64_t sizes[128];
};

std::vector<int64_t> dims_of(const char *call, void *description, size_t index) {
  Dims dims{};
  done(call, description, index, &dims);
  return {dims.sizes, dims.sizes + dims.count};
}

size_t elements(const std::vector<int64_t> &dims) {
  size_t product = 1;
  for (const int64_t size : dims) {
    product *= static_cast<size_t>(size);
  }
  return product;
}

}  // namespace

// To be destroyed when the execution is over.
class Dataset {
 public:
  explicit Dataset(const std::vector<Tensor> &tensors, bool with_shapes) : set_(made("aclmdlCreateDataset")) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      buffers_.push_back(made("aclCreateDataBuffer", tensors[i].address, tensors[i].bytes));
      done("aclmdlAddDatasetBuffer", set_, buffers_.back());
      if (with_shapes) {
        const Tensor &tensor = tensors[i];
        descriptions_.push_back(made("aclCreateTensorDesc", tensor.element, static_cast<int>(tensor.dims.size()),
                                     tensor.dims.data(), 2));
        done("aclmdlSetDatasetTensorDesc", set_, descriptions_.back(), i);
      }
    }
  }
  ~Dataset() {
    for (void *description : descriptions_) {
      function<void(void *)>("aclDestroyTensorDesc")(description);
    }
    for (void *buffer : buffers_) {
      function<int(void *)>("aclDestroyDataBuffer")(buffer);
    }
    function<int(void *)>("aclmdlDestroyDataset")(set_);
  }
  Dataset(const Dataset &) = delete;
  Dataset &operator=(const Dataset &) = delete;

  void *get() const { return set_; }

 private:
  void *set_;
  std::vector<void *> buffers_;
  std::vector<void *> descriptions_;
};

void use(void *(*resolve)(const char *name)) { resolver = resolve; }

void *find(const char *name) {
  void *(*resolve)(const char *) = resolver;
  void *found = resolve == nullptr ? nullptr : resolve(name);
  if (found == nullptr) {
    throw std::runtime_error(std::string("there is no ") + name);
  }
  return found;
}

Tensor of(const gert::Tensor &tensor) {
  const gert::Shape &shape = tensor.GetStorageShape();
  std::vector<int64_t> dims(shape.GetDimNum());
  for (size_t i = 0; i < dims.size(); ++i) {
    dims[i] = shape.GetDim(i);
  }
  const gert::TensorData &data = tensor.GetTensorData();
  return {static_cast<int32_t>(tensor.GetDataType()), std::move(dims), data.GetAddr(), data.GetSize()};
}

Model::Model(const std::vector<char> &file) {
  done("aclmdlLoadFromMem", static_cast<const void *>(file.data()), file.size(), &id_);
  void *description = made("aclmdlCreateDesc");
  try {
    done("aclmdlGetDesc", description, id_);
    const size_t inputs = function<size_t(void *)>("aclmdlGetNumInputs")(description);
    for (size_t i = 0; i < inputs; ++i) {
      inputs_.push_back(dims_of("aclmdlGetInputDims", description, i));
      for (const int64_t size : inputs_.back()) {
        is_static_ = is_static_ && size >= 0;
      }
    }
    const size_t outputs = function<size_t(void *)>("aclmdlGetNumOutputs")(description);
    for (size_t i = 0; i < outputs; ++i) {
      const int element = function<int(void *, size_t)>("aclmdlGetOutputDataType")(description, i);
      outputs_.push_back({element, dims_of("aclmdlGetOutputDims", description, i), nullptr, 0});
    }
    if (is_static_) {
      done("aclmdlQuerySizeFromMem", static_cast<const void *>(file.data()), file.size(), &feature_bytes_,
           &const_bytes_);
    }
  } catch (...) {
    function<int(void *)>("aclmdlDestroyDesc")(description);
    function<int(uint32_t)>("aclmdlUnload")(id_);
    throw;
  }
  function<int(void *)>("aclmdlDestroyDesc")(description);
}

Model::~Model() {
  runs_.clear();
  function<int(uint32_t)>("aclmdlUnload")(id_);
}

std::vector<Tensor> Model::outputs(const std::vector<Tensor> &inputs) const {
  int64_t open = -1;
  for (size_t i = 0; i < inputs.size() && i < inputs_.size(); ++i) {
    for (size_t j = 0; j < inputs_[i].size() && j < inputs[i].dims.size(); ++j) {
      open = open < 0 && inputs_[i][j] < 0 ? inputs[i].dims[j] : open;
    }
  }
  std::vector<Tensor> outputs = outputs_;
  for (Tensor &output : outputs) {
    std::replace_if(output.dims.begin(), output.dims.end(), [](int64_t size) { return size < 0; }, open);
    output.bytes = elements(output.dims) * function<size_t(int)>("aclDataTypeSize")(output.element);
  }
  return outputs;
}

void Model::execute(void *stream, const std::vector<Tensor> &inputs, const std::vector<Tensor> &outputs) {
  if (inputs.size() != inputs_.size() || outputs.size() != outputs_.size()) {
    throw std::runtime_error("the graph has another number of inputs or outputs");
  }
  runs_.push_back(std::make_unique<Dataset>(inputs, !is_static_));
  void *from = runs_.back()->get();
  runs_.push_back(std::make_unique<Dataset>(outputs, false));
  done("aclmdlExecuteAsync", id_, from, runs_.back()->get(), stream);
}

void launch(void *stream, void (*task)(void *)) {
  done("aclrtLaunchHostFunc", stream, task, static_cast<void *>(nullptr));
}

void *allocate(size_t bytes) {
  void *address = nullptr;
  done("aclrtMalloc", &address, bytes, 0);
  return address;
}

void *create_context(int device) {
  void *context = nullptr;
  return function<int(void **, int)>("aclrtCreateContext")(&context, device) == 0 ? context : nullptr;
}

void make_current(void *context) {
  if (context != nullptr) {
    function<int(void *)>("aclrtSetCurrentContext")(context);
  }
}

void destroy_context(void *context) {
  if (context != nullptr) {
    function<int(void *)>("aclrtDestroyContext")(context);
  }
}

bool set_device(int device) { return function<int(int)>("aclrtSetDevice")(device) == 0; }

bool reset_device(int device) { return function<int(int)>("aclrtResetDevice")(device) == 0; }

void free(void *address) { function<int(void *)>("aclrtFree")(address); }

}  // namespace acl
