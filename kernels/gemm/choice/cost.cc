#include "kernels/gemm/choice/cost.h"

#include <algorithm>
#include <cstdint>

#include "kernels/gemm/choice/block_scales.h"
#include "kernels/gemm/choice/group_scales.h"
#include "kernels/gemm/choice/groups.h"
#include "kernels/gemm/choice/rates.h"
#include "kernels/gemm/choice/stream.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_gemm_description;

constexpr int64_t kPieceBytes = 16;

// Beginning and ending the kernel that adds up parts (modelled: of two parts of 64 by 4,096 an MI300X's takes
// 3,800).
constexpr double kSecondKernel = 3500;

/// How often slim tiles read a group's weights from memory: dies share no L2, and what the last cache does
/// not hold is gone when the next of a group's rows of tiles wants it (modelled, an MI300X: 32 rows in each
/// of 8 groups by 14,336 by 4,096 take 449 us in two tiles of 16 rows, 232 us in one of 64). Tiles of more
/// rows wait for more than memory (an MI355X: 128 rows in each by 4,096 by 14,336 take 198 us in two tiles of
/// 64).
double readings(const GemmConfiguration& tile, const Description& gemm, double bytes_of_b) {
  constexpr int kSlimRows = 16;  // of one matrix instruction
  const GemmRates& rates = gemm_rates(tile.target);
  const bool from_memory = rates.dies > 1 && bytes_of_b > rates.cache;
  if (!has_row_groups(gemm) || !from_memory || tile.rows > kSlimRows) return 1;
  const int64_t tiles = (gemm.m + tile.rows - 1) / tile.rows;
  return static_cast<double>(tiles);
}

/// Bytes that A, B and D have at the least, each moved once but a group's weights; B `bytes_b`, if they are
/// not 0.
double bytes_moved(const GemmConfiguration& tile, const Description& gemm, int64_t bytes_b) {
  const auto times = [](int64_t a, int64_t b, wavesmith_kernels_type type) {
    return static_cast<double>(a) * static_cast<double>(b * size_of(type));
  };
  const int64_t depth_b = has_packed_weights(gemm) ? elements_of(gemm.b.type, gemm.k) : gemm.k;
  const auto batches = static_cast<double>(gemm.batches);
  const double of_b =
      bytes_b > 0 ? static_cast<double>(bytes_b) : batches * times(depth_b, columns_of_b(gemm), gemm.b.type);
  return of_b * readings(tile, gemm, of_b) +
         batches * (times(gemm.m, gemm.k, gemm.a.type) + times(gemm.m, gemm.n, gemm.d.type));
}

/// What a product takes that computes for so long, while its matrices move through memory.
double beside_memory(const GemmConfiguration& tile, const Description& gemm, double computed,
                     int64_t bytes_b = 0) {
  // What fits into the Infinity Cache may be there. If it is not, memory bounds all tiles alike, and the one
  // that would be fastest loses little.
  const double bytes = bytes_moved(tile, gemm, bytes_b);
  // Of two that memory bounds alike, the one that computes less.
  constexpr double kHidden = 0.05;
  const auto [less, more] = std::minmax({computed, bytes / gemm_rates(tile.target).warm(bytes)});
  return more + kHidden * less;
}

/// Cycles that a step's operands of a workgroup take from the L2 to the compute unit, at the least; 0: not
/// known.
double moved_cycles(const GemmConfiguration& tile, const Description& gemm) {
  const GemmRates& rates = gemm_rates(tile.target);
  // Caches are filled by lines: what a step has of one is read again for the next. Along M and N lines are
  // whole.
  const auto side = [&](int rows, bool along_k) {
    const int64_t bytes = tile.depth * size_of(gemm.a.type);
    const int64_t line = rates.line_bytes / tile.steps_loaded;
    return static_cast<double>(rows * (along_k ? std::max(line, bytes) : bytes));
  };
  return rates.unit_bytes > 0
             ? (side(tile.rows, gemm.a.column_stride == 1) + side(tile.columns, gemm.b.row_stride == 1)) /
                   rates.unit_bytes
             : 0;
}

/// What a product takes with a tile: by the tile's step and fixed cycles and the rounds of its workgroups,
/// and at the least what moving its operands to the compute units, and through memory, takes.
GemmChoice::Candidate candidate(const GemmConfiguration& tile, const Description& gemm, int compute_units,
                                int64_t bytes_b) {
  const auto up = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  const double steps = static_cast<double>(2 * up(gemm.k, 2 * tile.depth));
  const int64_t workgroups = up(gemm.m, tile.rows) * up(columns_of_b(gemm), tile.columns) * gemm.batches;
  const int64_t per_unit = up(workgroups, compute_units), rounds = up(per_unit, tile.at_once);
  const double moved = moved_cycles(tile, gemm);
  // The step's cycles are the matrix pipe's, which workgroups that share a unit share. Fewer than may be
  // there at once wait for loads and for one another: alone, the tiles of two take 1.2 to 1.4 times as long
  // (modelled, an MI210's and an MI300X's). Not so where the way to the L2 bounds them.
  constexpr double kAlone = 1.3;
  const int64_t last = per_unit % tile.at_once;
  const double together = static_cast<double>(per_unit - last) + static_cast<double>(last) * kAlone;
  const double computed =
      steps * std::max(tile.step_cycles * together, moved * static_cast<double>(per_unit)) +
      static_cast<double>(rounds) * tile.fixed_cycles;
  return {&tile, 1, {}, workgroups, rounds, beside_memory(tile, gemm, computed, bytes_b)};
}

/// What a streamed product takes: its rounds of whole tiles, the longest run of steps of others, and the
/// kernel that adds up parts.
GemmChoice::Candidate streamed_candidate(const GemmConfiguration& tile, const Description& gemm,
                                         const GemmShare& share) {
  // Runs that begin at different steps share few lines of A and B with others of their die (modelled: an
  // MI355X's take twice as long, an MI210's, which has one die, no longer).
  const double apart = share.tiles > 1 && gemm_rates(tile.target).dies > 1 ? 2 : 1;
  const int rounds = share.whole / share.workgroups;
  const auto whole = static_cast<double>(rounds);
  const double run = share.run + (share.longer > 0 ? 1 : 0), tiles = share.tiles > 1 ? 2 : 1;
  const double step = std::max<double>(tile.step_cycles, moved_cycles(tile, gemm)) * tile.at_once;
  const double computed =
      2 * (whole * share.steps + run * apart) * step + (whole + tiles) * tile.fixed_cycles;
  // Parts are read at the memory's rate; half of the time that writing them takes other workgroups compute
  // (modelled: MI210, MI300X, MI355X).
  constexpr double kMoved = 1 + 0.5;
  const auto parts = static_cast<double>(bytes_of_parts(tile, share));
  const auto results = static_cast<double>(rows_of_shared(tile, share) * tile.columns * size_of(gemm.d.type));
  // The workgroups of several rounds drift apart, so that the last one costs others less.
  const double drift = whole > 1 ? 1.04 : 1;
  const double cycles = drift * (beside_memory(tile, gemm, computed) + kSecondKernel +
                                 (kMoved * parts + results) / gemm_rates(tile.target).part_bytes());
  return {&tile, kStreamed, share, share.workgroups, rounds + 1, cycles};
}

/// Whether K may be cut into so many parts: they are of one length, and as aligned as the whole; blocks stay
/// whole.
bool divides(const Description& gemm, int64_t parts) {
  if (has_float_scales(gemm) && gemm.k / parts % kGemmBlock != 0) return false;
  if (has_packed_weights(gemm) && gemm.k / parts % group_of(gemm) != 0) return false;
  return gemm.k % parts == 0 && gemm.k / parts * size_of(gemm.a.type) % kPieceBytes == 0;
}

/// The product in so many parts, and the kernel that adds them up.
GemmChoice::Candidate split_candidate(const GemmConfiguration& tile, Description gemm, int compute_units,
                                      int parts, int64_t bytes_b) {
  gemm.k /= parts, gemm.batches = parts;
  const auto d = static_cast<double>(size_of(gemm.d.type));
  GemmChoice::Candidate made = candidate(tile, gemm, compute_units, bytes_b);
  const auto elements = static_cast<double>(gemm.m * columns_of_b(gemm));
  made.splits = parts;
  // Parts are written and read beside all else, and reading them reaches two thirds of the rate (modelled, an
  // MI355X: 84 MB in 20 us).
  constexpr double kMoved = 1 + 1.5;
  const double bytes = elements * (4.0 * kMoved * parts + d);
  made.cycles += kSecondKernel + bytes / gemm_rates(tile.target).warm(bytes);
  return made;
}

}  // namespace

std::string GemmChoice::Candidate::name() const {
  return std::string(configuration->name) + word_of_parts(splits);
}

std::vector<GemmChoice::Candidate> gemm_candidates(const GemmConfiguration& tile, const Description& gemm,
                                                   int compute_units, int wanted, int64_t bytes_b) {
  constexpr int64_t kMostParts = 64;
  std::vector<GemmChoice::Candidate> made{candidate(tile, gemm, compute_units, bytes_b)};
  if (gemm.batches > 1 || gemm.pointer_arrays) return made;
  // A part is at least two steps.
  const int64_t most = std::min(kMostParts, gemm.k / (2 * tile.depth));
  const int64_t held = static_cast<int64_t>(gemm.workspace_bytes / sizeof(float)) /
                       std::max<int64_t>(1, gemm.m * stride_of_parts(gemm));
  GemmChoice::Candidate best = made.front();
  for (int64_t parts = 2; parts <= std::min(most, held); ++parts) {
    if ((wanted > 0 && parts != wanted) || !divides(gemm, parts)) continue;
    const GemmChoice::Candidate one =
        split_candidate(tile, gemm, compute_units, static_cast<int>(parts), bytes_b);
    if (one.cycles < best.cycles || wanted > 0) best = one;
  }
  if (best.splits > 1) made.push_back(best);
  return made;
}

std::vector<GemmChoice::Candidate> streamed_candidates(const GemmConfiguration& tile, const Description& gemm,
                                                       int compute_units, bool wanted) {
  std::vector<GemmChoice::Candidate> made;
  if (gemm.batches > 1 || gemm.pointer_arrays) return made;
  const auto up = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  const int64_t tiles = up(gemm.m, tile.rows) * up(gemm.n, tile.columns);
  const int64_t workgroups = int64_t{compute_units} * tile.at_once;
  const int64_t shared = tiles % workgroups;
  // Among all workgroups, or among as many as give each tile the same number of parts, which are fewer. With
  // more parts one after the other is as short as what begins and ends it.
  constexpr int64_t kMostParts = 8;
  const int64_t parts = shared > 0 ? std::min(kMostParts, workgroups / shared) : 0;
  for (const int64_t sharing : {workgroups, parts * shared}) {
    const GemmShare share = share_tiles(tile, tiles, gemm.k, workgroups, sharing);
    if (share.teams == 0 || (share.tiles == 1 && share.members > kMostParts)) continue;
    if (static_cast<size_t>(bytes_of_parts(tile, share)) > gemm.workspace_bytes) continue;
    // Where all tiles are shared and have parts of one length, K is split as well by the plain kernel, and of
    // several dies better (modelled: 256 by 4,096 by 14,336 takes 61 us on an MI300X instead of 59).
    const bool splits = share.whole == 0 && (share.tiles == 1 || gemm_rates(tile.target).dies > 1);
    if (splits && !wanted) continue;
    const GemmChoice::Candidate one = streamed_candidate(tile, gemm, share);
    if (made.empty())
      made.push_back(one);
    else if (one.cycles < made.front().cycles)
      made.front() = one;
  }
  return made;
}

}  // namespace wavesmith::kernels
