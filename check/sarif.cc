#include "check/sarif.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "check/source.h"
#include "check/text.h"

namespace wavesmith::check {
namespace {

using nlohmann::ordered_json;

std::string rule_of(const Finding& finding) {
  return fmt::format("{}/{}", name_of(finding.topic), finding.rule);
}

/// SARIF's word for it, section 3.27.10.
std::string_view level_of(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

ordered_json location_of(const Party& party) {
  ordered_json location = ordered_json::object();
  if (const auto line = source_line(party.source))
    location["physicalLocation"] = {{"artifactLocation", {{"uri", line->file}}},
                                    {"region", {{"startLine", line->line}}}};
  if (!party.kernel.empty())
    location["logicalLocations"] = {
        {{"fullyQualifiedName", fmt::format("{}{:+#x}", party.kernel, static_cast<int64_t>(party.offset))},
         {"kind", "function"}}};
  location["message"] = {{"text", fmt::format("{}: {}", party.role, party.instruction)}};
  return location;
}

ordered_json result_of(const Finding& finding) {
  ordered_json result{{"ruleId", rule_of(finding)},
                      {"level", level_of(finding.severity)},
                      {"message", {{"text", text_of(finding)}}},
                      {"occurrenceCount", finding.count}};
  result["locations"] = ordered_json::array();
  result["relatedLocations"] = ordered_json::array();
  for (const Party& party : finding.parties)
    result[result["locations"].empty() ? "locations" : "relatedLocations"].push_back(location_of(party));
  return result;
}

}  // namespace

std::string to_sarif(const Report& report) {
  std::map<std::string, const Finding*> rules;
  for (const Finding& finding : report.findings) rules.try_emplace(rule_of(finding), &finding);
  ordered_json driver{{"name", "wavesmith check"}, {"rules", ordered_json::array()}};
  for (const auto& [rule, finding] : rules)
    driver["rules"].push_back(
        {{"id", rule}, {"shortDescription", {{"text", finding->what}}}, {"help", {{"text", finding->fix}}}});
  ordered_json results = ordered_json::array();
  for (const Finding& finding : report.findings) results.push_back(result_of(finding));
  const ordered_json log{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                         {"version", "2.1.0"},
                         {"runs", {{{"tool", {{"driver", driver}}}, {"results", results}}}}};
  return log.dump(1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace wavesmith::check
