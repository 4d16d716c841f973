// Temporary folders and files: the one place that names them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace wavesmith {

/// A folder that only this user may enter, with a name that nobody can guess, gone with its object. made() is
/// false where it cannot be created.
class Scratch {
 public:
  /// `what` becomes part of the folder's name: "rtc". `parent`: where it lies, which is created if need be;
  /// empty: under TMPDIR. A result that is to be renamed into place wants a scratch folder in that place's
  /// file system.
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

/// A name under TMPDIR for a file that does not exist yet, different each time and not to be guessed. For
/// files that outlive the code which names them; everything else belongs into a Scratch.
std::filesystem::path temporary_file(std::string_view what, std::string_view extension);

}  // namespace wavesmith
