// The checkers that there are.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "check/checker.h"
#include "check/hazard/hazard.h"
#include "check/init/init.h"
#include "check/memory/memory.h"
#include "check/numeric/numeric.h"
#include "check/race/race.h"
#include "check/stream/stream.h"
#include "check/sync/sync.h"
#include "check/wait/wait.h"

namespace wavesmith::check {

const std::vector<CheckerKind>& checkers() {
  static const std::vector<CheckerKind> kAll = {memory_checker(), race_checker(),   stream_checker(),
                                                wait_checker(),   hazard_checker(), init_checker(),
                                                sync_checker(),   numeric_checker()};
  return kAll;
}

Result<std::vector<Topic>> topics_of(std::string_view names) {
  std::vector<Topic> topics;
  std::string known;
  std::optional<Topic> last;  // a topic may have several checkers, one behind the other
  for (const CheckerKind& kind : checkers())
    if (std::exchange(last, kind.topic) != kind.topic)
      known += (known.empty() ? "" : ", ") + std::string(name_of(kind.topic));
  while (!names.empty()) {
    const size_t end = std::min(names.find(','), names.size());
    const std::string_view name = names.substr(0, end);
    names.remove_prefix(std::min(end + 1, names.size()));
    const size_t before = topics.size();
    for (const CheckerKind& kind : checkers())
      if (name == "all" || name == name_of(kind.topic)) topics.push_back(kind.topic);
    if (topics.size() == before)
      return fail(ErrorKind::BadInput, "no checker '" + std::string(name) + "'", {},
                  "there are " + known + ", or all of them: all");
  }
  if (topics.empty()) return fail(ErrorKind::BadInput, "no checker is named", {}, "there are " + known);
  std::ranges::sort(topics);
  topics.erase(std::ranges::unique(topics).begin(), topics.end());
  return topics;
}

}  // namespace wavesmith::check
