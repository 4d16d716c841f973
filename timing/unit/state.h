// The inside of ComputeUnit: waves, SIMDs, and what has been promised to whom.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "gpus/lds_phases.h"
#include "isa/cost/cost.h"
#include "timing/unit/compute_unit.h"
#include "timing/unit/ring.h"
#include "timing/unit/unit_op.h"
#include "timing/unit/vector_registers.h"

namespace wavesmith::timing {

/// Cycles of work that may wait in the address unit and in LDS before the next instruction does not issue.
inline constexpr uint64_t kVectorMemoryQueue = 64, kLdsQueue = 64;

/// Cycles at which something may be done with a scalar register.
struct ScalarRegister {
  uint64_t issued = 0;          ///< read by the VALU: SALU's result
  uint64_t result = 0;          ///< read by the SALU: SALU's result
  uint64_t by_vector = 0;       ///< read by the VALU: VALU's result
  uint64_t read_by_vector = 0;  ///< the VALU instruction that reads it
  uint64_t written = 0;         ///< overwritten by the SALU: SALU's result
};

/// The last few of something, the newest first.
template <int kCount>
struct Recent {
  std::array<uint64_t, kCount> cycles = {};
  void push(uint64_t cycle) {
    for (size_t i = kCount - 1; i > 0; --i) cycles[i] = cycles[i - 1];
    cycles[0] = cycle;
  }
  [[nodiscard]] uint64_t at(size_t i) const { return i < kCount ? cycles[i] : 0; }
};

/// The same of many: a power of two.
template <uint32_t kCount>
struct RecentRing {
  std::array<uint64_t, kCount> cycles = {};
  uint32_t newest = 0;
  void push(uint64_t cycle) { cycles[newest = (newest + 1) % kCount] = cycle; }
  [[nodiscard]] uint64_t at(uint32_t i) const { return cycles[(newest + kCount - i) % kCount]; }
};

inline constexpr size_t kScalars = 129;

/// Until when an instruction is held, and by what.
struct Hold {
  uint64_t ready = 0;
  Cause cause = Cause::None;
  void until(uint64_t cycle, Cause why) {
    const bool later = cycle > ready;  // can't be foreseen: no branch
    ready = later ? cycle : ready;
    cause = later ? why : cause;
  }
};

/// What each issue asks stands in its first two lines of the host's cache.
struct alignas(64) Wave {
  const uint32_t* site = nullptr;  ///< the next instruction, of the record's `sites`
  const uint32_t* end = nullptr;   ///< of these
  const UnitOp* op = nullptr;      ///< the next instruction
  uint64_t at = 0;                 ///< the wave has got to it
  uint64_t previous = 0;           ///< it was done with the one before
  uint64_t ready = 0;              ///< nothing but the pipe holds it
  /// From then on nothing that is known of its vector registers holds anything.
  uint64_t vector_pending = 0;
  Cause cause = Cause::None;
  bool blocked = false, forced = false;
  bool met = false;          ///< it comes from a barrier
  bool drains = false;       ///< it has ended but for what memory has not done yet
  bool hint = false;         ///< the instruction before was the sequencer's own
  bool hardware = false;     ///< the SALU instruction before wrote a hardware register
  uint64_t matrix_read = 0;  ///< the last matrix instruction has read its operands
  uint64_t last_scalar = 0, last_vector = 0, last_memory = 0;
  uint64_t scalars_written = 0;  ///< CDNA: the VALU has written scalar registers, for any SALU instruction
  /// As vector_pending: what was written to scalar registers, and that the VALU reads those.
  uint64_t scalar_pending = 0, scalar_read_pending = 0;
  uint64_t issued = 0;  ///< the instruction before
  const WaveRecord* record = nullptr;
  Observed* observed = nullptr;
  size_t counts = 0, access = 0;
  uint32_t simd = 0, group = 0, number = 0;
  uint32_t phase = 0;  ///< of the split barrier: how often it has waited
  size_t place = 0;    ///< among its SIMD's
  struct Delay {
    uint8_t id = 0, in = 0;
  };
  Delay delays[2] = {};
  uint32_t line = ~uint32_t{0};
  uint64_t scalar_executed = 0;  ///< the last SALU instruction has gone through
  RecentRing<8> scalars;         ///< until when each SALU instruction is under way
  RecentRing<8> masks;           ///< the same of VALU instructions that write scalar registers
  Recent<4> vector_issues;       ///< when their results are there
  Recent<3> transcendental_issues;
  struct Outstanding {
    uint64_t done;
    bool scalar;
  };
  std::array<Ring<Outstanding>, kCounters> outstanding;
  VectorRegisters vector;
  std::array<ScalarRegister, kScalars> scalar = {};

  /// The number of its next instruction in its record.
  [[nodiscard]] size_t next() const { return static_cast<size_t>(site - record->sites.data()); }
};

/// A wave's slot on its SIMD, and what choosing among the waves there asks of each.
struct WaveSlot {
  static constexpr uint64_t kBlocked = ~uint64_t{0} >> 8;
  std::unique_ptr<Wave> wave;
  uint64_t ready = 0;      ///< as the wave's; kBlocked: it waits for others
  uint64_t yields = 0xff;  ///< of those that are ready the least goes first: the priority, turned round
  Gate gate = Gate::None;
};

struct alignas(512) Simd {
  std::vector<WaveSlot> waves;  ///< the oldest first
  WaveSlot* choice = nullptr;   ///< of `waves`: what issues next, when `when` says
  uint32_t number = 0;
  size_t lds_part = 0;  ///< which part of LDS serves it
  // When each takes the next one.
  uint64_t vector = 0, slow = 0, matrix = 0, memory = 0;
  // CDNA: VALU instructions behind a matrix instruction; and the second pipe, which other VALU instructions
  // or matrix instructions have taken.
  uint64_t vector_matrix = 0, second = 0, second_matrix = 0;
  uint64_t vector_scalars = 0;  ///< the VALU reads scalar registers for the next instruction
  /// By Gate: when what takes instructions of that kind takes the next one.
  std::array<uint64_t, kGates> opens = {};
  uint64_t last = 0;        ///< something issued
  uint64_t empty_from = 0;  ///< where it has no wave: since when
  uint64_t lds_read = 0;    ///< LDS has the operands of the last instruction
  RecentRing<16> lds_operands;
  uint64_t lds_opens = 0;  ///< LDS takes the operands of the next
  // The VALU's queue.
  uint64_t executed = 0;       ///< the last in the queue has gone through
  uint64_t slow_executed = 0;  ///< the same of the unit for transcendental and wide instructions
  uint64_t doubles = 0;        ///< the FP64 unit takes the next
  uint64_t doubles_done = 0;   ///< its last result is there, and those behind it
  bool matrix_last = false;    ///< the last in the queue is a matrix instruction
  struct Entry {
    uint64_t leaves;
    uint32_t weight;
  };
  Ring<Entry> queue;
  uint32_t filled = 0;
};

struct Group {
  uint32_t alive = 0, arrived = 0, phase = 0;
  uint64_t signalled = 0;  ///< the last arrival
};

/// What an instruction has come to, summed over waves; OpTime follows from it. Most of what an issue adds to
/// stands in the first line of the host's cache.
struct alignas(64) Tally {
  uint64_t hits = 0, idle = 0;
  uint64_t taken = 0;                       ///< cycles until the wave was done with it
  uint64_t pipe = 0;                        ///< stalled by UnitOp::taken
  std::array<uint64_t, kCauses> held = {};  ///< stalled by others
  uint64_t drained = 0;                     ///< cycles that the end of a wave waits for memory
};

/// Of what the rules say, what decides most: the instructions of each such unit are compiled for themselves.
struct UnitKind {
  bool queued = false;       ///< IssueRules::queued; where not, none of what stands for RDNA alone there
  bool second_pipe = false;  ///< IssueRules::second_pipe
  bool watched = false;      ///< waves follow what was observed, or events are kept
};

struct ComputeUnit::State {
  State(const gpus::Gpu& gpu_, const OpTable& ops_, MemoryPort& memory_, const Options& options_)
      : gpu(gpu_),
        memory(memory_),
        options(options_),
        rules(options_.rules ? *options_.rules : isa::issue_rules(ops_.target())),
        ops(ops_, rules),
        target(ops_.target()),
        lanes(static_cast<uint32_t>(ops_.wave_lanes())),
        quantum(rules.quantum),
        part(quantum - 1),
        scalar_hold(std::max(
            {rules.vector_to_scalar, rules.vector_to_branch, rules.vector_to_overwrite, rules.carry})),
        reads_hold(rules.queued || rules.vector_to_memory > rules.vector_then_memory ||
                   rules.dual_to_memory > rules.vector_then_memory),
        matrix_start(target.is(isa::kRdna4) ? std::max(rules.matrix_depth, rules.depth) - rules.depth : 0),
        lds_pairs(ops_.target().is(isa::kCdna)) {
    simds = std::vector<Simd>(options.simds ? options.simds : gpu.simds_per_unit);
    when.fill(kNothing);
    // On CDNA each pair of SIMDs gets half of what LDS gives, and no more.
    for (size_t i = 0; i < simds.size(); ++i) {
      simds[i].number = static_cast<uint32_t>(i);
      simds[i].lds_part = lds_pairs ? i / 2 % 2 : 0;
      changed(simds[i]);
    }
    events_left = options.events;
    tallies.resize(ops_.size());
    time.events.reserve(options.events);
    lines.resize(ops.lines(), options.fetches ? kNotFetched : 0);
    watch(events_left != 0);
  }

  void add(const WaveRecord& record, uint32_t simd, uint64_t cycle, uint32_t group, Observed* observed);
  /// Its functions, of the kind that it is.
  void watch(bool watched);
  template <UnitKind kKind>
  void become();
  template <UnitKind kKind>
  bool run();
  uint64_t choose(Simd& simd);
  /// When the next instruction issues, of the SIMDs whose choice is made, with its SIMD's number.
  [[nodiscard]] uint64_t soonest() const {
    const uint64_t* const of = when.data();
    uint64_t first = std::min(std::min(of[0], of[1]), std::min(of[2], of[3]));
    return simds.size() <= 4 ? first : soonest_of_more(first);
  }
  [[nodiscard]] uint64_t soonest_of_more(uint64_t first) const;
  void changed(const Simd& simd) {
    stale |= uint64_t{1} << simd.number;
    when[simd.number] = kNothing;
  }
  template <UnitKind kKind>
  void open_vector(Simd& simd) const;
  template <UnitKind kKind, bool kMatrix>
  void take_vector_pipe(Simd& simd, const UnitOp& op, uint64_t t) const;
  template <UnitKind kKind>
  void prepare(Wave& w, WaveSlot& place);
  void prepare(Wave& w) { (this->*prepare_)(w, slot(w)); }
  /// With what no instruction tells.
  [[nodiscard]] UnitProfile finished(UnitProfile so_far) const;
  [[nodiscard]] uint64_t taken(const UnitOp& op) const;
  [[nodiscard]] WaveSlot& slot(const Wave& w) { return simds[w.simd].waves[w.place]; }
  void place(const Wave& w);
  static Hold delay(Wave& w, Hold held);
  static Hold wait(Wave& w, const UnitOp& op, Hold held);
  template <UnitKind kKind, bool kMatrix>
  Hold hold_vector(Wave& w, const UnitOp& op, Hold held) const;
  uint64_t fetched(const Wave& w);
  [[nodiscard]] static uint64_t accumulator_ready(const Wave& w, const UnitOp& op);
  template <bool kMatrix>
  [[nodiscard]] uint64_t operands_ready(const Wave& w, const UnitOp& op) const;
  bool turn(Simd& simd, Wave& w, const UnitOp& op, uint64_t t);
  template <UnitKind kKind>
  void issue(Simd& simd, WaveSlot& place, uint64_t t);
  [[nodiscard]] bool beyond_window(const Wave& w) const;
  template <UnitKind kKind>
  void issue_scalar(Wave& w, const UnitOp& op, uint64_t t) const;
  template <UnitKind kKind, bool kMatrix>
  void issue_vector(Simd& simd, Wave& w, const UnitOp& op, uint64_t t);
  template <UnitKind kKind>
  void issue_memory(Simd& simd, Wave& w, const UnitOp& op, uint64_t t);
  uint64_t issue_lds(const Wave& w, const UnitOp& op, uint64_t t);
  uint64_t lds_cycles(const WaveRecord& record, const AccessRecord& access, gpus::LdsAccess kind);
  gpus::LdsCycles lds_cost(const WaveRecord& record, const AccessRecord& access, gpus::LdsAccess kind);
  uint64_t take_lds(const Wave& w, uint64_t cycles, uint64_t t);
  void arrive(const Wave& w, uint64_t t);
  void release(uint32_t group, uint64_t t);
  void drain(Simd& simd, Wave& w, uint64_t t);
  void end(Simd& simd, Wave& w, uint64_t t);
  template <UnitKind kKind>
  void account(Simd& simd, Wave& w, const UnitOp& op, Tally& tally, uint64_t t);
  const gpus::LdsPhases& phases_of(gpus::LdsAccess kind, uint32_t bytes, uint32_t lanes) {
    const gpus::LdsPhases*& known = phases[static_cast<size_t>(kind)][std::min(bytes, 16u)];
    if (!known) known = &gpus::lds_phases(gpu, kind, bytes, lanes);
    return *known;
  }
  static uint64_t behind(uint64_t busy_until, uint64_t may_wait) {
    return busy_until > may_wait ? busy_until - may_wait : 0;
  }

  bool (State::*run_)() = nullptr;
  void (State::*prepare_)(Wave& w, WaveSlot& place) = nullptr;
  const gpus::Gpu& gpu;
  MemoryPort& memory;
  Options options;
  const isa::IssueRules& rules;
  const UnitOps ops;
  const isa::Target& target;
  const uint32_t lanes;
  const uint64_t quantum;  ///< rules.quantum, a power of two
  const uint64_t part;     ///< what cycles may be beyond a whole number of these
  /// For so long an instruction of the VALU at most holds up others that use the same scalar registers.
  const uint64_t scalar_hold;
  /// A load waits for VALU instructions that read what it overwrites; otherwise it waits for all of them.
  const bool reads_hold;
  /// More until a matrix instruction executes where another kind went before.
  const uint64_t matrix_start;
  const bool lds_pairs;  ///< each pair of SIMDs gets half of what LDS gives, and no more (CDNA)
  std::vector<Simd> simds;
  static constexpr uint32_t kSimdBits = 6;
  static constexpr uint64_t kNothing = ~uint64_t{0};
  /// Of each SIMD, when its choice issues and, below that, its number.
  std::array<uint64_t, size_t{1} << kSimdBits> when;
  uint64_t stale = 0;  ///< SIMDs whose choice has to be made again, a bit each
  std::deque<Group> groups;
  std::vector<std::unique_ptr<Wave>> spare;
  uint64_t clock = 0, begun = ~uint64_t{0};
  uint64_t vector_memory = 0;        ///< busy until
  std::array<uint64_t, 2> lds = {};  ///< the same of each lds_part
  static constexpr uint64_t kNotFetched = ~uint64_t{0};
  std::vector<uint64_t> lines;  ///< of the instruction cache: when they arrive
  std::array<std::array<const gpus::LdsPhases*, 17>, gpus::kLdsAccesses> phases = {};
  std::vector<gpus::LdsCycles> lds_costs;  ///< by the number of a shape, and kind; no cycles: not worked out
  uint32_t ended = 0;
  size_t events_left = 0;
  /// Cycles for which two instructions of the VALU were taken at once: by the later one's pipe.
  std::array<uint64_t, isa::kPipes> side_by_side = {};
  std::vector<Tally> tallies;  ///< by the numbers of the OpTable
  UnitProfile time;            ///< but for `ops` and what follows from them
};

/// When C is, of whatever has written it.
[[gnu::noinline]] inline uint64_t ComputeUnit::State::accumulator_ready(const Wave& w, const UnitOp& op) {
  uint64_t ready = 0;
  w.vector.each(op.c, [&](const VectorWrite& write) {
    const bool next = write.writer == op.c.first && write.written == op.c.count;
    ready = std::max({ready, write.result, next ? write.accumulate : write.matrix});
  });
  return ready;
}

/// When the registers of a VALU or matrix instruction are ready.
template <bool kMatrix>
[[gnu::always_inline]] inline uint64_t ComputeUnit::State::operands_ready(const Wave& w,
                                                                          const UnitOp& op) const {
  uint64_t ready = 0;
  if constexpr (kMatrix) {
    if (op.accumulates) {
      // Mostly one instruction wrote just these registers: for the next C, if a matrix instruction did.
      if (const VectorWrite* const write = w.vector.written(op.c.first, op.written_set, op.written))
        ready = std::max(write->result, write->accumulate);
      else
        ready = accumulator_ready(w, op);
    }
    for (const RegisterRange& range : op.vector_reads()) {
      const bool accumulator = op.c.count && range.first == op.c.first && range.count == op.c.count;
      const auto wait = [&](const VectorWrite& write) {
        const bool next = accumulator && write.writer == op.c.first && write.written == op.c.count;
        ready = std::max({ready, write.result, next ? write.accumulate : write.matrix});
      };
      w.vector.each(range, wait);
    }
  } else {
    for (const RegisterRange& range : op.vector_reads())
      w.vector.each(range,
                    [&](const VectorWrite& write) { ready = std::max({ready, write.result, write.matrix}); });
  }
  for (const RegisterRange& range : op.vector_held())
    w.vector.each(range, [&](const VectorWrite& write) { ready = std::max(ready, write.matrix); });
  return ready;
}

}  // namespace wavesmith::timing
