// What `wavesmith profile` says of the kernels of a program, as plain data. The runtime fills it, the command
// and whoever else reads it; timing/profile_json.h writes and reads it as JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/extent3.h"
#include "gpus/gpu.h"
#include "isa/cost/cost.h"
#include "timing/profile.h"

namespace wavesmith::timing {

/// One kernel, launched with one geometry. All of it is modelled.
struct KernelProfile {
  std::string name;
  Extent3 grid{0, 0, 0}, block{0, 0, 0};                      ///< workgroups; work-items of a workgroup
  uint32_t waves_per_workgroup = 0, workgroups_per_unit = 0;  ///< of a compute unit: at once
  std::string sample;                                         ///< which workgroups were replayed
  std::string refused;             ///< why there is no time; then nothing below `notes` is known
  bool want_whole = false;         ///< of what is refused: with all of the grid run there would be a time
  std::vector<std::string> notes;  ///< for people

  double cycles = 0;  ///< from the grid's first wave to its last
  double clock_mhz = 0;
  bool clock_limited_by_power = false;
  std::string clock_why, clock_tag;  ///< the tag is the name of a gpus::Kind
  double seconds = 0;
  uint64_t units = 0;  ///< compute units at work
  double cycles_per_workgroup = 0;
  double wave_instructions = 0, matrix_flops = 0;  ///< of the whole grid
  double matrix_tflops = 0;                        ///< a second

  /// The workgroups that were replayed on one compute unit.
  struct Replay {
    uint64_t cycles = 0, waves = 0, workgroups = 0, instructions = 0;
    double host_seconds = 0;
  } replay;
  double instructions_per_cycle = 0;  ///< of the compute unit

  struct PipeUse {
    isa::Pipe pipe = isa::Pipe::Internal;
    uint64_t issued = 0;
    double utilisation = 0;  ///< share of the cycles in which it was busy
  };
  std::vector<PipeUse> pipes;

  /// Cycles that waves waited for one cause.
  struct Stall {
    std::string cause;
    double wave_cycles = 0;
    double exposed = 0, hidden = 0;  ///< no other wave of the SIMD issued; one did
    double exposed_share = 0;        ///< of the SIMDs' cycles
  };
  std::vector<Stall> stalls;  ///< the most exposed first
  double exposed_share = 0;   ///< of the SIMDs' cycles, in which nothing issued
  std::string bound, bound_why;

  struct LdsUse {
    uint64_t cycles = 0, conflict_cycles = 0;
    double conflict_share = 0;
  } lds;
  /// Lines and requests of the replay; bytes of the grid, each counted once.
  struct MemoryUse {
    double l1_hit_rate = 0, l2_hit_rate = 0;
    double infinity_cache_lines = 0, memory_lines = 0;
    double l1_requests = 0, l2_requests = 0;
    uint64_t line_bytes = 0;
    double grid_bytes = 0, grid_bytes_per_second = 0, peak_bytes_per_second = 0;
  } memory;

  /// One instruction, in wave-cycles of the replay, as a thread trace counts them.
  struct Instruction {
    uint64_t offset = 0;  ///< bytes from the first one
    std::string text;
    isa::Pipe pipe = isa::Pipe::Internal;
    uint64_t hits = 0, latency = 0, stall = 0, idle = 0;
    std::vector<std::pair<std::string, uint64_t>> causes;  ///< of its stalls
    std::string source;  ///< "function 'f' + 0x0, /src/kernel.hip:12"; empty: not known
    /// The cause that cost most; empty: it did not stall.
    [[nodiscard]] std::string main_cause() const;
  };
  std::vector<Instruction> instructions;  ///< those that were executed, by offset

  /// What the waves of the replay issued, in the order of issue.
  struct Timeline {
    std::vector<std::string> causes;  ///< the first one, "", means none
    struct Event {
      uint32_t wave = 0, simd = 0;
      uint64_t reached = 0, issued = 0;     ///< cycles
      uint32_t instruction = 0, cause = 0;  ///< by number
    };
    std::vector<Event> events;
    /// What the wave waited for before it; "wait" where that is not known.
    [[nodiscard]] std::string wait(const Event& event) const;
  };
  std::optional<Timeline> timeline;

  uint64_t launches = 0;

  [[nodiscard]] bool has_time() const { return refused.empty(); }
  [[nodiscard]] double total_seconds() const { return seconds * static_cast<double>(launches); }
  /// Share of the cycles in which a pipe was busy; 0: it took nothing.
  [[nodiscard]] double utilisation(isa::Pipe pipe) const;
};

/// All that ran in one process.
struct ProgramProfile {
  std::string gpu;        ///< its id
  bool sampled = false;   ///< only the replayed workgroups were run
  uint64_t replaced = 0;  ///< code objects of the program that others took the place of
  std::vector<KernelProfile> kernels;
  /// The kernels by the time of all their launches, the costliest first.
  [[nodiscard]] std::vector<const KernelProfile*> costliest_first() const;
};

/// What the replay of a launch says of its kernel; who calls adds the kernel's name, its workgroups' size and
/// the number of launches. `locate`: the source of a pc, as text. `timeline`: keep it, which is long.
KernelProfile kernel_profile(const gpus::Gpu& gpu, const LaunchProfile& launch,
                             const std::function<std::string(uint64_t)>& locate, bool timeline);

}  // namespace wavesmith::timing
