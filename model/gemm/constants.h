// The fitted constants of matrix multiplications: a set of smooth constants per architecture, type of
// arithmetic and origin of kernels, and factors for single schedules and chips. No measured row is in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpus/gpu.h"
#include "model/number_type.h"

namespace wavesmith::model {

/// Shares are of the data sheet's rates; cycles are of the engine clock.
struct GemmConstants {
  double matrix_share = 0.9;    ///< of the matrix (or vector) rate inside a K step
  double step_cycles = 60;      ///< of a K step that nothing hides: barrier, waits, address arithmetic
  double lds_cost = 1;          ///< LDS cycles over those of its peak rate, operands contiguous along K
  double lds_transposed = 1.2;  ///< the same, operands contiguous along M or N
  double l1_cost = 1;           ///< global load cycles over those of 64 bytes per clock
  double load_cycles = 4;       ///< least cycles of one load instruction of a wave
  double prologue_cycles = 1500;
  double store_cost = 3;  ///< store cycles over those of 64 bytes per clock
  double memory_share = 0.8;
  double cache_ratio = 2;  ///< bandwidth of the Infinity Cache over the memory's peak
  double l2_share = 0.5;
  double fixed_us = 4;        ///< launch, first instruction, last store; of the way in which it was measured
  double load_latency = 800;  ///< cycles that the prefetched loads of a step take
  double split_writes = 1;    ///< writes of the result for each part of K, over one
  double overlap = 3;  ///< exponent of the sum of what overlaps, less 1: 0 adds, infinite takes the longest
  double resident = 0.5;       ///< share of twice the L2 that stays filled between launches
  double tail_cycles = 150;    ///< of a last step that K does not fill
  double split_us = 2;         ///< a second kernel, or atomics, for a split K
  double reduce_cycles = 600;  ///< of adding the waves' parts of K
  double stride_cost = 1.1;  ///< L2 and cache time over that of other strides when rows are a multiple of 512
                             ///< bytes apart: they meet in half of the channels or fewer
  double hiding = 6;         ///< exponent of the sum of a unit's throughput and one workgroup's latency
  double number_cycles =
      6;  ///< of a lone workgroup's step for each number along K: LDS to registers to arithmetic
  double clock_ratio = 1;  ///< clock of the tuning run over the data sheet's
  double loaded_mhz = 0;   ///< the clock with all matrix pipes busy, where no fit holds it; 0: as power says
};

/// Seconds that each compute unit with work adds under Conditions::slow_start: fitted on half A of
/// tensile_gemm, 23 rows in three files of an MI300X.
constexpr double kSlowStartSeconds = 65e-9;

/// How well the constants fit the GPU in question.
enum class GemmFit : uint8_t {
  Fitted,     ///< on this chip or one of its generation
  Neighbour,  ///< another type or origin of the same generation
  Borrowed,   ///< another generation's
};

struct GemmSet;

struct GemmConstantsFor {
  GemmConstants constants;
  GemmFit fit = GemmFit::Borrowed;
  bool tuning_run = false;       ///< fixed_us is of a BLAS library's tuning run, launch behind launch
  std::string_view source;       ///< "fitted on half A of tensile_gemm, MI250X and MI210, 10,183 rows"
  const GemmSet* set = nullptr;  ///< nullptr: nothing was fitted

  /// Why the set is of low confidence; empty: it is not. Searches all factors, so do not call it for each
  /// candidate.
  [[nodiscard]] std::string doubt() const;
};

/// `schedule` as GemmKernel has it; empty: the origin that knows this GPU and type best.
GemmConstantsFor gemm_constants(const gpus::Gpu& gpu, NumberType type, bool vector,
                                std::string_view schedule);

/// The schedules that were told apart for this GPU's generation and the type: those of AITER's kernels.
std::vector<std::string_view> gemm_schedules(const gpus::Gpu& gpu, NumberType type);

/// One line per set, for reports: names and values.
std::vector<std::string> describe_gemm_constants();

}  // namespace wavesmith::model
