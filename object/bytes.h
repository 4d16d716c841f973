// Reads untrusted files: every access is checked.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace wavesmith::object {

/// `size` bytes at `offset`; nullopt when the file does not reach so far.
inline std::optional<std::span<const uint8_t>> slice(std::span<const uint8_t> file, uint64_t offset,
                                                     uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) return std::nullopt;
  return file.subspan(offset, size);
}

/// A plain structure at `offset`; nullopt when the file does not reach so far.
template <class T>
std::optional<T> read(std::span<const uint8_t> file, uint64_t offset) {
  const auto bytes = slice(file, offset, sizeof(T));
  if (!bytes) return std::nullopt;
  T value;
  std::memcpy(&value, bytes->data(), sizeof(T));
  return value;
}

/// The zero-terminated text at `offset`; empty when it is not there or does not end.
inline std::string_view text_at(std::span<const uint8_t> file, uint64_t offset) {
  if (offset >= file.size()) return {};
  const auto* const begin = reinterpret_cast<const char*>(file.data()) + offset;
  const void* const end = std::memchr(begin, 0, file.size() - offset);
  return end ? std::string_view(begin, static_cast<const char*>(end)) : std::string_view{};
}

}  // namespace wavesmith::object
