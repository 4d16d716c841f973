#include "check/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace wavesmith::check {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Party& party) {
  // Negative in functions that stand before the kernel.
  const auto offset = static_cast<int64_t>(party.offset);
  ordered_json made{{"role", party.role},     {"kernel", party.kernel},
                    {"offset", offset},       {"instruction", party.instruction},
                    {"source", party.source}, {"dispatch", party.dispatch}};
  made["workgroup"] = {party.workgroup[0], party.workgroup[1], party.workgroup[2]};
  made["wave"] = party.wave;
  made["lanes"] = fmt::format("{:#x}", party.lanes);
  return made;
}

Party party_of(const ordered_json& json) {
  Party party{.role = json.at("role"),
              .kernel = json.at("kernel"),
              .offset = static_cast<uint64_t>(json.at("offset").get<int64_t>()),
              .instruction = json.at("instruction"),
              .source = json.at("source"),
              .dispatch = json.at("dispatch"),
              .wave = json.at("wave"),
              .lanes = std::stoull(json.at("lanes").get<std::string>(), nullptr, 16)};
  for (size_t axis = 0; axis < 3; ++axis) party.workgroup[axis] = json.at("workgroup").at(axis);
  return party;
}

/// The value that `name_of` calls that.
template <class Named>
Named named(const ordered_json& json, int count) {
  const auto name = json.get<std::string>();
  for (int i = 0; i < count; ++i)
    if (name == name_of(static_cast<Named>(i))) return static_cast<Named>(i);
  throw std::invalid_argument(fmt::format("'{}' is unknown", name));
}

Finding finding_of(const ordered_json& json) {
  Finding finding{.topic = named<Topic>(json.at("checker"), kTopics),
                  .rule = json.at("rule"),
                  .severity = named<Severity>(json.at("severity"), 3),
                  .what = json.at("what"),
                  .parties = {},
                  .address = json.at("address"),
                  .fix = json.at("fix"),
                  .count = json.at("count")};
  for (const ordered_json& party : json.at("parties")) finding.parties.push_back(party_of(party));
  return finding;
}

}  // namespace

std::string to_json(const Report& report) {
  ordered_json made{{"checkers", ordered_json::array()}, {"launches", report.launches}};
  for (const Topic topic : report.topics) made["checkers"].push_back(name_of(topic));
  made["findings"] = ordered_json::array();
  for (const Finding& finding : report.findings) {
    ordered_json one{{"checker", name_of(finding.topic)},
                     {"rule", finding.rule},
                     {"severity", name_of(finding.severity)},
                     {"what", finding.what},
                     {"address", finding.address},
                     {"fix", finding.fix},
                     {"count", finding.count}};
    one["parties"] = ordered_json::array();
    for (const Party& party : finding.parties) one["parties"].push_back(json_of(party));
    made["findings"].push_back(std::move(one));
  }
  // Names of kernels and files are the program's, in whatever encoding.
  return made.dump(1, ' ', false, ordered_json::error_handler_t::replace);
}

Result<Report> report_of_json(std::string_view text) {
  try {
    const ordered_json json = ordered_json::parse(text);
    Report report{.topics = {}, .launches = json.at("launches"), .findings = {}};
    for (const ordered_json& topic : json.at("checkers"))
      report.topics.push_back(named<Topic>(topic, kTopics));
    for (const ordered_json& finding : json.at("findings")) report.findings.push_back(finding_of(finding));
    return report;
  } catch (const std::exception& error) {
    return fail(ErrorKind::BadInput, fmt::format("no report of a check: {}", error.what()));
  }
}

}  // namespace wavesmith::check
