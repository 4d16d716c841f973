#include "timing/grid/unit.h"

#include <algorithm>
#include <deque>
#include <queue>

#include "timing/unit/ring.h"

namespace wavesmith::timing {
namespace {

using Kind = Step::Kind;

struct Wave {
  const WaveSteps* trace;
  size_t group, step = 0;
  uint32_t simd = 0;
  double now = 0;
  double folded = 0;  ///< clocks that it took besides, for iterations that are not replayed
  size_t fold = 0;    ///< the next one of its trace
  double measured = 0,
         pace = 0;  ///< of the loop that it folds: when the measured iterations began; clocks of each
  Ring<double> memory, local, stores;  ///< when what is outstanding is done, oldest first
};

struct Group {
  const GroupSteps* trace;
  uint32_t left = 0;     ///< waves that have not ended
  uint32_t arrived = 0;  ///< at the barrier
  double barrier = 0;    ///< clock of the last arrival
  double folded = 0;     ///< the same and what waves took besides
  double ended = 0;      ///< of the waves that have, the same
  std::vector<size_t> waiting;
};

/// The clock at which no more than `most` are outstanding.
double drained(Ring<double>& outstanding, uint16_t most, double now) {
  while (outstanding.size() > most) {
    now = std::max(now, outstanding.front());
    outstanding.pop();
  }
  return now;
}

class Replay {
 public:
  Replay(const UnitLoad& load, UnitMemory& memory) : load_(load), memory_(memory) {
    time_.ends.resize(load.groups.size());
    time_.folded.resize(load.groups.size());
    simds_.resize(load.simds);
    groups_.resize(load.groups.size());
  }

  ReplayTime run() {
    for (uint32_t i = 0; i < load_.resident; ++i) start(0, 0);
    while (!queue_.empty()) {
      const size_t index = queue_.top().second;
      queue_.pop();
      step(index);
    }
    return std::move(time_);
  }

 private:
  void start(double now, double folded) {
    if (next_ >= load_.groups.size()) return;
    const size_t number = next_++;
    Group& group = groups_[number];
    group.trace = load_.groups[number];
    const double at = std::max(now, load_.arrivals[number] - folded);
    group.left = static_cast<uint32_t>(group.trace->waves.size());
    if (!group.left) return end(number, at, folded);
    for (const WaveSteps& trace : group.trace->waves) {
      Wave wave{.trace = &trace, .group = number, .now = at, .folded = folded};
      wave.simd = turn_++ % load_.simds;
      waves_.push_back(std::move(wave));
      queue_.emplace(at, waves_.size() - 1);
    }
  }

  void end(size_t number, double now, double folded) {
    time_.ends[number] = now + folded;
    time_.folded[number] = folded;
    start(now, folded);
  }

  /// Time goes on as if the iterations that were not recorded did not exist, so that what waves do meanwhile
  /// to each other stays as it is. What they take is added up beside it.
  void fold(Wave& wave) {
    if (wave.fold == wave.trace->folds.size()) return;
    const Fold& fold = wave.trace->folds[wave.fold];
    if (wave.step == fold.from) wave.measured = wave.now;
    if (wave.step == fold.to) wave.pace = (wave.now - wave.measured) / fold.apart;
    if (wave.step != fold.at) return;
    const auto times = static_cast<double>(fold.times);
    wave.folded += times * wave.pace;
    ++wave.fold;
    for (uint32_t i = fold.to; i < fold.at; ++i) {
      const Step& step = wave.trace->steps[i];
      if (step.kind == Kind::Compute)
        time_.compute_clocks += times * step.clocks;
      else if (step.kind == Kind::Lds)
        time_.lds_clocks += times * step.clocks;
      else if (step.kind == Kind::Load || step.kind == Kind::Store || step.kind == Kind::Atomic)
        time_.address_clocks += times * address_clocks(step);
    }
  }

  [[nodiscard]] double address_clocks(const Step& step) const {
    return std::max<double>(step.clocks, 1) * 64 / memory_.parameters().l1_rate;
  }

  void step(size_t index) {
    Wave& wave = waves_[index];
    fold(wave);
    if (wave.step >= wave.trace->steps.size()) {
      // The end of a wave waits for nothing: its stores drain behind it.
      Group& group = groups_[wave.group];
      const double now = wave.now;
      const size_t number = wave.group;
      group.ended = std::max(group.ended, now + wave.folded);
      if (--group.left == 0)
        end(number, now, group.ended - now);
      else if (group.arrived && group.arrived == group.left) {
        group.barrier = std::max(group.barrier, now);
        group.folded = std::max(group.folded, now + wave.folded);
        release(group);
      }
      return;
    }
    const Step& step = wave.trace->steps[wave.step++];
    switch (step.kind) {
      case Kind::Compute: {
        double& simd = simds_[wave.simd];
        const double start = std::max(wave.now, simd);
        if (step.clocks) simd = start + step.clocks;
        time_.compute_clocks += step.clocks;
        wave.now = start + step.clocks + step.others;
        break;
      }
      case Kind::Scalar: {
        wave.now += step.others;
        double ready = wave.now + memory_.parameters().scalar_latency;
        for (uint32_t i = 0; i < step.count; ++i) {
          const LineUse& use = wave.trace->lines[step.first + i];
          ready = std::max(ready, memory_.scalar(use.line * memory_.parameters().line / 64, wave.now));
        }
        wave.local.push(std::max(ready, wave.local.empty() ? 0 : wave.local.back()));
        break;
      }
      case Kind::Lds: {
        const double start = std::max(wave.now, lds_);
        lds_ = start + step.clocks;
        time_.lds_clocks += step.clocks;
        wave.now = start + step.others;
        wave.local.push(start + step.clocks + kLdsLatency);
        break;
      }
      case Kind::Load:
      case Kind::Store:
      case Kind::Atomic:
        memory_step(wave, step);
        break;
      case Kind::Wait:
        wave.now += step.others;
        if (step.memory != Step::kAny) wave.now = drained(wave.memory, step.memory, wave.now);
        if (step.local != Step::kAny) wave.now = drained(wave.local, step.local, wave.now);
        if (step.stores != Step::kAny) wave.now = drained(wave.stores, step.stores, wave.now);
        break;
      case Kind::Barrier: {
        Group& group = groups_[wave.group];
        group.barrier = std::max(group.barrier, wave.now + step.others);
        group.folded = std::max(group.folded, wave.now + step.others + wave.folded);
        group.waiting.push_back(index);
        if (++group.arrived == group.left) release(group);
        return;
      }
    }
    queue_.emplace(wave.now, index);
  }

  void memory_step(Wave& wave, const Step& step) {
    const double clocks = address_clocks(step);
    const double start = memory_.address(wave.now, clocks);
    time_.address_clocks += clocks;
    wave.now = start + step.others;
    const double taken = start + clocks;
    double ready = taken + memory_.parameters().l1_latency;
    const std::span<const LineUse> lines(wave.trace->lines.data() + step.first, step.count);
    const bool scattered = memory_.scattered(lines);
    const AccessKind kind = step.kind == Kind::Load    ? AccessKind::Load
                            : step.kind == Kind::Store ? AccessKind::Store
                                                       : AccessKind::Atomic;
    ready = std::max(ready, memory_.access(kind, lines, 0, taken, scattered, false));
    if (step.flag)
      for (const LineUse& use : lines) ready = std::max(ready, taken + memory_.flag_latency(use.line));
    // Answers come in order.
    if (!wave.memory.empty()) ready = std::max(ready, wave.memory.back());
    wave.memory.push(ready);
  }

  void release(Group& group) {
    for (const size_t waiting : group.waiting) {
      waves_[waiting].now = group.barrier;
      waves_[waiting].folded = group.folded - group.barrier;
      queue_.emplace(group.barrier, waiting);
    }
    group.waiting.clear();
    group.arrived = 0;
    group.barrier = 0;
    group.folded = 0;
  }

  static constexpr double kLdsLatency = 64;

  using Item = std::pair<double, size_t>;
  const UnitLoad& load_;
  UnitMemory& memory_;
  ReplayTime time_;
  std::vector<Group> groups_;
  std::deque<Wave> waves_;
  std::vector<double> simds_;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue_;
  double lds_ = 0;
  size_t next_ = 0;
  uint32_t turn_ = 0;
};

}  // namespace

ReplayTime replay(const UnitLoad& load, UnitMemory& memory) { return Replay(load, memory).run(); }

}  // namespace wavesmith::timing
