#include "cli/profile/listing.h"

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "study/analysed.h"

namespace wavesmith::cli {
namespace {

/// A place in the source: "function 'f' + 0x0, /src/kernel.hip:12".
std::optional<std::pair<std::string, uint32_t>> line_of(const std::string& source) {
  const size_t colon = source.rfind(':');
  if (colon == source.npos) return std::nullopt;
  uint32_t line = 0;
  const char* const end = source.data() + source.size();
  if (std::from_chars(source.data() + colon + 1, end, line).ptr != end || line == 0) return std::nullopt;
  size_t begin = source.rfind(", ", colon);
  begin = begin == source.npos ? 0 : begin + 2;
  return std::pair(source.substr(begin, colon - begin), line);
}

}  // namespace

std::optional<report::Listing> listing_of(const timing::KernelProfile& kernel) {
  constexpr uint32_t kContext = 3;
  uint64_t whole = 0;
  for (const timing::KernelProfile::Instruction& one : kernel.instructions) whole += one.latency + one.idle;
  if (whole == 0) return {};
  report::Listing listing;
  listing.cost_head = "stall a hit";
  listing.heat_note = "Heat is the share of the waves' time.";
  listing.heat_tag = report::Tag::Modelled;
  std::map<std::string, uint32_t> files;
  std::vector<std::map<uint32_t, std::pair<double, uint32_t>>> lines;
  for (const timing::KernelProfile::Instruction& one : kernel.instructions) {
    const auto index = static_cast<uint32_t>(listing.code.size());
    report::Listing::Code code;
    code.pc = one.offset;
    code.text = one.text;
    code.pipe = isa::name_of(one.pipe);
    code.heat = static_cast<double>(one.latency + one.idle) / static_cast<double>(whole);
    if (one.hits > 0)
      code.cost = study::number_text(static_cast<double>(one.stall) / static_cast<double>(one.hits));
    code.note = one.main_cause();
    if (const auto place = line_of(one.source)) {
      const auto [file, added] = files.try_emplace(place->first, static_cast<uint32_t>(files.size()));
      if (added) lines.emplace_back();
      code.file = file->second, code.line = place->second;
      const auto [line, first] = lines[file->second].try_emplace(place->second, 0.0, index);
      line->second.first += code.heat;
    }
    listing.code.push_back(std::move(code));
  }
  listing.files.resize(files.size());
  for (const auto& [path, index] : files) {
    report::Listing::File& file = listing.files[index];
    file.name = std::filesystem::path(path).filename().string();
    std::vector<std::string> all;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) {
      std::ifstream stream(path);
      for (std::string line; all.size() < 200'000 && std::getline(stream, line);) all.push_back(line);
    }
    std::set<uint32_t> shown;
    for (const auto& [line, fact] : lines[index])
      for (uint32_t n = line > kContext ? line - kContext : 1; n <= line + kContext; ++n)
        if (n == line || n <= all.size()) shown.insert(n);
    for (const uint32_t n : shown) {
      report::Listing::Line line{n, n <= all.size() ? all[n - 1] : std::string(), 0, "", report::kNowhere};
      if (const auto fact = lines[index].find(n); fact != lines[index].end())
        line.heat = fact->second.first, line.code = fact->second.second;
      file.lines.push_back(std::move(line));
    }
  }
  return listing;
}

}  // namespace wavesmith::cli
