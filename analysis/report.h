// What static analysis finds out about a kernel, as plain structures to print or compare.
//
// Instructions, blocks and loops are indices into the vectors of KernelAnalysis; kNone means none. Cycles are
// clocks of the shader engine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpus/gpu.h"
#include "gpus/occupancy.h"
#include "isa/cost/cost.h"
#include "isa/row.h"

namespace wavesmith::analysis {

inline constexpr uint32_t kNone = UINT32_MAX;

/// How a figure is known: read (in the file), derived (follows from what is read), modelled, measured.
using Tag = gpus::Kind;

/// A figure, or the reason why it cannot be known.
struct Figure {
  std::optional<double> value;
  Tag tag = Tag::Derived;
  std::string unknown_because = {};  ///< when there is no value
};

/// Something that the code alone does not determine: the target of an indirect branch.
struct Unknown {
  uint32_t instruction = kNone;
  std::string what;     ///< "indirect branch"
  std::string because;  ///< "s[4:5] is loaded from memory"
};

/// A line of the source; `file` is an index into KernelAnalysis::files.
struct SourceLine {
  uint32_t file = kNone, line = 0, column = 0;
  [[nodiscard]] bool known() const { return file != kNone; }
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

/// Registers by kind.
struct Registers {
  uint32_t vgprs = 0, agprs = 0, sgprs = 0;
  friend bool operator==(const Registers&, const Registers&) = default;
};

struct Instruction {
  uint64_t pc = 0;  ///< virtual address in the object
  uint32_t size = 0;
  std::string text;      ///< as the disassembler prints it
  std::string mnemonic;  ///< without the encoding's suffix
  SourceLine source;
  uint32_t block = kNone;
  uint32_t loop = kNone;  ///< the innermost one
  isa::Pipe pipe = isa::Pipe::Internal;
  Registers live;                       ///< registers that are occupied while it executes
  float issue_cycles = 0, latency = 0;  ///< modelled: of the issue slot or pipe; until the result may be used
  bool clobbers_unknown = false;        ///< a call: what the callee reads and writes is not followed
};

/// A basic block: instructions [begin, end).
struct Block {
  uint32_t begin = 0, end = 0;
  std::vector<uint32_t> successors, predecessors;
  uint32_t dominator = kNone;  ///< the immediate one
  uint32_t loop = kNone;       ///< the innermost one
  uint32_t function = 0;       ///< of KernelAnalysis::functions
};

/// The kernel's own code, or that of a function that it calls.
struct Function {
  std::string name;
  uint64_t pc = 0;
  uint32_t entry = kNone;  ///< block
};

/// Counts instructions by pipe, and the work that they do.
struct Mix {
  std::array<uint32_t, isa::kPipes> count{};  ///< by isa::Pipe
  uint32_t total = 0;
  uint32_t scratch = 0;  ///< loads and stores of private memory
  uint32_t barriers = 0;
  uint32_t doubles = 0;          ///< VALU instructions of 64-bit floats
  double matrix_operations = 0;  ///< multiplications and additions of matrix instructions, of one wave
  double vector_operations = 0;  ///< floating-point operations of VALU instructions, of one full wave
  double load_bytes = 0, store_bytes = 0;          ///< vector memory but LDS and scratch, of one full wave
  double lds_load_bytes = 0, lds_store_bytes = 0;  ///< of one full wave
  [[nodiscard]] uint32_t of(isa::Pipe pipe) const { return count[static_cast<size_t>(pipe)]; }
};

/// Cycles of each resource that one pass of a wave through some code takes, modelled from the costs in
/// isa/cost.
/// The level of memory that serves vector loads and stores: L2, or the memory behind all caches.
enum class ServedBy : uint8_t { L2, Memory };

struct Cycles {
  std::array<double, isa::kPipes> pipe{};  ///< each pipe's busy cycles, by isa::Pipe
  double issue = 0;                        ///< one wave alone: cycles of its issue slot
  double latency = 0;   ///< one wave alone: the longest chain of results that is carried from pass to pass
  double one_wave = 0;  ///< one wave alone on its SIMD, memory answering at once: in order, with dependencies
  double exposed = 0;   ///< one wave alone: cycles of waits for memory that nothing hides, LDS without
                        ///< conflicts and loads served by KernelAnalysis::served_by
  std::optional<double> exposed_memory;  ///< the same, loads served by the memory behind all caches; nullopt:
                                         ///< nobody has published its latency
  double load_bytes = 0, store_bytes = 0;  ///< of vector loads and stores, as far as lanes do not share them
  double l2 = 0;                           ///< the same bytes from L2, every SIMD of the GPU doing the same
  double served = 0;  ///< what KernelAnalysis::served_by needs for what it certainly serves: L2 for the
                      ///< accesses whose addresses are known, the memory behind all caches for all of them
  double memory = 0;  ///< the same bytes from the memory behind all caches
  uint32_t accesses = 0,
           unknown_accesses = 0;  ///< vector loads and stores; those whose addresses are not known
  double throughput = 0;          ///< a SIMD full of waves: the busiest of its pipes, a pass of one wave
  isa::Pipe bound = isa::Pipe::Internal;  ///< the busiest pipe
  double next_busiest = 0;                ///< what the busiest of the others takes
  std::string unknown_because;            ///< when nothing could be said
};

struct Loop {
  uint32_t header = kNone;       ///< block
  std::vector<uint32_t> blocks;  ///< with those of inner loops, ascending
  std::vector<uint32_t>
      usual_blocks;                   ///< of those the ones that more than its last passes come to, ascending
  std::vector<uint32_t> sure_blocks;  ///< of the usual ones those that every pass comes to, ascending
  std::vector<uint32_t> latches;      ///< blocks that go back to the header
  std::vector<uint32_t> exits;        ///< blocks of the loop with a successor outside
  uint32_t parent = kNone;            ///< the loop around it
  uint32_t depth = 1;                 ///< 1: outermost
  bool innermost = true;
  bool natural = true;                ///< false: it has several entries, and `header` is one of them
  uint64_t begin_pc = 0, end_pc = 0;  ///< of its blocks, from the lowest to the end of the highest
  uint32_t bytes = 0;                 ///< of its instructions
  SourceLine first_line, last_line;   ///< of the file of its header: lowest and highest line
  std::string trips_formula;          ///< of the arguments, where it is no number: "k / 64 (k: argument 5)"
  Figure trips;                       ///< how often its body runs each time that it is entered
  Mix mix;                            ///< a pass through its usual blocks, each once
  Cycles cycles;                      ///< the same
  Cycles sure_cycles;                 ///< a pass through its sure blocks alone: none takes less
  Registers live_peak;                ///< the most that is live in it
  uint32_t live_peak_at = kNone;      ///< instruction: where the most VGPRs and AGPRs are live
};

/// A reduction of one resource that makes room for another wave: "12 VGPRs fewer: one more wave".
struct OccupancyStep {
  gpus::Limiter limiter = gpus::Limiter::WaveSlots;
  uint32_t from = 0,
           to = 0;     ///< VGPRs, SGPRs, bytes of LDS, or work-items: what it takes and what it may take
  uint32_t waves = 0;  ///< waves per SIMD then
  std::string text;    ///< in words
};

/// Describes steps that have an effect together: "12 VGPRs and 64 bytes of LDS fewer: one more wave".
std::string text_of(const std::vector<OccupancyStep>& steps);

struct Occupancy {
  gpus::KernelResources resources;  ///< what was counted with
  gpus::Occupancy now;              ///< on the hardware, which allocates in blocks
  uint32_t compiler_waves =
      0;  ///< as the compiler counts: without the blocks in which LDS and SGPRs are given
  std::vector<OccupancyStep> next;  ///< all of these together give one wave more; one, usually
  std::string note;                 ///< what was assumed
};

/// Resources as the kernel descriptor and the metadata state them.
struct Resources {
  Registers allocated;         ///< VGPRs without AGPRs; each rounded as the descriptor has it
  Registers used;              ///< as the metadata counts them; VGPRs without AGPRs
  uint32_t vgprs_total = 0;    ///< of the register file: with AGPRs where that is one
  uint32_t vgprs_counted = 0;  ///< the same as the metadata counts them; 0: not said. The compiler allocates
                               ///< more where another limit leaves room.
  uint32_t vgpr_spills = 0, sgpr_spills = 0;
  uint32_t scratch_bytes = 0;  ///< a lane
  bool dynamic_stack = false;
  uint32_t lds_bytes = 0;           ///< static, of a workgroup
  bool dynamic_lds = false;         ///< more is asked for when it is launched
  uint32_t workgroup = 0;           ///< work-items that were assumed
  bool workgroup_required = false;  ///< the kernel allows no other
  uint32_t max_workgroup = 0;
  uint32_t wave_size = 64;
  uint32_t kernarg_bytes = 0;
  uint32_t code_bytes = 0;  ///< of all code that it reaches
};

/// A wait instruction's part for one counter.
struct Wait {
  uint32_t instruction = kNone;
  isa::Counter counter = isa::Counter::None;
  uint32_t value = 0;            ///< how many may be outstanding when it goes on
  std::vector<uint32_t> for_;    ///< what it waits for: memory instructions, the youngest first
  uint32_t outstanding = kNone;  ///< most that can be outstanding when it is reached; kNone: not known
  Figure slack;                  ///< cycles between the issue of the youngest one and the wait, a wave alone
  uint32_t between = 0;          ///< instructions between them
  uint32_t needed = kNone;  ///< the first instruction behind it that uses what arrived; kNone: not in sight
  uint32_t could_be =
      kNone;  ///< the highest value that the code behind it would be right with; kNone: not known
  bool redundant = false;  ///< nothing can be outstanding that it waits for
  std::string unknown_because;
};

/// A memory instruction's addresses across the lanes of a wave, as far as they are known.
struct AccessPattern {
  uint32_t instruction = kNone;
  isa::Space space = isa::Space::Global;
  isa::Direction direction = isa::Direction::None;
  uint32_t bytes = 0;              ///< a lane
  uint32_t lanes = 0;              ///< of the wave
  bool affine = false;             ///< the distance from each lane to the next is `stride`
  bool masked = false;             ///< a branch may have left some lanes only; figures are of all
  int64_t stride = 0;              ///< bytes from lane 0 to lane 1
  std::vector<int64_t> offsets{};  ///< of each lane, beside what is the same for all; empty: not known
  Figure cycles;                   ///< LDS: cycles of the access, conflicts included
  Figure ideal_cycles;             ///< LDS: without conflicts
  Figure lines;                    ///< global: cache lines that a wave touches
  Figure ideal_lines;              ///< were its bytes side by side
  uint32_t rows =
      0;  ///< global, not known: the lanes lie in so many rows whose distance is known at run time
  std::optional<double> distinct_bytes;  ///< that the wave names, what lanes share counted once; nullopt:
                                         ///< not known, of LDS not asked
  std::string unknown_because;           ///< why the addresses are not known
};

/// Note: a matter of taste. Hint: a change may gain. Warning: the code costs time.
enum class Severity : uint8_t { Note, Hint, Warning };

/// The instructions, `first` to `last`, and the loop that a finding is about.
struct Location {
  uint32_t first = kNone, last = kNone;
  uint32_t loop = kNone;
};

/// What a rule found.
struct Finding {
  std::string rule;   ///< the rule's name: "full-drain-in-loop"
  std::string title;  ///< one line
  Severity severity = Severity::Hint;
  std::vector<Location> where;
  std::vector<std::string> evidence;  ///< what was seen
  Figure gain_cycles;                 ///< of a pass of the loop, one wave
  Figure gain_percent;                ///< of the time of the loop, or of the kernel where there is none
  std::string experiment;             ///< what would confirm it
  std::string unknown_because;        ///< what keeps it from being certain
  double rank = 0;                    ///< findings are sorted by it, the greatest first
};

/// Everything that is known about a kernel from its code.
struct KernelAnalysis {
  std::string name;                   ///< as the object has it
  std::string target;                 ///< what was decoded for
  std::string gpu;                    ///< id of the GPU description
  ServedBy served_by = ServedBy::L2;  ///< what passes and gains take to serve loads and stores
  Resources resources;
  std::vector<std::string> files;         ///< of the source
  std::vector<Instruction> instructions;  ///< by pc
  std::vector<Block> blocks;              ///< by pc
  std::vector<Loop> loops;                ///< outer ones before inner ones
  std::vector<Function> functions;        ///< the kernel first
  Occupancy occupancy;
  Registers live_peak;
  uint32_t live_peak_at = kNone;  ///< instruction: the most VGPRs and AGPRs
  Mix mix;
  Cycles outside;  ///< of the code in no loop, each of its blocks once
  std::vector<Wait> waits;
  std::vector<AccessPattern> accesses;
  std::vector<Finding> findings;
  std::vector<Unknown> unknown;
};

/// "vmcnt", "lgkmcnt", ... as the counter is printed.
std::string_view name_of(isa::Counter counter);
std::string_view name_of(Severity severity);

}  // namespace wavesmith::analysis
