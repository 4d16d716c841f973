#include "check/accepted.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <toml++/toml.h>
#include <algorithm>
#include <map>
#include <sstream>

namespace wavesmith::check {
namespace {

bool fits_pattern(const std::string& pattern, const std::string& text) {
  return pattern.empty() || fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

/// What stays the same when unrelated code changes.
std::string likeness(const Finding& finding) {
  std::string text = fmt::format("{}/{}", name_of(finding.topic), finding.rule);
  for (const Party& party : finding.parties) text += fmt::format("\n{}\t{}", party.kernel, party.instruction);
  return text;
}

Result<Suppression> suppression_of(const toml::node& node, std::string_view file) {
  const auto line = static_cast<int>(node.source().begin.line);
  const auto wrong = [&](std::string what) {
    return fail(ErrorKind::BadInput, std::move(what), fmt::format("{}:{}", file, line),
                "a suppression has reason, rule, kernel and source");
  };
  const toml::table* const table = node.as_table();
  if (!table) return wrong("no [[suppress]] table");
  Suppression made;
  made.line = line;
  const std::map<std::string, std::string*, std::less<>> fields = {
      {"reason", &made.reason}, {"rule", &made.rule}, {"kernel", &made.kernel}, {"source", &made.source}};
  for (const auto& [key, value] : *table) {
    const auto field = fields.find(key.str());
    if (field == fields.end()) return wrong(fmt::format("unknown key '{}'", key.str()));
    const auto text = value.value<std::string>();
    if (!text) return wrong(fmt::format("'{}' is no text", key.str()));
    *field->second = *text;
  }
  if (made.reason.empty()) return wrong("a suppression without a reason");
  if (made.rule.empty() && made.kernel.empty() && made.source.empty())
    return wrong("a suppression of everything");
  return made;
}

}  // namespace

bool Suppression::fits(const Finding& finding) const {
  if (!fits_pattern(rule, fmt::format("{}/{}", name_of(finding.topic), finding.rule))) return false;
  const auto any = [&](const std::string& pattern, std::string Party::* member) {
    return pattern.empty() || std::ranges::any_of(finding.parties, [&](const Party& party) {
             return fits_pattern(pattern, party.*member);
           });
  };
  return any(kernel, &Party::kernel) && any(source, &Party::source);
}

Result<std::vector<Suppression>> suppressions_of(std::string_view text, std::string_view name) {
  toml::table table;
  try {
    table = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    return fail(ErrorKind::BadInput, std::string(error.description()),
                fmt::format("{}:{}", name, error.source().begin.line));
  }
  std::vector<Suppression> all;
  for (const auto& [key, value] : table) {
    const toml::array* const array = key.str() == "suppress" ? value.as_array() : nullptr;
    if (!array)
      return fail(ErrorKind::BadInput, fmt::format("unknown key '{}'", key.str()),
                  fmt::format("{}:{}", name, value.source().begin.line), "write [[suppress]] tables");
    for (const toml::node& node : *array) {
      auto one = suppression_of(node, name);
      if (!one) return tl::unexpected(one.error());
      all.push_back(std::move(*one));
    }
  }
  return all;
}

void suppress(Report& report, std::vector<Suppression>& suppressions) {
  std::erase_if(report.findings, [&](const Finding& finding) {
    const auto fits = [&](const Suppression& one) { return one.fits(finding); };
    const auto found = std::ranges::find_if(suppressions, fits);
    if (found == suppressions.end()) return false;
    ++found->used;
    return true;
  });
}

size_t take_baseline(Report& report, const Report& baseline) {
  std::map<std::string, size_t> known;
  for (const Finding& finding : baseline.findings) ++known[likeness(finding)];
  return std::erase_if(report.findings, [&](const Finding& finding) {
    const auto found = known.find(likeness(finding));
    if (found == known.end() || found->second == 0) return false;
    --found->second;
    return true;
  });
}

}  // namespace wavesmith::check
