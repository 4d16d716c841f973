#include "validate/markdown.h"

#include <fmt/format.h>

#include <cmath>

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

constexpr std::string_view kHead = R"(# Accuracy

Written by `wavesmith validate --markdown docs/ACCURACY.md`, from the tables in `validate/data`; run it to check.

**Split.** A row belongs to half A or half B by bit 17 of the FNV-1a hash of `gpu|op|dtype|shape`; repeated measurements of
one problem stand in one half. Constants are fitted on half A only and listed below with their values; every error below is of
half B.

**Error** is |predicted - measured| / measured. *Roofline* is the calibrated roofline: share of the arithmetic peak, share of
the memory bandwidth and a fixed time, fitted on half A for each chip and type. *Origami* is AMD's `rocm-origami` on the same
rows, where it was there when this was written.

)";

}  // namespace

std::string markdown(std::span<const FamilyReport> reports) {
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
    for (const Stratum& each : report.strata)
      out +=
          fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", cell(each.name), each.n, percent(each.median),
                      percent(each.mean), percent(each.p90), percent(each.baseline), percent(each.origami));
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
