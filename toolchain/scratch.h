// A folder for a compiler's files, gone when the work is over.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::toolchain {

/// Under TMPDIR; made() is false where no folder can be.
class Scratch {
 public:
  /// `what` becomes part of the folder's name: "rtc".
  explicit Scratch(std::string_view what);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] bool made() const { return !folder_.empty(); }
  [[nodiscard]] std::filesystem::path operator/(const std::filesystem::path& name) const {
    return folder_ / name;
  }
  [[nodiscard]] std::string prefix() const { return folder_.string() + "/"; }

 private:
  std::filesystem::path folder_;
};

/// Writes a file, and the folders that it lies in; false when that failed.
bool write_file(const std::filesystem::path& file, std::string_view text);
bool write_file(const std::filesystem::path& file, const std::vector<uint8_t>& bytes);

/// A file's bytes; none when it cannot be read.
std::vector<uint8_t> read_file(const std::filesystem::path& file);

}  // namespace wavesmith::toolchain
