// Presents what `wavesmith compare` found, as text, JSON and a page.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli/compare/show.h"
#include "cli/terminal.h"
#include "study/names.h"

namespace wavesmith::cli {
namespace {

using analysis::kNone;
using nlohmann::ordered_json;
using report::Value;

std::string painted(const study::Change& change) {
  const std::string text = change_text(change);
  if (!change.changed() || change.better == study::Change::Better::Neither) return text;
  return styled(text, change.improved() ? Style::Good : Style::Bad);
}

std::string tag(analysis::Tag tag) { return styled(fmt::format("[{}]", gpus::name_of(tag)), Style::Faint); }

void print_changes(const std::vector<study::Change>& changes, size_t most) {
  size_t shown = 0, left = 0;
  for (const study::Change& change : changes) {
    if (!change.changed()) continue;
    if (shown++ < most)
      fmt::print("  {:<30} {:>10} {:>10}  {} {}\n", change.name, study::number_text(change.a),
                 study::number_text(change.b), painted(change), tag(change.tag));
    else
      ++left;
  }
  if (left) fmt::print("  and {} figures more\n", left);
}

void print_shares(const std::string& head, const std::vector<study::Share>& shares, size_t most,
                  bool places) {
  if (shares.empty()) return;
  fmt::print("{} {}\n", styled(head, Style::Strong), tag(analysis::Tag::Modelled));
  for (size_t i = 0; i < std::min(most, shares.size()); ++i) {
    const study::Share& share = shares[i];
    std::string name = share.name;
    if (places) name = fmt::format("{}  {}", share.place_b.empty() ? share.place_a : share.place_b, name);
    if (name.size() > 72) name = name.substr(0, 69) + "...";
    fmt::print("  {:<72} {:>4} to {:<4} {:>+8.0f} cycles\n", name, share.count_a, share.count_b,
               share.cycles_b - share.cycles_a);
  }
  if (shares.size() > most) fmt::print("  and {} more\n", shares.size() - most);
}

std::string loop_name(const study::Comparison& comparison, const study::LoopPair& pair) {
  const std::string a = pair.a == kNone
                            ? ""
                            : study::place_of(*comparison.a.kernel, comparison.a.kernel->loops[pair.a]),
                    b = pair.b == kNone
                            ? ""
                            : study::place_of(*comparison.b.kernel, comparison.b.kernel->loops[pair.b]);
  if (b.empty()) return a + " (only in A)";
  if (a.empty()) return b + " (only in B)";
  return a == b ? a : a + " and " + b;
}

ordered_json json_of(const std::vector<study::Change>& changes) {
  ordered_json out = ordered_json::array();
  for (const study::Change& change : changes)
    out.push_back(
        {{"name", change.name}, {"a", change.a}, {"b", change.b}, {"tag", gpus::name_of(change.tag)}});
  return out;
}

ordered_json json_of(const std::vector<study::Share>& shares) {
  ordered_json out = ordered_json::array();
  for (const study::Share& share : shares)
    out.push_back({{"name", share.name},
                   {"place_a", share.place_a},
                   {"place_b", share.place_b},
                   {"count_a", share.count_a},
                   {"count_b", share.count_b},
                   {"cycles_a", share.cycles_a},
                   {"cycles_b", share.cycles_b},
                   {"tag", "modelled"}});
  return out;
}

report::Table table_of(const std::string& title, const std::string& note,
                       const std::vector<study::Change>& changes, bool folded) {
  report::Table table{title, note, {"", "A", "B", "change"}, {1, 2, 3}, {}, folded};
  for (const study::Change& change : changes)
    table.rows.push_back({{change.name},
                          {study::number_text(change.a), change.tag},
                          {study::number_text(change.b), change.tag},
                          {change_text(change)}});
  return table;
}

report::Table table_of(const std::string& title, const std::vector<study::Share>& shares, bool lines) {
  report::Table table{
      title,
      fmt::format("Cycles of pipes, with {}; modelled. Unchanged ones are left out.", study::kAssumedText),
      {lines ? "line" : "instruction", "A at", "B at", "in A", "in B", "cycles in A", "cycles in B",
       "change"},
      {3, 4, 5, 6, 7},
      {},
      !lines};
  if (!lines)
    table.head = {"instruction", "in A", "in B", "cycles in A", "cycles in B", "change"},
    table.right = {1, 2, 3, 4, 5};
  constexpr size_t kMost = 400;
  for (const study::Share& share : shares) {
    if (table.rows.size() == kMost) break;
    std::vector<Value> row{{share.name}};
    if (lines) row.push_back({share.place_a}), row.push_back({share.place_b});
    for (const double figure : {static_cast<double>(share.count_a), static_cast<double>(share.count_b),
                                share.cycles_a, share.cycles_b})
      row.push_back({study::number_text(figure)});
    row.push_back({fmt::format("{:+.0f}", share.cycles_b - share.cycles_a)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

void print_comparison(const study::Comparison& comparison, bool verbose) {
  const std::string a = study::readable(comparison.a.kernel->name),
                    b = study::readable(comparison.b.kernel->name);
  fmt::print("{}\n", styled(a == b ? a : a + " and " + b, Style::Strong));
  fmt::print("{} {}\n", comparison.verdict, tag(analysis::Tag::Modelled));
  for (const study::Cause& cause : comparison.causes)
    fmt::print("  {}\n", styled(fmt::format("{:>+8} cycles", std::lround(cause.cycles)),
                                cause.cycles < 0 ? Style::Good : Style::Bad) +
                             "  " + cause.text);
  const size_t most = verbose ? SIZE_MAX : 6;
  if (std::any_of(comparison.changes.begin(), comparison.changes.end(),
                  [](const study::Change& change) { return change.changed(); })) {
    fmt::print("{:<32} {:>10} {:>10}\n", styled("kernel", Style::Strong), "A", "B");
    print_changes(comparison.changes, most);
  }
  for (size_t i = 0; i < comparison.loops.size(); ++i) {
    if (!verbose && i != comparison.hot) continue;
    const std::vector<study::Change> changes =
        study::changes_of(comparison.a, comparison.b, comparison.loops[i]);
    if (std::none_of(changes.begin(), changes.end(),
                     [](const study::Change& change) { return change.changed(); }))
      continue;
    fmt::print("{}\n", styled(fmt::format("{}loop {}", i == comparison.hot ? "hot " : "",
                                          loop_name(comparison, comparison.loops[i])),
                              Style::Strong));
    print_changes(changes, most);
  }
  print_shares("lines", comparison.lines, verbose ? SIZE_MAX : 3, true);
  if (verbose) print_shares("instructions", comparison.mnemonics, SIZE_MAX, false);
}

ordered_json json_of(const study::Comparison& comparison) {
  ordered_json out{{"kernel_a", comparison.a.kernel->name},
                   {"kernel_b", comparison.b.kernel->name},
                   {"gpu_a", comparison.a.gpu->id},
                   {"gpu_b", comparison.b.gpu->id},
                   {"same_code", comparison.same_code},
                   {"verdict", comparison.verdict},
                   {"work", comparison.work},
                   {"work_by", comparison.work_by},
                   {"causes", ordered_json::array()},
                   {"changes", json_of(comparison.changes)},
                   {"loops", ordered_json::array()},
                   {"lines", json_of(comparison.lines)},
                   {"mnemonics", json_of(comparison.mnemonics)}};
  for (const study::Cause& cause : comparison.causes)
    out["causes"].push_back({{"text", cause.text}, {"cycles", cause.cycles}, {"tag", "modelled"}});
  for (size_t i = 0; i < comparison.loops.size(); ++i) {
    const study::LoopPair& pair = comparison.loops[i];
    out["loops"].push_back({{"name", loop_name(comparison, pair)},
                            {"a", pair.a == kNone ? ordered_json() : ordered_json(pair.a)},
                            {"b", pair.b == kNone ? ordered_json() : ordered_json(pair.b)},
                            {"hot", i == comparison.hot},
                            {"changes", json_of(study::changes_of(comparison.a, comparison.b, pair))}});
  }
  return out;
}

report::Section section_of(const study::Comparison& comparison) {
  report::Section out;
  const std::string a = study::readable(comparison.a.kernel->name),
                    b = study::readable(comparison.b.kernel->name);
  out.title = a == b ? a : a + " and " + b;
  out.subtitle = comparison.verdict;
  for (const study::Change& change : comparison.changes) {
    if (!change.changed() || out.tiles.size() == 8) continue;
    out.tiles.push_back(
        {change.name,
         {fmt::format("{} → {}", study::number_text(change.a), study::number_text(change.b)), change.tag},
         change_text(change),
         {}});
  }
  if (!comparison.causes.empty()) {
    report::Table causes{
        "What explains the difference",
        "Parts of the difference of a pass of the hot loop, in cycles of A's clock; they add up. Each is the "
        "mean over all orders in which A's parts can be exchanged for B's.",
        {"cycles", "because of"},
        {0},
        {},
        false};
    for (const study::Cause& cause : comparison.causes)
      causes.rows.push_back({{fmt::format("{:+.0f}", cause.cycles), report::Tag::Modelled}, {cause.text}});
    out.tables.push_back(std::move(causes));
  }
  report::BarChart chart{
      "What a pass of each loop keeps busy",
      "One wave's cycles of each pipe; at the end a wave's share on a SIMD at its occupancy.",
      "cycles",
      report::Tag::Modelled,
      {}};
  for (const study::LoopPair& pair : comparison.loops)
    for (const bool second : {false, true}) {
      const study::ComparedKernel& side = second ? comparison.b : comparison.a;
      const uint32_t index = second ? pair.b : pair.a;
      if (index == kNone) continue;
      const analysis::Loop& loop = side.kernel->loops[index];
      const auto time = study::loop_time(*side.kernel, loop);
      if (!time) continue;
      report::Bar bar{{fmt::format("{}: {}", second ? "B" : "A", study::place_of(*side.kernel, loop))},
                      {},
                      study::number_text(time->cycles)};
      for (const auto& [pipe, busy] : study::busiest(loop.cycles))
        bar.parts.push_back({std::string(isa::name_of(pipe)), busy, false});
      chart.bars.push_back(std::move(bar));
    }
  if (!chart.bars.empty()) out.charts.push_back(std::move(chart));
  out.tables.push_back(table_of("Kernel", "", comparison.changes, false));
  for (size_t i = 0; i < comparison.loops.size(); ++i)
    out.tables.push_back(table_of(fmt::format("{}oop {}", i == comparison.hot ? "Hot l" : "L",
                                              loop_name(comparison, comparison.loops[i])),
                                  "", study::changes_of(comparison.a, comparison.b, comparison.loops[i]),
                                  i != comparison.hot));
  if (!comparison.lines.empty()) out.tables.push_back(table_of("Lines", comparison.lines, true));
  if (!comparison.mnemonics.empty())
    out.tables.push_back(table_of("Instructions", comparison.mnemonics, false));
  return out;
}

}  // namespace wavesmith::cli
