// Thread-trace statistics of rocprofv3 against those of `wavesmith profile --statistics`, or, alone, against
// the tables of instruction costs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "isa/llvm/decoder.h"
#include "isa/rows.h"
#include "validate/families/family.h"
#include "validate/programs/thread_statistics.h"

namespace wavesmith::validate {
namespace {

using Pairs = std::vector<std::pair<const InstructionStatistics*, const InstructionStatistics*>>;

/// Places of values in ascending order from 1, equal ones sharing their mean.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (size_t k = i; k < end; ++k) rank[order[k]] = (static_cast<double>(i + end - 1)) / 2 + 1;
    i = end;
  }
  return rank;
}

/// Spearman's: Pearson's of the ranks. NaN where one side is all equal.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean_x = mean(x), mean_y = mean(y);
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : kNone;
}

/// The ten largest, earlier ones first among equals.
std::set<size_t> top_ten(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(
      order, [&](size_t a, size_t b) { return values[a] != values[b] ? values[a] > values[b] : a < b; });
  return {order.begin(), order.begin() + static_cast<ptrdiff_t>(std::min<size_t>(order.size(), 10))};
}

/// Errors of one figure, by pipe.
class Errors {
 public:
  void add(isa::Pipe pipe, double error) {
    all_.push_back(error);
    pipes_[static_cast<size_t>(pipe)].push_back(error);
  }
  void strata(std::string_view figure, std::vector<Stratum>& out) const {
    push(std::string(figure), all_, out);
    for (size_t pipe = 0; pipe < pipes_.size(); ++pipe)
      if (!pipes_[pipe].empty())
        push(fmt::format("{}, {}", figure, name_of(static_cast<isa::Pipe>(pipe))), pipes_[pipe], out);
  }
  [[nodiscard]] const std::vector<double>& all() const { return all_; }

 private:
  static void push(std::string name, const std::vector<double>& errors, std::vector<Stratum>& out) {
    out.push_back({.name = std::move(name),
                   .n = errors.size(),
                   .median = median(errors),
                   .mean = mean(errors),
                   .p90 = quantile(errors, 0.9)});
  }
  std::vector<double> all_;
  std::array<std::vector<double>, isa::kPipes> pipes_;
};

std::string left_out(const ThreadStatistics& statistics, const Csv& csv) {
  return fmt::format(
      "{}: {} instructions were executed, {} not; {} left out whose stall is more than their latency",
      csv.name(), statistics.instructions.size() + statistics.odd, statistics.not_executed, statistics.odd);
}

void compare(const Csv& csv, const ThreadStatistics& measured, const ThreadStatistics& ours,
             FamilyReport& report) {
  Pairs pairs;
  for (const auto& [a, b] : same_instructions(measured, ours))
    pairs.emplace_back(&measured.instructions[a], &ours.instructions[b]);
  Errors latency, stall;
  std::vector<double> theirs_total, ours_total;
  for (const auto& [a, b] : pairs) {
    theirs_total.push_back(static_cast<double>(a->latency));
    ours_total.push_back(static_cast<double>(b->latency));
    if (a->latency == 0) continue;
    latency.add(a->pipe, std::abs(b->latency_per_hit() - a->latency_per_hit()) / a->latency_per_hit());
    stall.add(a->pipe, std::abs(b->stall_per_hit() - a->stall_per_hit()) / a->latency_per_hit());
  }
  latency.strata("latency", report.strata);
  stall.strata("stall", report.strata);

  const double theirs = std::accumulate(theirs_total.begin(), theirs_total.end(), 0.0),
               mine = std::accumulate(ours_total.begin(), ours_total.end(), 0.0);
  double right = 0;
  std::vector<std::pair<double, Case>> cases;  // by the cycles that they are off
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto& [a, b] = pairs[i];
    const double share = theirs > 0 ? theirs_total[i] / theirs : 0,
                 our_share = mine > 0 ? ours_total[i] / mine : 0;
    right += std::min(share, our_share);
    const double off = std::abs(b->latency_per_hit() - a->latency_per_hit()) * static_cast<double>(a->hits);
    if (off == 0) continue;
    cases.emplace_back(off, Case{.gpu = std::string(a->object),
                                 .label = std::string(a->text),
                                 .where = csv.where(a->row),
                                 .measured = a->latency_per_hit(),
                                 .predicted = b->latency_per_hit(),
                                 .note = fmt::format("{}, {:.1f} % of the time, ours {:.1f} %{}{}",
                                                     name_of(a->pipe), 100 * share, 100 * our_share,
                                                     a->source.empty() ? "" : ", ", a->source)});
  }
  std::ranges::sort(cases, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.where < b.second.where;
  });
  for (size_t i = 0; i < std::min<size_t>(cases.size(), 20); ++i) report.worst.push_back(cases[i].second);

  const std::set<size_t> top = top_ten(theirs_total), our_top = top_ten(ours_total);
  const auto common =
      static_cast<double>(std::ranges::count_if(top, [&](size_t i) { return our_top.contains(i); }));
  const double whole = std::accumulate(
      measured.instructions.begin(), measured.instructions.end(), 0.0,
      [](double sum, const InstructionStatistics& one) { return sum + static_cast<double>(one.latency); });
  const size_t n = pairs.size();
  report.summary.push_back({"statistics_latency_median", median(latency.all()), latency.all().size()});
  report.summary.push_back({"statistics_stall_median", median(stall.all()), stall.all().size()});
  report.summary.push_back({"statistics_time_on_right_instruction", n ? right : kNone, n});
  report.summary.push_back(
      {"statistics_top_ten", top.empty() ? kNone : common / static_cast<double>(top.size()), top.size()});
  report.summary.push_back(
      {"statistics_rank_correlation", n ? rank_correlation(theirs_total, ours_total) : kNone, n});
  report.summary.push_back(
      {"statistics_matched_time", whole > 0 ? theirs / whole : kNone, measured.instructions.size()});
}

Result<void> judge_alone(const Csv& csv, const ThreadStatistics& measured, const isa::Target& target,
                         FamilyReport& report, Errors& issue) {
  for (const InstructionStatistics& one : measured.instructions) {
    const Result<isa::Instruction> instruction = isa::parse_instruction(one.text);
    if (!instruction) return tl::unexpected(instruction.error());
    const isa::Row* const row = isa::find_row(instruction->mnemonic, target);
    const isa::Cost cost = isa::cost_of(*instruction, row, target, target.wave64_only ? 64 : 32);
    const double ours = traced_issue_cycles(cost, target), theirs = one.issue_per_hit();
    if (theirs == 0 && ours != 0) continue;  // it never issued while the trace ran
    const double error = ours == theirs ? 0 : theirs > 0 ? std::abs(ours - theirs) / theirs : 1;
    issue.add(cost.pipe, error);
    if (error == 0 || theirs == 0) continue;
    report.worst.push_back({.gpu = std::string(target.name),
                            .label = std::string(one.text),
                            .where = csv.where(one.row),
                            .measured = theirs,
                            .predicted = ours,
                            .note = fmt::format("{}, {} hits{}{}", name_of(cost.pipe), one.hits,
                                                one.source.empty() ? "" : ", ", one.source)});
  }
  return {};
}

}  // namespace

Result<FamilyReport> judge_statistics(Data& data) {
  FamilyReport report;
  report.family = "statistics";
  const Result<std::vector<const Csv*>> tables = data.judged(TableKind::ThreadStatistics);
  if (!tables) return tl::unexpected(tables.error());
  if (data.against() != nullptr && tables->size() != 1)
    return fail(ErrorKind::BadInput, "one table of statistics is compared with another",
                fmt::format("{} are given", tables->size()));
  Errors issue;
  for (const Csv* csv : *tables) {
    const Result<ThreadStatistics> measured = read_thread_statistics(*csv);
    if (!measured) return tl::unexpected(measured.error());
    report.notes.push_back(left_out(*measured, *csv));
    if (const Csv* const against = data.against()) {
      const Result<ThreadStatistics> ours = read_thread_statistics(*against);
      if (!ours) return tl::unexpected(ours.error());
      report.notes.push_back(left_out(*ours, *against));
      report.method =
          "Instructions of two tables, matched by code object and address (or by one distance between the "
          "addresses of a kernel) and mnemonic. Errors are of a hit's cycles: its latency's as a share of "
          "the "
          "measured latency, its stall's likewise. 'Time on the right instruction' adds up, over "
          "instructions, the "
          "smaller of the two shares of the kernel's time; the worst cases are those that cost most cycles.";
      compare(*csv, *measured, *ours, report);
      continue;
    }
    const isa::Target* target = &target_of(*measured);
    if (!data.target().empty()) {
      target = isa::find_target(data.target());
      if (target == nullptr) return fail(ErrorKind::NotFound, fmt::format("no costs of '{}'", data.target()));
    } else {
      report.notes.push_back(
          fmt::format("{}: taken for {}, the first target that knows these instructions; --gpu names another",
                      csv->name(), target->name));
    }
    report.method =
        "Cycles of a hit in which an instruction was issuing (Latency less Stall), against the tables of "
        "instruction costs; what holds it up needs a profile: --against its --statistics.";
    if (const Result<void> judged = judge_alone(*csv, *measured, *target, report, issue); !judged)
      return tl::unexpected(judged.error());
  }
  if (data.against() == nullptr) {
    issue.strata("issue", report.strata);
    report.worst = worst_of(report.worst);
    const auto exact = static_cast<double>(std::ranges::count(issue.all(), 0.0));
    const size_t n = issue.all().size();
    report.summary.push_back({"statistics_issue_median", median(issue.all()), n});
    report.summary.push_back({"statistics_issue_exact", n ? exact / static_cast<double>(n) : kNone, n});
  }
  return report;
}

}  // namespace wavesmith::validate
