// The scheduler: workgroups to host threads, waves of a workgroup in turns.
//
// A host thread runs one workgroup until it is done. A workgroup may instead wait for another one (a grid
// barrier, a spin lock, decoupled look-back) or for time to pass; such a wait is made of loads that bypass
// caches, of atomics, of s_sleep or of looks at a clock, which set Wave::may_wait. When every wave that could
// run did one of these in its time slice and none ended, the thread sets the workgroup aside and goes on with
// its next one, or brings in a new one while the GPU would have room. So every resident workgroup makes
// progress, and one that only computes is never disturbed.
#include "emulate/run/dispatch.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/pages.h"
#include "base/stopwatch.h"
#include "base/thread_pool.h"
#include "emulate/run/host_mode.h"
#include "emulate/run/initial_registers.h"
#include "emulate/run/listeners.h"
#include "emulate/run/turn.h"
#include "emulate/run/workgroup.h"
#include "emulate/translate/hits.h"
#include "isa/llvm/demangle.h"

namespace wavesmith::emulate {
namespace {

/// Instructions that a wave runs before the next one of its workgroup has its turn.
constexpr int64_t kSlice = 20'000;
/// The first slices behind a barrier, in instructions; 0: to the end of a basic block. On a GPU waves go on
/// nearly side by side, and programs exist that lack a barrier between reading what was told and overwriting
/// it. In rocSOLVER's iamax (sytrf) the first wave reads the others' maxima at once, and these, with nothing
/// left to do, overwrite them in the next call, some twenty instructions on. In its Jacobi eigensolver
/// (run_syevj) the next step does, a few hundred instructions on.
constexpr std::array<int64_t, 3> kSlicesBehindBarrier{0, 0, 128};

/// Turns in which a workgroup waited or its waves met, before it lets others go on: it may be waiting from
/// barrier to barrier.
constexpr uint32_t kMeetings = 256;

/// Turns in which some waves of a workgroup waited and others computed, before it lets others go on.
constexpr uint32_t kMixedTurns = 16;

/// What all threads of one run share.
struct Run {
  const Dispatch& dispatch;
  const Memory& memory;
  const Limits& limits;
  Extent3 groups;
  uint64_t total;
  uint32_t waves_per_group;
  size_t most_resident;
  bool hears_instructions = false;
  std::atomic<uint64_t> next{0};
  std::atomic<uint64_t> instructions{0};
  std::atomic<bool> stop{false};
  const Stopwatch watch;
  std::mutex mutex;
  std::optional<Fault> fault;
};

/// The most waves of a workgroup: 1,024 work-items in waves of 32.
constexpr size_t kMostWaves = 32;

/// A workgroup with the storage that its waves use; reused from one workgroup to the next.
struct Slot {
  Workgroup group;
  Pages<Wave> waves = Pages<Wave>(kMostWaves);
  Pages<uint8_t> lds;
  Pages<uint8_t> scratch;

  void reserve(size_t lds_bytes, size_t scratch_bytes) {
    if (lds.size() < lds_bytes) lds = Pages<uint8_t>(lds_bytes);
    if (scratch.size() < scratch_bytes) scratch = Pages<uint8_t>(scratch_bytes);
  }
};

/// What a host thread needs to run workgroups; kept from one launch to the next, because making it costs more
/// than a small kernel.
struct Storage {
  Hits hits;
  std::vector<std::unique_ptr<Slot>> slots;

  static std::unique_ptr<Storage> take() {
    const std::scoped_lock lock(mutex());
    if (idle().empty()) return std::make_unique<Storage>();
    std::unique_ptr<Storage> storage = std::move(idle().back());
    idle().pop_back();
    return storage;
  }
  static void give_back(std::unique_ptr<Storage> storage) {
    constexpr size_t kKeep = 64;
    if (storage->slots.size() > kKeep) storage->slots.resize(kKeep);
    const std::scoped_lock lock(mutex());
    idle().push_back(std::move(storage));
  }

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }
  static std::vector<std::unique_ptr<Storage>>& idle() {
    static auto* const list = new std::vector<std::unique_ptr<Storage>>;
    return *list;
  }
};

class Worker {
 public:
  explicit Worker(Run& run)
      : run_(run),
        kernel_(*run.dispatch.kernel),
        lanes_(static_cast<uint32_t>(run.dispatch.program->wave_lanes())),
        storage_(Storage::take()),
        hits_(storage_->hits) {
    for (const auto& slot : storage_->slots) free_.push_back(slot.get());
  }
  ~Worker() {
    // Listeners end with the run that they hear of; the slots are kept for the next one.
    if (heard_)
      for (const auto& slot : storage_->slots) slot->group.listener.reset();
    hits_.clear(run_.dispatch.program->block_count());
    Storage::give_back(std::move(storage_));
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void work() {
    while (!run_.stop.load(std::memory_order_relaxed)) {
      if (resident_.empty() && !bring_in()) break;
      Slot* const slot = resident_.front();
      if (run_.dispatch.serve) run_.dispatch.serve(run_.dispatch.serve_context);
      switch (turn(*slot)) {
        case Outcome::Finished:
          slot->group.listener.reset();
          resident_.pop_front();
          free_.push_back(slot);
          break;
        case Outcome::Going:
          break;
        case Outcome::Waiting:
          resident_.pop_front();
          resident_.push_back(slot);
          if (resident_.size() < most_resident_per_thread() && bring_in()) {
            resident_.push_front(resident_.back());
            resident_.pop_back();
          } else if (resident_.size() == 1) {
            std::this_thread::yield();
          }
          break;
        case Outcome::Stopped:
          return;
      }
    }
  }

  /// Adds what was executed to the program's counts; returns how many instructions these were.
  [[nodiscard]] uint64_t count() const {
    Program& program = *run_.dispatch.program;
    return program.count(hits_) + (heard_ ? program.observed(run_.hears_instructions).count(*heard_) : 0);
  }
  uint64_t waves = 0;

 private:
  enum class Outcome { Finished, Going, Waiting, Stopped };

  [[nodiscard]] size_t most_resident_per_thread() const { return run_.most_resident; }

  /// Starts the next workgroup of the grid; false when all have been started.
  bool bring_in() {
    uint64_t number = run_.next.fetch_add(1, std::memory_order_relaxed);
    if (number >= run_.total) return false;
    number = run_.dispatch.order.at(number, run_.total);
    if (run_.dispatch.only) number = (*run_.dispatch.only)[number];
    if (free_.empty()) {
      storage_->slots.push_back(std::make_unique<Slot>());
      free_.push_back(storage_->slots.back().get());
    }
    Slot* const slot = free_.back();
    free_.pop_back();
    slot->reserve(lds_size() + 64, size_t{scratch_size()} * kRowLanes * run_.waves_per_group + 64);
    Workgroup& group = slot->group;
    group.dispatch = &run_.dispatch;
    group.id = run_.groups.position_of(number);
    group.lds = slot->lds.data();
    group.fault.reset();
    group.grid_phase = 0;
    group.barrier_signals = 0;
    group.mixed_turns = 0;
    group.leaving_barrier = false;
    group.short_slices = 0;
    group.waited = false;
    group.meetings = 0;
    group.turns = number * 1'000'003;
    group.waves.clear();
    if (lds_size()) std::memset(group.lds, 0, lds_size());
    find_listener(group);
    start_waves(*slot);
    resident_.push_back(slot);
    return true;
  }

  /// Asks who listens to the workgroup, and chooses its code accordingly.
  void find_listener(Workgroup& group) {
    const Dispatch& dispatch = run_.dispatch;
    group.program = dispatch.program;
    group.listener.reset();
    if (dispatch.listeners.empty()) return;
    const WorkgroupView view{kernel_,    dispatch.dispatch_id, group.id, dispatch.workgroup,
                             lds_size(), scratch_size()};
    std::vector<std::unique_ptr<WorkgroupListener>> listeners;
    for (Listener* const listener : dispatch.listeners) listeners.push_back(listener->workgroup(view));
    group.listener = together(std::move(listeners));
    if (!group.listener) return;
    group.program = &dispatch.program->observed(run_.hears_instructions);
    if (!heard_) heard_ = std::make_unique<Hits>();
  }

  [[nodiscard]] uint32_t lds_size() const {
    return kernel_.fields.group_segment_fixed_size + run_.dispatch.dynamic_lds;
  }
  [[nodiscard]] uint32_t scratch_size() const {
    // A stack whose depth is unknown gets what HIP gives it unless hipLimitStackSize says otherwise, and
    // more.
    const uint32_t stack = kernel_.uses_dynamic_stack || kernel_.fields.uses_dynamic_stack() ? 16384 : 0;
    return (kernel_.fields.private_segment_fixed_size + stack + 15u) / 16 * 16;
  }

  void start_waves(Slot& slot) {
    uint32_t items = 1;
    for (const uint32_t size : run_.dispatch.workgroup) items *= size;
    const uint32_t count = (items + lanes_ - 1) / lanes_;
    for (uint32_t i = 0; i < count; ++i) {
      Wave& wave = slot.waves[i];
      if (!start_wave(wave, slot, i)) continue;
      wave.place = static_cast<uint32_t>(slot.group.waves.size());
      slot.group.waves.push_back(&wave);
      ++waves;
      if (slot.group.listener) slot.group.listener->wave_begins(WaveView(wave));
    }
  }

  /// False when the wave would have no lane.
  bool start_wave(Wave& wave, Slot& slot, uint32_t number) {
    wave.lanes = lanes_;
    wave.index = number;
    wave.scratch_size = scratch_size();
    wave.scratch = slot.scratch.data() + static_cast<size_t>(scratch_size()) * kRowLanes * number;
    if (!set_initial_registers(wave, slot.group)) return false;
    wave.status = Status::Ready;
    wave.hits = slot.group.listener ? heard_->data() : hits_.data();
    wave.group = &slot.group;
    wave.memory = &run_.memory.map();
    wave.lds = slot.group.lds;
    wave.lds_size = lds_size();
    wave.constants_loaded = 0;
    wave.barrier_complete = 0;
    slot.group.program->expect_mode(wave.s[scalar_index::kMode]);
    wave.resume = resolve_jump(nullptr, &wave, run_.dispatch.entry);
    return true;
  }

  /// Gives each wave of the workgroup that can run a time slice. They leave a barrier last wave first: on a
  /// GPU they go on side by side, so that programs exist in which the first wave, having told a result, soon
  /// overwrites it without a second barrier; here it would be 20,000 instructions ahead of those who read.
  Outcome turn(Slot& slot) {
    Workgroup& group = slot.group;
    bool ended = false, computing = false, waiting = std::exchange(group.waited, false);
    const size_t count = group.waves.size();
    if (std::exchange(group.leaving_barrier, false) && count > 1)
      group.short_slices = kSlicesBehindBarrier.size();
    const bool last_first = group.short_slices > 0;
    const int64_t slice = group.program->interleave() ? 0
                          : last_first
                              ? kSlicesBehindBarrier[kSlicesBehindBarrier.size() - group.short_slices]
                              : kSlice;
    if (last_first) --group.short_slices;
    const Order& order = run_.dispatch.order;
    const bool natural = order.natural();
    if (!natural) ++group.turns;
    grant(group, slice);
    for (size_t i = 0; i < count; ++i) {
      Wave* wave = group.waves[natural ? (last_first ? count - 1 - i : i) : order.at(i, count, group.turns)];
      if (wave->status != Status::Ready || wave->share == Share::Spent) continue;
      take_up(*wave);
      run_in_mode(*wave);
      wave = group.running;
      wave->share = Share::Spent;
      if (wave->status == Status::Fault) return report(group, *wave);
      waiting |= wave->may_wait || wave->slept;
      if (wave->status == Status::Done) {
        if (group.listener) group.listener->wave_ends(WaveView(*wave));
        group.complete_barrier();
      }
      if (wave->status != Status::Ready)
        ended = true;
      else if (!wave->may_wait && !wave->slept)
        computing = true;
    }
    // Who gave way and was not asked again before the turn was over goes on in the next one.
    computing |= has_given_way(group, slice);
    executed_ += static_cast<uint64_t>(executed(group, slice));
    if (executed_ > 1'000'000 || ++turns_ % 1024 == 0) {
      const uint64_t all = run_.instructions.fetch_add(executed_, std::memory_order_relaxed) + executed_;
      executed_ = 0;
      if (run_.dispatch.progress)
        run_.dispatch.progress(std::min(run_.next.load(std::memory_order_relaxed), run_.total), run_.total,
                               all);
      if (over_budget(all)) return report_budget(group);
    }
    const bool done = std::all_of(group.waves.begin(), group.waves.end(),
                                  [](Wave* wave) { return wave->status == Status::Done; });
    if (done) {
      if (group.listener) group.listener->ends();
      return Outcome::Finished;
    }
    const bool blocked = std::none_of(group.waves.begin(), group.waves.end(),
                                      [](Wave* wave) { return wave->status == Status::Ready; });
    if (blocked) {
      Wave* released = nullptr;
      if (group.listener && std::any_of(group.waves.begin(), group.waves.end(),
                                        [](Wave* wave) { return wave->status == Status::Barrier; }))
        group.listener->barrier_completes();
      for (Wave* wave : group.waves)
        if (wave->status == Status::Barrier) wave->status = Status::Ready, released = wave;
      group.leaving_barrier = released;
      return released ? meet(group, waiting) : report_deadlock(group);
    }
    // After so short a slice nobody can be said to wait; on the whole way to the next barrier one can.
    if (last_first) group.waited = waiting;
    if (last_first && !ended) return Outcome::Going;
    // Who seems to compute may be waiting by way of LDS for a wave that waits for another workgroup.
    if (computing && (!waiting || ++group.mixed_turns < kMixedTurns)) return Outcome::Going;
    group.mixed_turns = 0;
    // One look at what another workgroup writes is not yet waiting for it, where waves take turns so often.
    return ended || group.program->interleave() ? meet(group, waiting) : Outcome::Waiting;
  }

  /// Waves met at a barrier or ended: progress, unless that is all they do while they look for what another
  /// workgroup has to write.
  static Outcome meet(Workgroup& group, bool waiting) {
    if (!waiting || ++group.meetings < kMeetings) return Outcome::Going;
    group.meetings = 0;
    return Outcome::Waiting;
  }

  [[nodiscard]] bool over_budget(uint64_t instructions) const {
    if (run_.limits.instructions && instructions > run_.limits.instructions) return true;
    return run_.limits.seconds > 0 && run_.watch.seconds() > run_.limits.seconds;
  }

  Outcome report_budget(Workgroup& group) {
    // Rather one that computes, yet a kernel may also spend its endless time from barrier to barrier.
    Wave* late = nullptr;
    for (Wave* wave : group.waves)
      if (wave->status == Status::Ready || (!late && wave->status != Status::Done)) {
        late = wave;
        if (wave->status == Status::Ready) break;
      }
    if (!late) return Outcome::Going;
    group.fail(*late, late->resume, Error{ErrorKind::Budget, "the kernel ran longer than it was allowed to"});
    return report(group, *late);
  }

  Outcome report_deadlock(Workgroup& group) {
    Wave& wave = **std::find_if(group.waves.begin(), group.waves.end(),
                                [](Wave* each) { return each->status == Status::SplitBarrier; });
    group.fail(wave, wave.resume,
               Error{ErrorKind::Trap, "every wave waits at a barrier that not all have signalled"});
    return report(group, wave);
  }

  Outcome report(Workgroup& group, Wave& wave) {
    if (!group.fault) {
      const Stop* const stop = static_cast<const Stop*>(wave.resume->pointer);
      group.fault = Fault{stop ? stop->error : Error{ErrorKind::Internal, "a wave stopped without a reason"},
                          wave.resume};
    }
    const std::scoped_lock lock(run_.mutex);
    run_.stop = true;
    if (run_.fault) return Outcome::Stopped;
    Fault fault = *group.fault;
    const Program::Location place = fault.uop ? group.program->locate(fault.uop) : Program::Location{};
    const uint64_t offset = place.pc - run_.dispatch.entry;
    fault.error.where =
        fmt::format("kernel '{}', workgroup ({}, {}, {}), wave {}, pc {:#x} = entry + {:#x}: {}",
                    isa::function_name(kernel_.name), group.id[0], group.id[1], group.id[2], wave.index,
                    place.pc, offset, place.text);
    if (run_.dispatch.locate && fault.uop)
      if (const std::string line = run_.dispatch.locate(place.pc); !line.empty())
        fault.error.where += ", " + line;
    run_.fault = std::move(fault);
    return Outcome::Stopped;
  }

  Run& run_;
  const object::Kernel& kernel_;
  uint32_t lanes_;
  std::unique_ptr<Storage> storage_;
  Hits& hits_;
  std::unique_ptr<Hits> heard_;  ///< block hits of workgroups that somebody listens to
  std::vector<Slot*> free_;
  std::deque<Slot*> resident_;
  uint64_t executed_ = 0;
  uint32_t turns_ = 0;
};

}  // namespace

Result<Statistics> run(const Dispatch& dispatch, const Memory& memory, const Limits& limits) {
  if (dispatch.grid.empty() || dispatch.workgroup.empty())
    return fail(ErrorKind::BadInput, "the grid or the workgroup is empty",
                fmt::format("kernel '{}'", isa::function_name(dispatch.kernel->name)));
  const Extent3 groups = workgroups_of(dispatch.grid, dispatch.workgroup);
  Run shared{dispatch, memory, limits, groups, groups.count(), 0, 0};
  const auto items = static_cast<uint32_t>(dispatch.workgroup.count());
  bool whole = true;
  for (size_t axis = 0; axis < 3; ++axis)
    whole = whole && dispatch.grid[axis] % dispatch.workgroup[axis] == 0;
  shared.hears_instructions = std::ranges::any_of(dispatch.listeners, &Listener::hears_instructions);
  if (dispatch.only) shared.total = std::min<uint64_t>(shared.total, dispatch.only->size());
  const auto lanes = static_cast<uint32_t>(dispatch.program->wave_lanes());
  shared.waves_per_group = (items + lanes - 1) / lanes;

  // Empty kernels come in the largest grids that there are, to show that they can be launched: nobody can
  // tell whether their billions of waves have begun.
  constexpr uint64_t kManyGroups = 1 << 16;
  if (shared.total >= kManyGroups && dispatch.listeners.empty() && !dispatch.only && whole &&
      dispatch.program->entry(dispatch.entry)) {
    const uint64_t waves = shared.total * shared.waves_per_group;
    if (dispatch.program->count_empty(dispatch.entry, waves)) return Statistics{shared.total, waves, waves};
  }

  // Asked once: the C library reads it from a file each time.
  static const unsigned hardware = std::max(1u, std::thread::hardware_concurrency());
  const auto threads = static_cast<unsigned>(std::min<uint64_t>(
      limits.threads > 0 ? static_cast<unsigned>(limits.threads) : hardware, shared.total));
  shared.most_resident = std::max<size_t>(1, (dispatch.most_resident + threads - 1) / threads);
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < threads; ++i) workers.push_back(std::make_unique<Worker>(shared));
  ThreadPool::shared().run(threads, [&workers](unsigned i) { workers[i]->work(); });
  if (shared.fault) return tl::unexpected(shared.fault->error);

  Statistics statistics{shared.total, 0, 0};
  for (const auto& worker : workers) {
    statistics.waves += worker->waves;
    statistics.instructions += worker->count();
  }
  return statistics;
}

}  // namespace wavesmith::emulate
