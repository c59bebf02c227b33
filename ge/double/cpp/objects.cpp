// Graphs and tensors, as code outside of this project makes them.

#include "ge_double.h"
#include "graph/graph.h"
#include "graph/tensor.h"

extern "C" {

void *ge_double_graph(const char *bytes, size_t count) {
  auto *graph = new ge::Graph("graph");
  graph->bytes().assign(bytes, count);
  return graph;
}

void ge_double_graph_free(void *graph) { delete static_cast<ge::Graph *>(graph); }

void *ge_double_tensor(int element, const int64_t *dims, size_t rank, void *address, size_t bytes) {
  const ge::Shape shape(std::vector<int64_t>(dims, dims + rank));
  auto *tensor = new ge::Tensor(ge::TensorDesc(shape, ge::FORMAT_ND, static_cast<ge::DataType>(element)));
  tensor->SetData(static_cast<uint8_t *>(address), bytes, [](uint8_t *) {});
  return tensor;
}

void *ge_double_tensor_address(void *tensor) { return static_cast<ge::Tensor *>(tensor)->GetData(); }

size_t ge_double_tensor_bytes(void *tensor) { return static_cast<ge::Tensor *>(tensor)->GetSize(); }

void ge_double_tensor_free(void *tensor) { delete static_cast<ge::Tensor *>(tensor); }

void ge_double_tensors_free(void **tensors, size_t count) {
  auto **array = reinterpret_cast<ge::Tensor **>(tensors);
  for (size_t i = 0; i < count; ++i) {
    delete array[i];
  }
  delete[] array;
}

}
