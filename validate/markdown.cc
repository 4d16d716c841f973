#include "validate/markdown.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "base/split.h"

namespace wavesmith::validate {
namespace {

std::string percent(double value) { return std::isnan(value) ? "" : fmt::format("{:.1f}", value * 100); }

/// Where a row stands, without the folder: the page is the same on every machine.
std::string without_folder(const std::string& where) {
  const size_t slash = where.find_last_of('/');
  return where.starts_with('/') && slash != where.npos ? where.substr(slash + 1) : where;
}

/// A cell: no bars.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.replace(at, 1, "\\|");
  return text;
}

/// The column "origami %" of the page that is written anew, by the lines' begin: the package need not be
/// there each time. Strata of two families do not share a name and a count.
std::map<std::string, std::string, std::less<>> origami_of(std::string_view page) {
  constexpr size_t kColumns = 7, kCounted = 2;
  std::map<std::string, std::string, std::less<>> found;
  for (const std::string_view line : split(page, '\n')) {
    const std::vector<std::string_view> cells = split(line, '|');
    if (cells.size() != kColumns + 2 || cells[kColumns].find_first_of("0123456789") == line.npos) continue;
    const auto end = static_cast<size_t>(cells[kCounted].data() + cells[kCounted].size() - line.data());
    const std::string_view value = cells[kColumns];
    found.emplace(line.substr(0, end), value.substr(1, value.size() - 2));
  }
  return found;
}

constexpr std::string_view kHead = R"(# Accuracy

Written by `wavesmith validate --markdown docs/ACCURACY.md`, from the tables in `validate/data`; run it to check.

**Split.** A row belongs to half A or half B by bit 17 of the FNV-1a hash of `gpu|op|dtype|shape`; repeated measurements of
one problem stand in one half. Constants are fitted on half A only and listed below with their values; every error below is of
half B.

**Error** is |predicted - measured| / measured. *Roofline* is the calibrated roofline: share of the arithmetic peak, share of
the memory bandwidth and a fixed time, fitted on half A for each chip and type. *Origami* is AMD's `rocm-origami` on the same
rows, where it was there when this, or the page before it, was written.

**Low confidence**, in the lists of constants, are sets whose constants are as many as a fifth of their rows, or of which
one was stopped by a bound of the fit ([model/fitted](../model/fitted/README.md)). Predictions say so where they lean on one.

)";

}  // namespace

std::string markdown(std::span<const FamilyReport> reports, std::string_view before) {
  const std::map<std::string, std::string, std::less<>> origami = origami_of(before);
  std::string out(kHead);
  out += "| figure | value | n |\n|---|---:|---:|\n";
  for (const FamilyReport& report : reports)
    for (const Summary& each : report.summary)
      out += fmt::format("| `{}` | {} | {} |\n", each.name,
                         std::isnan(each.value) ? "" : fmt::format("{:.4f}", each.value), each.n);
  for (const FamilyReport& report : reports) {
    out += fmt::format("\n## {}\n\n{}\n\n", report.family, report.method);
    out +=
        "| stratum | n | median % | mean % | 90th % | roofline % | origami % "
        "|\n|---|---:|---:|---:|---:|---:|---:|\n";
    for (const Stratum& each : report.strata) {
      const std::string head = fmt::format("| {} | {} ", cell(each.name), each.n);
      const auto kept = std::isnan(each.origami) ? origami.find(head) : origami.end();
      out += fmt::format("{}| {} | {} | {} | {} | {} |\n", head, percent(each.median), percent(each.mean),
                         percent(each.p90), percent(each.baseline),
                         kept == origami.end() ? percent(each.origami) : kept->second);
    }
    if (!report.worst.empty()) {
      out +=
          "\nThe worst twenty cases:\n\n| GPU | case | measured | predicted | bound | where "
          "|\n|---|---|---:|---:|---|---|\n";
      for (const Case& each : report.worst)
        out += fmt::format("| {} | {} | {:.4g} | {:.4g} | {} | {} |\n", cell(each.gpu), cell(each.label),
                           each.measured, each.predicted, cell(each.note), cell(without_folder(each.where)));
    }
    const auto list = [&](std::string_view title, const std::vector<std::string>& lines) {
      if (lines.empty()) return;
      out += fmt::format("\n{}\n\n", title);
      for (const std::string& line : lines) out += "- " + line + "\n";
    };
    list("Notes, and what we think is wrong:", report.notes);
    list("Constants that were fitted:", report.constants);
  }
  return out;
}

}  // namespace wavesmith::validate
