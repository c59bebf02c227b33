// libfmk_onnx_parser.so of the double: a graph is the bytes of its file.

#include "parser/onnx_parser.h"

namespace ge {

graphStatus aclgrphParseONNX(const char *file, const std::map<AscendString, AscendString> &, Graph &graph) {
  return graph.LoadFromFile(file);
}

graphStatus aclgrphParseONNXFromMem(const char *start, size_t bytes, const std::map<AscendString, AscendString> &,
                                    Graph &graph) {
  if (start == nullptr || bytes == 0) {
    return GRAPH_FAILED;
  }
  graph.bytes().assign(start, bytes);
  return GRAPH_SUCCESS;
}

}  // namespace ge
