#include "rocm/libraries/installation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/scratch.h"

namespace wavesmith::rocm {

namespace fs = std::filesystem;

bool Installation::has(const std::string& name) const {
  return std::find(asked.begin(), asked.end(), name) != asked.end();
}

std::vector<std::string> Installation::libraries(const std::string& part) const {
  std::vector<std::string> found;
  std::error_code ignored;
  const fs::path lib = fs::path(folder) / part / "usr/lib";
#if defined(__x86_64__)
  const char* const triplet = "x86_64-linux-gnu";
#else
  const char* const triplet = "aarch64-linux-gnu";
#endif
  for (const fs::path& one : {lib / triplet, lib})
    if (fs::is_directory(one, ignored)) found.push_back(one.string());
  return found;
}

std::string Installation::loader() const {
  std::error_code ignored;
  for (const std::string& one : libraries("libc"))
    for (const char* name : {"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"})
      if (fs::exists(fs::path(one) / name, ignored)) return (fs::path(one) / name).string();
  return {};
}

Installation read_installation(const std::string& folder) {
  Installation found;
  found.folder = folder;
  std::ifstream file(fs::path(folder) / kInstalledFile);
  const auto json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object()) return found;
  try {
    found.suite = json.value("suite", "");
    found.mirror = json.value("mirror", "");
    found.asked = json.value("asked", std::vector<std::string>());
    for (const auto& one : json.at("packages"))
      found.packages.push_back({one.at("name"), one.at("version"), one.at("part"), one.value("bytes", 0ULL)});
  } catch (const nlohmann::json::exception&) {
    found.packages.clear();  // not ours, or damaged
  }
  return found;
}

bool write_installation(const Installation& installation) {
  nlohmann::ordered_json json = {
      {"suite", installation.suite}, {"mirror", installation.mirror}, {"asked", installation.asked}};
  json["packages"] = nlohmann::ordered_json::array();
  for (const InstalledPackage& one : installation.packages)
    json["packages"].push_back(
        {{"name", one.name}, {"version", one.version}, {"part", one.part}, {"bytes", one.bytes}});
  const Scratch scratch("installation", installation.folder);
  if (!scratch.made() || !write_file(scratch / "new", json.dump(1) + "\n")) return false;
  std::error_code failed;
  fs::rename(scratch / "new", fs::path(installation.folder) / kInstalledFile, failed);
  return !failed;
}

}  // namespace wavesmith::rocm
