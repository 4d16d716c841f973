// Source beside instructions, for the pages of `wavesmith explain` and `wavesmith profile`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "cli/explain/explain.h"

namespace wavesmith::cli {
namespace {

using analysis::kNone;
using report::Tag;

const std::string kHeatNote = fmt::format(
    "Heat is the share of the cycles that instructions take of their pipes, with {}.", study::kAssumedText);

/// Lines of a file, of which only those near code are kept.
std::vector<std::string> lines_of(const std::string& path) {
  constexpr size_t kMostLines = 200'000, kMostLetters = 400;
  std::vector<std::string> lines;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return lines;
  std::ifstream file(path);
  for (std::string line; lines.size() < kMostLines && std::getline(file, line);) {
    if (line.size() > kMostLetters) line.resize(kMostLetters);
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

std::vector<double> heat_of(const analysis::KernelAnalysis& kernel) {
  std::vector<double> heat = study::executions(kernel);
  double sum = 0;
  for (size_t i = 0; i < heat.size(); ++i) sum += heat[i] *= study::cost_of(kernel.instructions[i]);
  if (sum > 0)
    for (double& share : heat) share /= sum;
  return heat;
}

std::string wait_text(const analysis::KernelAnalysis& kernel, const analysis::Wait& wait) {
  std::string text = fmt::format("{} {}", analysis::name_of(wait.counter), wait.value);
  if (!wait.for_.empty() && wait.for_.front() < kernel.instructions.size())
    text += fmt::format(" for {:x}", kernel.instructions[wait.for_.front()].pc);
  if (wait.slack.value) text += fmt::format(", slack {}", study::number_text(*wait.slack.value));
  if (wait.redundant) text += ", redundant";
  return text;
}

}  // namespace

report::Listing listing_of(const analysis::KernelAnalysis& kernel) {
  constexpr uint32_t kContext = 3;
  report::Listing listing;
  const std::vector<double> heat = heat_of(kernel);
  struct LineFacts {
    double heat = 0, cycles = 0;
    uint32_t code = report::kNowhere, count = 0;
  };
  std::vector<std::map<uint32_t, LineFacts>> facts(kernel.files.size());
  std::map<uint32_t, std::string> waits;
  for (const analysis::Wait& wait : kernel.waits) {
    std::string& text = waits[wait.instruction];
    text += (text.empty() ? "" : "; ") + wait_text(kernel, wait);
  }
  std::map<uint32_t, std::vector<uint32_t>> findings;
  for (size_t f = 0; f < kernel.findings.size(); ++f)
    for (const analysis::Location& location : kernel.findings[f].where)
      if (auto& at = findings[location.first];
          location.first != kNone && std::find(at.begin(), at.end(), f) == at.end())
        at.push_back(static_cast<uint32_t>(f));
  for (size_t i = 0; i < kernel.instructions.size(); ++i) {
    const analysis::Instruction& at = kernel.instructions[i];
    const auto index = static_cast<uint32_t>(i);
    report::Listing::Code code;
    code.pc = at.pc;
    code.text = at.text;
    code.pipe = isa::name_of(at.pipe);
    code.cost = at.issue_cycles > 0 ? study::number_text(at.issue_cycles) : "";
    code.heat = heat[i];
    code.vgprs = at.live.vgprs, code.agprs = at.live.agprs, code.sgprs = at.live.sgprs;
    if (at.loop < kernel.loops.size()) code.depth = kernel.loops[at.loop].depth;
    if (at.block < kernel.blocks.size() && kernel.blocks[at.block].begin == i) {
      code.starts_block = true;
      code.block = fmt::format(
          "block {}{}", at.block,
          at.loop < kernel.loops.size()
              ? fmt::format(", in loop {} ({})", at.loop, study::place_of(kernel, kernel.loops[at.loop]))
              : "");
    }
    if (const auto wait = waits.find(index); wait != waits.end()) code.note = wait->second;
    if (const auto found = findings.find(index); found != findings.end()) code.findings = found->second;
    if (at.source.known() && at.source.file < facts.size() && at.source.line > 0) {
      code.file = at.source.file, code.line = at.source.line;
      LineFacts& line = facts[at.source.file][at.source.line];
      line.heat += heat[i];
      line.cycles += study::cost_of(at);
      ++line.count;
      if (line.code == report::kNowhere) line.code = index;
    }
    listing.code.push_back(std::move(code));
  }
  for (size_t f = 0; f < kernel.files.size(); ++f) {
    report::Listing::File file{std::filesystem::path(kernel.files[f]).filename().string(), {}};
    const std::vector<std::string> text = lines_of(kernel.files[f]);
    std::set<uint32_t> shown;
    for (const auto& [number, line] : facts[f])
      for (uint32_t n = number > kContext ? number - kContext : 1; n <= number + kContext; ++n)
        if (n == number || n <= text.size()) shown.insert(n);
    for (const uint32_t number : shown) {
      const auto fact = facts[f].find(number);
      report::Listing::Line line{number, number <= text.size() ? text[number - 1] : std::string(), 0, "",
                                 report::kNowhere};
      if (fact != facts[f].end()) {
        line.heat = fact->second.heat;
        line.code = fact->second.code;
        line.cost = fmt::format("{} instructions, {} cycles of pipes each time", fact->second.count,
                                study::number_text(fact->second.cycles));
      }
      file.lines.push_back(std::move(line));
    }
    listing.files.push_back(std::move(file));
  }
  listing.most_vgprs = kernel.resources.vgprs_total;
  for (const auto& at : kernel.instructions)
    listing.most_vgprs = std::max(listing.most_vgprs, at.live.vgprs + at.live.agprs);
  listing.heat_note = kHeatNote;
  listing.heat_tag = Tag::Modelled;
  return listing;
}

}  // namespace wavesmith::cli
