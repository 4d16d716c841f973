#include "study/npy.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <regex>
#include <sstream>

#include "base/split.h"

namespace wavesmith::study {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

tl::unexpected<Error> damaged(const std::string& name, const std::string& what) {
  return fail(ErrorKind::BadInput, fmt::format("'{}' is not a readable .npy file: {}", name, what));
}

}  // namespace

uint64_t Npy::count() const {
  uint64_t count = 1;
  for (uint64_t extent : shape) count *= extent;
  return count;
}

uint64_t Npy::item_size() const {
  uint64_t size = 0;
  std::from_chars(type.data() + std::min<size_t>(1, type.size()), type.data() + type.size(), size);
  return size;
}

Result<Npy> parse_npy(const std::string& file, const std::string& name) {
  if (!file.starts_with(kMagic) || file.size() < 12) return damaged(name, "it does not begin as one");
  auto byte = [&](size_t at) { return static_cast<uint8_t>(file[at]); };
  const bool wide = byte(6) >= 2;
  const uint64_t length =
      wide ? byte(8) | byte(9) << 8 | byte(10) << 16 | static_cast<uint64_t>(byte(11)) << 24
           : byte(8) | byte(9) << 8;
  const uint64_t start = (wide ? 12 : 10) + length;
  if (start > file.size()) return damaged(name, "its header is cut off");
  const std::string header = file.substr(wide ? 12 : 10, length);

  Npy array;
  std::smatch match;
  if (!std::regex_search(header, match, std::regex(R"('descr':\s*'([<>|=])([a-zA-Z]\d+)')")))
    return damaged(name, "its type is not plain numbers");
  if (match[1] == ">") return damaged(name, "its numbers are big-endian");
  array.type = match[2];
  if (array.type.front() == 'O') return damaged(name, "it holds Python objects");
  if (std::regex_search(header, std::regex(R"('fortran_order':\s*True)")))
    return damaged(name, "it is in Fortran order; save numpy.ascontiguousarray of it");
  if (!std::regex_search(header, match, std::regex(R"('shape':\s*\(([^)]*)\))")))
    return damaged(name, "it has no shape");
  const std::string extents = match[1];
  uint64_t count = 1;
  for (std::string_view text : split(extents, ',')) {
    uint64_t extent = 0;
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) continue;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (code != std::errc()) return damaged(name, "its shape is no list of numbers");
    if (__builtin_mul_overflow(count, extent, &count)) return damaged(name, "its shape is too large");
    array.shape.push_back(extent);
  }
  uint64_t bytes = 0;
  if (array.item_size() == 0 || __builtin_mul_overflow(count, array.item_size(), &bytes) ||
      bytes > file.size() - start)
    return damaged(name, "it is shorter than its shape says");
  array.bytes.assign(file.begin() + static_cast<std::ptrdiff_t>(start),
                     file.begin() + static_cast<std::ptrdiff_t>(start + bytes));
  return array;
}

Result<Npy> read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorKind::NotFound, fmt::format("cannot read '{}'", path));
  std::stringstream text;
  text << file.rdbuf();
  return parse_npy(text.str(), path);
}

std::string format_npy(const Npy& array) {
  std::string shape;
  for (uint64_t extent : array.shape) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", extent);
  if (array.shape.size() == 1) shape += ',';
  const char order = array.item_size() == 1 || array.type.front() == 'V' ? '|' : '<';
  std::string header =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}", order, array.type, shape);
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string file(kMagic);
  file += '\x01';
  file += '\0';
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file.append(array.bytes.begin(), array.bytes.end());
  return file;
}

Result<void> write_npy(const std::string& path, const Npy& array) {
  std::ofstream file(path, std::ios::binary);
  file << format_npy(array);
  file.close();
  if (!file) return fail(ErrorKind::BadInput, fmt::format("cannot write '{}'", path));
  return {};
}

}  // namespace wavesmith::study
