// The kernels of a file, opened and analysed: what explain, compare and sweep begin with.
#pragma once

#include <string>
#include <vector>

#include "analysis/analyse.h"
#include "analysis/estimate/cycles.h"
#include "analysis/report.h"
#include "base/result.h"
#include "study/code_input.h"

namespace wavesmith::study {

struct Analysed {
  Code code;
  std::vector<analysis::KernelAnalysis> kernels;
  std::vector<Error> refused;  ///< kernels that could not be analysed, where others could
};

/// Opens the file and analyses every kernel that `kernel` means (all when it is empty). Errors: those of
/// open_code and find_kernels; of the analysis when no kernel could be analysed.
Result<Analysed> analyse_file(const CodeRequest& request, const std::string& kernel,
                              const analysis::Options& options = {});

/// How often a loop whose trips are not known is taken to run, and one inside of another loop.
inline constexpr double kAssumedTrips = 16, kAssumedInnerTrips = 4;
inline constexpr const char* kAssumedText =
    "loops of unknown length counted as 16 passes, inside of other loops as 4";

/// How often each instruction of the kernel is taken to be executed for one wave: the product of the trips of
/// the loops that it is in.
std::vector<double> executions(const analysis::KernelAnalysis& kernel);

/// What an instruction takes of its pipe, at least a cycle; 0 for what nothing is known of.
double cost_of(const analysis::Instruction& instruction);

/// The loop where most of the cycles are, by executions() and cost_of(); analysis::kNone: there is no loop.
uint32_t hot_loop(const analysis::KernelAnalysis& kernel);

/// A pass of a loop, inner loops as often as they run; once, where that is not known.
struct Pass {
  double throughput = 0, one_wave = 0;  ///< cycles: of the busiest pipe; of one wave alone, its waits for
                                        ///< memory included
  double l2 = 0;  ///< cycles of the bytes that L2, or the memory behind all caches, has to give
  double matrix_operations = 0, load_bytes = 0, store_bytes = 0;
  double vector_operations = 0;     ///< of floats
  uint32_t inner = 0, unknown = 0;  ///< loops inside; those whose trips are not known
};
Pass pass_of(const analysis::KernelAnalysis& kernel, const analysis::Loop& loop,
             analysis::ServedBy by = analysis::ServedBy::L2);

/// Cycles of a pass on a SIMD that `waves` waves share.
double cycles_with(const Pass& pass, double waves);

/// A loop on one SIMD, with as many waves as the kernel's occupancy allows: cycles in which one of the waves
/// gets through one pass.
struct LoopTime {
  double cycles = 0;
  bool latency_bound = false;  ///< the waves together cannot fill the busiest pipe
  bool memory_bound = false;   ///< what comes from behind L1 takes longer than all else
};
/// nullopt when the analysis could not say.
std::optional<LoopTime> loop_time(const analysis::KernelAnalysis& kernel, const analysis::Loop& loop);

/// Cycles of a SIMD that a wave takes from its beginning to its end, with every block outside of loops once
/// and loops as often as they run.
struct Total {
  std::optional<double> cycles;
  std::string formula;          ///< "312 + 1024 * (k / 64)", where trips depend on arguments
  std::string unknown_because;  ///< where neither is known
};
Total total_of(const analysis::KernelAnalysis& kernel);

/// "attention.hip:64", or "0x1c40" without line tables; "" for kNone.
std::string place_of(const analysis::KernelAnalysis& kernel, uint32_t instruction);
/// "attention.hip:56-109" or "0x1c40-0x2210".
std::string place_of(const analysis::KernelAnalysis& kernel, const analysis::Loop& loop);
/// "16", "12.5", or "unknown".
std::string figure_text(const analysis::Figure& figure);
/// "16", "k / 64 (k: argument 5)" or "unknown".
std::string trips_text(const analysis::Loop& loop);
/// A number as people read it: whole from 100 on, three digits below.
std::string number_text(double value);

/// What bounds a pass of a loop: "matrix", "LDS, which 4 SIMDs share", "latency: 3 waves cannot hide it"; ""
/// when it is not known.
std::string bound_text(const analysis::KernelAnalysis& kernel, const analysis::Loop& loop);

/// The pipes that code keeps busy, the busiest first.
std::vector<std::pair<isa::Pipe, double>> busiest(const analysis::Cycles& cycles);

}  // namespace wavesmith::study
