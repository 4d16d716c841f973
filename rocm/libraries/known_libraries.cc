#include "rocm/libraries/known_libraries.h"

namespace wavesmith::rocm {
namespace {

/// "rocblas" and ".so.5" of "librocblas.so.5".
std::pair<std::string_view, std::string_view> parts_of(std::string_view file) {
  const size_t end = file.find(".so");
  if (!file.starts_with("lib") || end == file.npos) return {};
  return {file.substr(3, end - 3), file.substr(end)};
}

}  // namespace

const KnownLibrary* known_library(std::string_view name) {
  for (const KnownLibrary& one : kKnownLibraries)
    if (name == one.name || (*one.file && name == one.file)) return &one;
  return nullptr;
}

const KnownLibrary* library_of_file(std::string_view file) {
  const auto [stem, rest] = parts_of(file);
  for (const KnownLibrary& one : kKnownLibraries)
    if (*one.file && stem == one.file && (rest == ".so" || rest.starts_with(".so."))) return &one;
  return nullptr;
}

std::string soname_of_file(std::string_view file) {
  const auto [stem, rest] = parts_of(file);
  if (!rest.starts_with(".so.") || rest.size() == 4) return {};
  const size_t number = file.size() - rest.size() + 4, end = file.find('.', number);
  const std::string_view digits = file.substr(number, end == file.npos ? file.npos : end - number);
  if (digits.find_first_not_of("0123456789") != digits.npos) return {};
  return std::string(file.substr(0, end));
}

}  // namespace wavesmith::rocm
