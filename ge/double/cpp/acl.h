// The functions of AscendCL that the double runs graphs with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "exe_graph/runtime/tensor.h"

namespace acl {

void *find(const char *name);
void use(void *(*resolve)(const char *name));

// Answers with the function of this name; throws when there is none.
template <typename Function>
Function *function(const char *name) {
  return reinterpret_cast<Function *>(find(name));
}

struct Tensor {
  int32_t element;
  std::vector<int64_t> dims;
  void *address;
  size_t bytes;
};

Tensor of(const gert::Tensor &tensor);

class Dataset;

// A model file in AscendCL's model engine.
class Model {
 public:
  // Throws a std::runtime_error that says what AscendCL answered.
  explicit Model(const std::vector<char> &file);
  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  bool is_static() const { return is_static_; }
  size_t const_bytes() const { return const_bytes_; }
  size_t feature_bytes() const { return feature_bytes_; }
  // The outputs without memory, for inputs of these shapes: an open size is that of the first input's open size.
  std::vector<Tensor> outputs(const std::vector<Tensor> &inputs) const;
  void execute(void *stream, const std::vector<Tensor> &inputs, const std::vector<Tensor> &outputs);

 private:
  uint32_t id_ = 0;
  bool is_static_ = true;
  size_t const_bytes_ = 0;
  size_t feature_bytes_ = 0;
  std::vector<std::vector<int64_t>> inputs_;
  std::vector<Tensor> outputs_;
  // Kept until the model goes, which is after its last execution.
  std::vector<std::unique_ptr<Dataset>> runs_;
};

// Queues a function of this process on a stream.
void launch(void *stream, void (*task)(void *));
void *allocate(size_t bytes);
// A context on the device, which becomes the current one. Null if the library refuses.
void *create_context(int device);
void make_current(void *context);
void destroy_context(void *context);
bool set_device(int device);
bool reset_device(int device);
void free(void *address);

}  // namespace acl
