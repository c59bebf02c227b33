#pragma once

#include <cstdint>

namespace ge {

using graphStatus = uint32_t;
using Status = uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFF;
constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFF;

// The numbers are those of aclDataType; the double hands them on and needs no names but these.
enum DataType { DT_FLOAT = 0, DT_INT64 = 9, DT_UNDEFINED = 28 };
enum Format { FORMAT_ND = 2 };
enum Placement { kPlacementHost = 0, kPlacementDevice = 1 };

}  // namespace ge
