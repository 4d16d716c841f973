#include "check/findings.h"

#include <algorithm>
#include <tuple>

namespace wavesmith::check {

void Findings::add(const Key& key, const Order& order, const std::function<Finding()>& make) {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    entries_.emplace(key, Entry{order, make()});
    return;
  }
  Entry& entry = found->second;
  const uint64_t count = entry.finding.count + 1;
  if (order < entry.order) entry = {order, make()};
  entry.finding.count = count;
}

std::vector<Finding> Findings::all() const {
  std::vector<Finding> all;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, entry] : entries_) all.push_back(entry.finding);
  }
  sort(all);
  return all;
}

size_t Findings::size() const {
  const std::scoped_lock lock(mutex_);
  return entries_.size();
}

void sort(std::vector<Finding>& findings) {
  const auto place = [](const Finding& finding) {
    static const Party kNone;
    const Party& first = finding.parties.empty() ? kNone : finding.parties[0];
    const Party& second = finding.parties.size() < 2 ? kNone : finding.parties[1];
    return std::tie(finding.severity, finding.topic, first.kernel, first.offset, finding.rule, second.kernel,
                    second.offset, finding.what);
  };
  std::ranges::sort(findings, [&](const Finding& a, const Finding& b) { return place(a) < place(b); });
}

}  // namespace wavesmith::check
