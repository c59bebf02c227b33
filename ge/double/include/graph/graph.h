#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "graph/types.h"

namespace ge {

// To the double a graph is the bytes of the file that it was read from. Copies share them, as the vendor's share a graph.
class Graph {
 public:
  Graph() : Graph("") {}
  explicit Graph(const char *) : bytes_(std::make_shared<std::string>()) {}

  graphStatus LoadFromFile(const char *file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
      return GRAPH_FAILED;
    }
    bytes_->assign(std::istreambuf_iterator<char>(stream), {});
    return GRAPH_SUCCESS;
  }

  // Of the double only.
  std::string &bytes() { return *bytes_; }
  const std::string &bytes() const { return *bytes_; }

 private:
  std::shared_ptr<std::string> bytes_;
};

}  // namespace ge
