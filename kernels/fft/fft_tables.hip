// Roots of unity, in double precision, rounded.
#include "kernels/fft/fft_arguments.h"
#include "kernels/pointwise/argument.h"
#include "kernels/pointwise/double_functions.h"

using namespace wavesmith::kernels;

namespace {

using Wide = tile::Vector<double, 2>;

/// e^(-2 pi i part / whole): the nearest quarter, and a rest of at most an eighth that is exact before it is
/// divided.
TILE_DEVICE Wide root(tile::u64 part, unsigned whole) {
  const double four = 4 * static_cast<double>(part), all = static_cast<double>(whole);
  const double quarters = __builtin_rint(four / all);
  const wide::Angle rest(0.5 * wide::kPi * (__builtin_fma(-quarters, all, four) / all));
  const int quarter = static_cast<int>(quarters) & 3;
  const bool turned = (quarter & 1) != 0;
  const double c = turned ? rest.sine : rest.cosine, s = turned ? rest.cosine : rest.sine;
  const bool is_cosine_negative = quarter == 1 || quarter == 2, is_sine_negative = quarter >= 2;
  return {is_cosine_negative ? -c : c, is_sine_negative ? s : -s};
}

TILE_DEVICE Wide entry(const FftTable& table, unsigned m) {
  if (table.kind == kFftRoots) return root(static_cast<tile::u64>(m) * table.factor, table.whole);
  const unsigned length = table.whole / 2;
  const bool from_end = table.kind == kFftFilter && m >= length;
  const unsigned k = from_end ? table.count - m : m;
  if (k >= length) return {0, 0};
  Wide made = root(static_cast<tile::u64>(k) * k % table.whole, table.whole);
  if (table.kind == kFftFilter) made.y = -made.y;
  return made;
}

}  // namespace

TILE_KERNEL TILE_THREADS(kFftTableThreads) void fft_tables(FftTablesArguments arguments) {
  const auto& g = argument_in_place(arguments);
  const FftTable& table = g.tables[tile::arch::workgroup_id_y()];
  const auto m =
      static_cast<unsigned>(tile::arch::workgroup_id() * kFftTableThreads + tile::arch::thread_id());
  if (m >= table.count) return;
  const Wide made = entry(table, m);
  if (g.is_wide != 0)
    tile::arch::store_global(table.data, m, made);
  else
    tile::arch::store_global(table.data, m, tile::convert<float>(made));
}
