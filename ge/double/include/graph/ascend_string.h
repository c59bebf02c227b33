#pragma once

#include <string>

namespace ge {

class AscendString {
 public:
  AscendString() = default;
  AscendString(const char *text) : text_(text == nullptr ? "" : text) {}
  const char *GetString() const { return text_.c_str(); }
  bool operator<(const AscendString &other) const { return text_ < other.text_; }

 private:
  std::string text_;
};

}  // namespace ge
