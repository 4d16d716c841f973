#include "check/race/sync_order.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace wavesmith::check {
namespace {

/// How much work a launch's questions may be: some seconds.
constexpr uint64_t kMostWork = 20'000'000'000;
/// Sources that one pass over the log follows.
constexpr size_t kColumns = 64;

/// Of each source the number of its operations that are known.
using Column = std::array<uint32_t, kColumns>;
void join(Column& into, const Column& from) {
  for (size_t i = 0; i < kColumns; ++i) into[i] = std::max(into[i], from[i]);
}

/// What is known in each of the senses of Order.
struct Knowledge {
  Column ordered{}, visible{}, seen{};
  void join(const Knowledge& from) {
    check::join(ordered, from.ordered);
    check::join(visible, from.visible);
    check::join(seen, from.seen);
  }
};

struct Step {
  uint64_t stamp;
  uint32_t workgroup;
  uint32_t number;
  const SyncEntry* entry;
};

struct Asked {
  const OrderQuestion* question;
  Order* answer;
  size_t column;
};

/// One pass over all operations in the order of their stamps.
class Pass {
 public:
  explicit Pass(std::map<uint32_t, size_t> columns) : columns_(std::move(columns)) {}

  void ask(const OrderQuestion& question, Order& answer) {
    asked_[question.second].push_back({&question, &answer, columns_.at(question.first)});
  }
  void run(const std::vector<Step>& steps) {
    for (auto& [workgroup, all] : asked_)
      std::ranges::sort(all, {}, [](const Asked& one) { return one.question->second_segment; });
    for (const Step& step : steps) {
      answer_until(step.workgroup, step.number);
      take(step);
    }
    for (auto& [workgroup, all] : asked_) answer_until(workgroup, ~uint32_t{0});
  }

 private:
  struct Group {
    Knowledge known, pending;
    size_t answered = 0;
  };

  /// Those questions of the workgroup whose segment ends with the operation of that number.
  void answer_until(uint32_t workgroup, uint32_t number) {
    const auto found = asked_.find(workgroup);
    if (found == asked_.end()) return;
    Group& group = groups_[workgroup];
    for (; group.answered < found->second.size(); ++group.answered) {
      const Asked& one = found->second[group.answered];
      if (one.question->second_segment > number) return;
      const uint32_t segment = one.question->first_segment;
      *one.answer = {.ordered = group.known.ordered[one.column] > segment,
                     .visible = group.known.visible[one.column] > segment,
                     .seen = group.known.seen[one.column] > segment};
    }
  }

  void take(const Step& step) {
    Group& group = groups_[step.workgroup];
    const uint64_t place = step.entry->place;
    switch (step.entry->what) {
      case SyncEntry::Release:
      case SyncEntry::Store: {
        const auto own = columns_.find(step.workgroup);
        const auto show = [&](Knowledge& knowledge) {
          if (own != columns_.end() && step.entry->visible)
            knowledge.visible[own->second] = knowledge.seen[own->second] = step.number + 1;
        };
        if (own != columns_.end()) group.known.ordered[own->second] = step.number + 1;
        if (step.entry->what == SyncEntry::Release) show(group.known);
        // Who takes it over from here invalidates for itself.
        Knowledge told = group.known;
        join(told.seen, group.pending.seen);
        show(told);
        places_[place].join(told);
        places_[SyncLog::kAny].join(told);
        return;
      }
      case SyncEntry::Acquire: {
        const auto take_over = [&](const Knowledge& from) {
          join(group.known.ordered, from.ordered);
          join(group.known.visible, from.visible);
          join(group.pending.seen, from.seen);
        };
        take_over(places_[place == SyncLog::kMany ? SyncLog::kAny : place]);
        if (place != SyncLog::kMany) take_over(places_[SyncLog::kMany]);
        return;
      }
      case SyncEntry::Invalidate:
        join(group.known.seen, group.pending.seen);
        return;
      case SyncEntry::Shown:
        if (const auto own = columns_.find(step.workgroup); own != columns_.end())
          group.known.visible[own->second] = group.known.seen[own->second] = step.number + 1;
        return;
    }
  }

  std::map<uint32_t, size_t> columns_;
  std::map<uint32_t, std::vector<Asked>> asked_;
  std::unordered_map<uint32_t, Group> groups_;
  std::unordered_map<uint64_t, Knowledge> places_;
};

}  // namespace

bool SyncLog::repeats(const SyncEntry& entry, size_t before) const {
  if (used_ || entries_.size() <= before) return false;
  const SyncEntry& last = entries_[entries_.size() - 1 - before];
  return last.what == entry.what && last.place == entry.place && last.visible == entry.visible;
}

void SyncLog::add(const SyncEntry& entry) {
  acquired_ |= entry.what == SyncEntry::Acquire;
  // Who waits looks again and again.
  if (entry.what == SyncEntry::Acquire && repeats(entry, 0)) {
    entries_.back().stamp = entry.stamp;
    return;
  }
  // Who tries a lock tells the same as the last time.
  if (entry.what == SyncEntry::Release && tried_clean_ && repeats(entry, 1) &&
      entries_.back().what == SyncEntry::Acquire && entries_.back().place == entry.place)
    return;
  if (entry.what == SyncEntry::Invalidate && repeats(entry, 0)) return;
  tried_clean_ = entry.what == SyncEntry::Acquire && !used_;
  entries_.push_back(entry);
  used_ = false;
}

void SyncOrder::add(uint32_t workgroup, SyncLog log) {
  if (log.entries().empty()) return;
  const std::scoped_lock lock(mutex_);
  logs_[workgroup] = std::move(log);
}

void SyncOrder::answer(std::map<OrderQuestion, Order>& questions) const {
  std::vector<uint32_t> sources;
  for (const auto& [question, answer] : questions)
    if (logs_.contains(question.first) && logs_.contains(question.second)) sources.push_back(question.first);
  std::ranges::sort(sources);
  sources.erase(std::ranges::unique(sources).begin(), sources.end());
  if (sources.empty()) return;

  std::vector<Step> steps;
  for (const auto& [workgroup, log] : logs_)
    for (size_t i = 0; i < log.entries().size(); ++i)
      steps.push_back({log.entries()[i].stamp, workgroup, static_cast<uint32_t>(i), &log.entries()[i]});
  std::ranges::sort(steps, {}, &Step::stamp);

  uint64_t work = 0;
  for (size_t from = 0; from < sources.size(); from += kColumns) {
    std::map<uint32_t, size_t> columns;
    for (size_t i = from; i < std::min(sources.size(), from + kColumns); ++i) columns[sources[i]] = i - from;
    work += steps.size() * kColumns * 6;
    Pass pass(columns);
    for (auto& [question, answer] : questions) {
      if (!columns.contains(question.first) || !logs_.contains(question.second)) continue;
      if (work > kMostWork)
        answer = {.ordered = true, .visible = true, .seen = true};
      else
        pass.ask(question, answer);
    }
    if (work <= kMostWork) pass.run(steps);
  }
}

}  // namespace wavesmith::check
