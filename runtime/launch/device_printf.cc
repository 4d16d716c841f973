#include "runtime/launch/device_printf.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace wavesmith::runtime {
namespace {

/// The arguments of one message, taken one after another.
class Arguments {
 public:
  explicit Arguments(std::span<const uint64_t> words) : words_(words) {}
  [[nodiscard]] bool empty() const { return words_.empty(); }
  uint64_t word() {
    if (words_.empty()) return 0;
    const uint64_t value = words_.front();
    words_ = words_.subspan(1);
    return value;
  }
  std::string text() {
    if (words_.empty()) return {};
    const auto* const begin = reinterpret_cast<const char*>(words_.data());
    const size_t length = strnlen(begin, words_.size_bytes());
    words_ = words_.subspan(std::min(words_.size(), length / 8 + 1));
    return {begin, length};
  }

 private:
  std::span<const uint64_t> words_;
};

/// A directive of a format: "%-*.3lld".
struct Directive {
  std::string flags;
  std::string width, precision;  ///< digits; empty when not given
  char conversion = 0;
  std::string length = {};
};

constexpr int kMostWidth = 1 << 16;

template <class T>
std::string print(const Directive& directive, const char* length, T value) {
  const std::string format = "%" + directive.flags + directive.width +
                             (directive.precision.empty() ? "" : "." + directive.precision) + length +
                             directive.conversion;
  const int size = std::snprintf(nullptr, 0, format.c_str(), value);
  if (size <= 0) return {};
  std::string text(static_cast<size_t>(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), value);
  text.pop_back();
  return text;
}

std::string print(const Directive& directive, Arguments& arguments) {
  const std::string& length = directive.length;
  switch (directive.conversion) {
    case 'd':
    case 'i': {
      // Arguments arrive as 64 bits, whatever their type; a narrower one counts from its own sign bit.
      const uint64_t word = arguments.word();
      const int64_t value = length == "hh"   ? static_cast<int8_t>(word)
                            : length == "h"  ? static_cast<int16_t>(word)
                            : length.empty() ? static_cast<int32_t>(word)
                                             : static_cast<int64_t>(word);
      return print(directive, "ll", static_cast<long long>(value));
    }
    case 'o':
    case 'u':
    case 'x':
    case 'X': {
      const uint64_t word = arguments.word();
      const uint64_t value = length == "hh"   ? static_cast<uint8_t>(word)
                             : length == "h"  ? static_cast<uint16_t>(word)
                             : length.empty() ? static_cast<uint32_t>(word)
                                              : word;
      return print(directive, "ll", static_cast<unsigned long long>(value));
    }
    case 'c':
      return print(directive, "", static_cast<int>(static_cast<unsigned char>(arguments.word())));
    case 'p':
      return print(directive, "", reinterpret_cast<void*>(arguments.word()));
    case 's':
      return print(directive, "", arguments.text().c_str());
    case 'n':
      arguments.word();
      return {};
    default:
      return print(directive, "", std::bit_cast<double>(arguments.word()));
  }
}

/// Reads a number or takes a star's from the arguments.
std::string number(std::string_view& rest, Arguments& arguments, bool& negative) {
  if (!rest.empty() && rest[0] == '*') {
    rest.remove_prefix(1);
    auto value = static_cast<int32_t>(arguments.word());
    negative = value < 0;
    if (negative) value = -std::max(value, -kMostWidth);
    return std::to_string(std::min(value, kMostWidth));
  }
  std::string digits;
  while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
    digits += rest[0];
    rest.remove_prefix(1);
  }
  return digits.size() > 5 ? std::to_string(kMostWidth) : digits;
}

}  // namespace

std::string format_message(std::span<const uint64_t> message) {
  Arguments arguments(message);
  const std::string format = arguments.text();
  std::string_view rest = format;
  std::string out;
  while (!rest.empty()) {
    const size_t percent = rest.find('%');
    out += rest.substr(0, percent);
    if (percent == std::string_view::npos) break;
    rest.remove_prefix(percent + 1);
    if (rest.starts_with('%')) {
      out += '%';
      rest.remove_prefix(1);
      continue;
    }
    Directive directive;
    while (!rest.empty() && std::string_view("-+ #0").find(rest[0]) != std::string_view::npos) {
      if (directive.flags.size() < 8) directive.flags += rest[0];
      rest.remove_prefix(1);
    }
    bool negative = false;
    directive.width = number(rest, arguments, negative);
    if (negative) directive.flags += '-';
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      negative = false;
      directive.precision = number(rest, arguments, negative);
      if (negative)
        directive.precision.clear();
      else if (directive.precision.empty())
        directive.precision = "0";
    }
    while (!rest.empty() && std::string_view("hlLqjzt").find(rest[0]) != std::string_view::npos) {
      directive.length += rest[0];
      rest.remove_prefix(1);
    }
    if (rest.empty() || std::string_view("diouxXfFeEgGaAcspn").find(rest[0]) == std::string_view::npos) break;
    directive.conversion = rest[0];
    rest.remove_prefix(1);
    if (arguments.empty()) break;
    out += print(directive, arguments);
  }
  return out;
}

}  // namespace wavesmith::runtime
