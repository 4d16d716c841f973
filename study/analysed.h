// Opens a file and analyses its kernels, as the first step of explain, compare and sweep.
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

/// Assumed trips of a loop whose trip count is not known: of one that arguments set, which grows with the
/// problem, of any other, and of one inside another loop.
inline constexpr double kAssumedArgumentTrips = 64, kAssumedTrips = 16, kAssumedInnerTrips = 4;
inline constexpr const char* kAssumedText =
    "loops whose length arguments set counted as 64 passes, others of unknown length as 16, inside of other "
    "loops as 4";

/// Expected executions of each instruction per wave: the product of the trips of the loops around it.
std::vector<double> executions(const analysis::KernelAnalysis& kernel);

/// Cycles of an instruction on its pipe, at least 1; 0: unknown.
double cost_of(const analysis::Instruction& instruction);

/// The loop with most cycles by executions() and cost_of(), of those with matrix instructions if there are
/// such; analysis::kNone: there is no loop.
uint32_t hot_loop(const analysis::KernelAnalysis& kernel);

/// One pass of a loop with its inner loops, each as often as it runs, or once if that is not known.
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

/// "L2", or "the memory behind all caches": what the analysis took to serve loads and stores.
std::string server_of(const analysis::KernelAnalysis& kernel);

/// Cycles of a pass on a SIMD that `waves` waves share.
double cycles_with(const Pass& pass, double waves);

/// A loop on one SIMD at the kernel's occupancy: cycles per pass of one wave.
struct LoopTime {
  double cycles = 0;
  bool latency_bound = false;  ///< the waves together cannot fill the busiest pipe
  bool memory_bound = false;   ///< what comes from behind L1 takes longer than all else
};
/// The time of a loop; nullopt: unknown.
std::optional<LoopTime> loop_time(const analysis::KernelAnalysis& kernel, const analysis::Loop& loop);

/// Cycles of a pass that comes to nothing which stands behind a condition, as far as that takes less;
/// nullopt: as long as any.
std::optional<double> shortest_pass(const analysis::KernelAnalysis& kernel, const analysis::Loop& loop);

/// Cycles of a SIMD that a wave takes in all, with every block outside loops once and loops as often as they
/// run.
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
/// Formats a number: whole from 100 on, three digits below.
std::string number_text(double value);

/// What decides the time of some code.
struct Bound {
  std::string by;     ///< "latency", "memory" or a pipe: "matrix", "LDS"; empty: unknown
  std::string text;   ///< "LDS, which 4 SIMDs share", "latency: 3 waves cannot hide it"
  double cycles = 0;  ///< of a SIMD that the kernel's waves share, for one wave
  [[nodiscard]] bool known() const { return !by.empty(); }
};
/// Of a loop's pass.
Bound bound_of(const analysis::KernelAnalysis& kernel, const analysis::Loop& loop);
/// Of the whole wave, for code without a loop.
Bound bound_of_straight(const analysis::KernelAnalysis& kernel);
/// Of a pass of the hot loop; of the whole wave where there is none.
Bound bound_of(const analysis::KernelAnalysis& kernel);

/// The busy cycles of each pipe, the busiest first.
std::vector<std::pair<isa::Pipe, double>> busiest(const analysis::Cycles& cycles);

}  // namespace wavesmith::study
