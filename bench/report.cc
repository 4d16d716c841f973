#include "bench/report.h"

#include <algorithm>

namespace wavesmith::bench {
namespace {
std::vector<Row>& all() {
  static std::vector<Row> rows;
  return rows;
}
}  // namespace

void report(benchmark::State& state, Row row) {
  state.counters[row.unit] = row.value;
  if (row.host_ratio != 0) state.counters["of host"] = row.host_ratio;
  const auto same =
      std::find_if(all().begin(), all().end(), [&](const Row& other) { return other.name == row.name; });
  if (same == all().end())
    all().push_back(std::move(row));
  else if (row.less_is_better ? row.value < same->value : row.value > same->value)
    *same = std::move(row);
}

const std::vector<Row>& rows() { return all(); }

}  // namespace wavesmith::bench
