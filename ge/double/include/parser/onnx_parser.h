#pragma once

#include <cstddef>
#include <map>

#include "graph/ascend_string.h"
#include "graph/graph.h"

namespace ge {

graphStatus aclgrphParseONNX(const char *file, const std::map<AscendString, AscendString> &options, Graph &graph);
graphStatus aclgrphParseONNXFromMem(const char *start, size_t bytes,
                                    const std::map<AscendString, AscendString> &options, Graph &graph);

}  // namespace ge
