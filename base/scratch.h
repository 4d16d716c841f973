// Temporary folders and files: the one place that names them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace wavesmith {

/// A temporary folder that only this user may enter, with an unpredictable name, removed by the destructor.
/// made() is false if it could not be created.
class Scratch {
 public:
  /// Creates the folder. `what` ("rtc") becomes part of its name. `parent` is created if needed; empty means
  /// TMPDIR. A result that will be renamed into place needs a parent on the same file system.
  explicit Scratch(std::string_view what, const std::filesystem::path& parent = {});
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] bool made() const { return !folder_.empty(); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::filesystem::path operator/(const std::filesystem::path& name) const {
    return folder_ / name;
  }
  [[nodiscard]] std::string prefix() const { return folder_.string() + "/"; }

 private:
  std::filesystem::path folder_;
};

/// A unique, unpredictable name under TMPDIR for a new file. For files that outlive the code that names them;
/// everything else belongs in a Scratch.
std::filesystem::path temporary_file(std::string_view what, std::string_view extension);

}  // namespace wavesmith
