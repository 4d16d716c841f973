#include "kernels/fft/plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace wavesmith::kernels {
namespace {

constexpr unsigned kSharedBytes = 65536;

/// Elements of shared memory of a line among several: an odd number, so that those of several lines are in
/// different banks.
unsigned pitch_of(unsigned length) {
  constexpr unsigned kOrder = 8;  // that elements stand in within eights, or pairs of them
  return ((length + kOrder - 1) / kOrder * kOrder) | 1U;
}
/// Bytes that so many lines take, with what is known of each.
unsigned shared_bytes(unsigned together, unsigned length, int number_bytes) {
  const auto bytes = static_cast<unsigned>(number_bytes);
  return together == 1 ? (pitch_of(length) - 1) * bytes
                       : together * (pitch_of(length) * bytes + kFftLineBytes);
}

/// Radices whose product is the length; a 0 behind them where a factor is too large.
std::vector<unsigned> radices_of(unsigned length) {
  std::vector<unsigned> radices;
  const int twos = std::countr_zero(length);
  length >>= twos;
  // 8 where that leaves no 2, else a 4 more.
  for (int rest = twos; rest > 0;) {
    const int taken = rest == 1 ? 1 : rest == 2 || rest == 4 ? 2 : 3;
    radices.push_back(1U << taken);
    rest -= taken;
  }
  for (unsigned factor = 3; factor <= kFftLargestFactor; factor += 2)
    for (; length % factor == 0; length /= factor) radices.push_back(factor);
  if (length != 1) radices.push_back(0);
  return radices;
}
bool has_large_factor(unsigned length) {
  const auto radices = radices_of(length);
  return !radices.empty() && radices.back() == 0;
}

bool fits(unsigned length, int number_bytes) {
  return length <= kFftThreads * kFftElements && shared_bytes(1, length, number_bytes) <= kSharedBytes;
}

/// The factor next to the root such that it and the other one fit; 0 where there is none.
unsigned factor_of(unsigned length, int number_bytes) {
  auto factor = static_cast<unsigned>(std::sqrt(static_cast<double>(length)));
  for (; factor > 1 && fits(length / factor, number_bytes); --factor)
    if (length % factor == 0) return factor;
  return 0;
}

long distance(long bytes) { return bytes < 0 ? -bytes : bytes; }

/// Whether lines that follow each other lie nearer together than a line's elements.
bool lines_are_nearer(const FftSide& side, unsigned inner, int dimensions) {
  const long element = distance(long{side.stride} * side.i_step);
  if (inner > 1) return distance(long{side.stride} * side.q_step) < element;
  return dimensions > 0 && distance(side.steps[0]) < element;
}

/// The dimensions of the batch in the order of their steps, those of one element left out.
std::vector<int> batch_dimensions(const wavesmith_fft_description& what) {
  std::vector<int> dimensions;
  for (int d = 0; d < what.dimensions; ++d)
    if (d != what.along && what.sizes[d] != 1) dimensions.push_back(d);
  std::ranges::sort(dimensions, {}, [&](int d) {
    return std::tuple(distance(what.x.strides[d]), distance(what.y.strides[d]), d);
  });
  return dimensions;
}

FftSide side_of(const wavesmith_pointwise_operand& operand, const wavesmith_fft_description& what,
                bool is_real, bool is_half) {
  FftSide made{};
  const auto length = static_cast<unsigned>(what.sizes[what.along]);
  made.data = operand.data;
  made.stride = static_cast<int>(operand.strides[what.along]);
  made.i_step = 1;
  made.count = is_half ? length / 2 + 1 : length;
  made.whole = length;
  made.numbers = is_real ? kFftReal : is_half ? kFftHalf : kFftComplex;
  return made;
}

}  // namespace

FftPlan::FftPlan(const wavesmith_fft_description& what, void* workspace)
    : base_(static_cast<char*>(workspace)),
      number_bytes_(what.x.type == WAVESMITH_POINTWISE_F32 || what.x.type == WAVESMITH_POINTWISE_C64 ? 8
                                                                                                     : 16) {
  const bool from_real = what.kind == WAVESMITH_FFT_FROM_REAL, to_real = what.kind == WAVESMITH_FFT_TO_REAL;
  FftSide x = side_of(what.x, what, what.x.type < WAVESMITH_POINTWISE_C64, to_real),
          y = side_of(what.y, what, to_real, from_real);
  if (to_real) x.count = x.whole;  // the others are conjugates
  tables_.is_wide = number_bytes_ == 16;
  set_batch(what, x, y);
  x.swapped = y.swapped = what.backward != 0;
  const auto length = static_cast<unsigned>(what.sizes[what.along]);
  const bool is_direct = fits(length, number_bytes_) || factor_of(length, number_bytes_) != 0;
  if (has_large_factor(length) || !is_direct)
    convolve(length, x, y, what.scale);
  else
    transform(length, x, y, what.scale);
}

unsigned FftPlan::longest_table() const {
  unsigned longest = 0;
  for (int i = 0; i < table_count_; ++i) longest = std::max(longest, tables_.tables[i].count);
  return longest;
}

/// Dimensions that follow each other on both sides become one.
void FftPlan::set_batch(const wavesmith_fft_description& what, FftSide& x, FftSide& y) {
  unsigned last = 0;
  for (const int d : batch_dimensions(what)) {
    const auto size = static_cast<unsigned>(what.sizes[d]);
    const long step_x = what.x.strides[d], step_y = what.y.strides[d];
    batch_ *= size;
    if (dimensions_ > 0 && x.steps[dimensions_ - 1] * last == step_x &&
        y.steps[dimensions_ - 1] * last == step_y) {
      last *= size;
      sizes_[dimensions_ - 1] = Division::by(last);
      continue;
    }
    x.steps[dimensions_] = step_x, y.steps[dimensions_] = step_y;
    sizes_[dimensions_++] = Division::by(size);
    last = size;
  }
}

void* FftPlan::take(size_t bytes) {
  void* const taken = base_ ? base_ + used_ : nullptr;
  used_ += (bytes + 255) & ~size_t{255};
  return taken;
}

/// Lines of complex numbers in the workspace, one behind the other.
FftSide FftPlan::packed(void* data, unsigned length) const {
  FftSide made{};
  made.data = data;
  made.stride = number_bytes_;
  made.i_step = 1;
  made.count = made.whole = length;
  long step = long{number_bytes_} * length;
  for (int d = 0; d < dimensions_; ++d) made.steps[d] = step, step *= sizes_[d].divisor;
  return made;
}

const void* FftPlan::table(int kind, unsigned count, unsigned factor, unsigned whole) {
  for (int i = 0; i < table_count_; ++i) {
    const FftTable& known = tables_.tables[i];
    if (known.kind == kind && known.count == count && known.factor == factor && known.whole == whole)
      return known.data;
  }
  void* const data = take(size_t{count} * static_cast<unsigned>(number_bytes_));
  tables_.tables[table_count_++] = {data, count, factor, whole, kind};
  return data;
}

/// A launch of transforms in shared memory, of `inner` lines in each place of the batch.
void FftPlan::add(unsigned length, unsigned inner, const FftSide& x, const FftSide& y, double scale) {
  FftArguments made{};
  made.x = x, made.y = y;
  std::ranges::copy(sizes_, made.sizes);
  made.dimensions = dimensions_;
  made.lines = batch_ * inner;
  made.inner = Division::by(inner);
  made.length = Division::by(length);
  made.pitch = pitch_of(length);
  made.load_lines_first = lines_are_nearer(x, inner, dimensions_);
  made.store_lines_first = lines_are_nearer(y, inner, dimensions_);
  made.scale = scale;
  for (FftSide* const side : {&made.x, &made.y}) {
    side->i_bytes = static_cast<int>(side->i_step) * side->stride;
    side->is_plain = side->numbers == kFftComplex && !side->table && side->swapped_inside == 0 &&
                     (inner - 1) * side->q_step + (length - 1) * side->i_step < side->count;
  }
  unsigned l = 1;
  for (const unsigned radix : radices_of(length)) {
    made.pass[made.passes++] = {radix, Division::by(l), Division::by(l * radix), Division::by(length / radix),
                                length / (l * radix)};
    l *= radix;
  }
  if (length > 1) made.roots = table(kFftRoots, length, 1, length);
  // Enough for some waves; where lines are side by side, as many as memory is read of at once.
  constexpr unsigned kElements = 2048, kSideBySide = 16, kMostLines = 256;
  unsigned together = std::clamp(std::bit_floor(kElements / length), 1U, kMostLines);
  if (made.load_lines_first || made.store_lines_first) together = std::max(together, kSideBySide);
  together = std::min(together, std::bit_ceil(made.lines));
  while (shared_bytes(together, length, number_bytes_) > kSharedBytes ||
         together * length > kFftThreads * kFftElements)
    together /= 2;
  made.together = together;
  made.shift = static_cast<unsigned>(std::countr_zero(together));
  constexpr unsigned kWave = 64;
  const unsigned threads = (together * length + kFftElements - 1) / kFftElements;
  made.threads = (threads + kWave - 1) / kWave * kWave;
  launches_.push_back({made,
                       {.x = (made.lines + together - 1) / together,
                        .y = 1,
                        .threads = made.threads,
                        .shared = shared_bytes(together, length, number_bytes_)}});
}

void FftPlan::transform(unsigned length, const FftSide& x, const FftSide& y, double scale) {
  if (fits(length, number_bytes_)) return add(length, 1, x, y, scale);
  const unsigned n1 = factor_of(length, number_bytes_);
  if (n1 == 0) {
    is_served_ = false;
    return;
  }
  const unsigned n2 = length / n1;
  // The number n2 a + b is element a of column b. Of the columns' results row c is transformed, whose result
  // d is number c + n1 d.
  const FftSide between =
      packed(take(size_t{batch_} * length * static_cast<unsigned>(number_bytes_)), length);
  FftSide columns = x, columns_to = between, rows = between, rows_to = y;
  columns.q_step = columns_to.q_step = 1, columns.i_step = columns_to.i_step = n2;
  rows.q_step = n2, rows.i_step = 1;
  rows_to.q_step = 1, rows_to.i_step = n1;
  add(n1, n2, columns, columns_to, 1);
  FftArguments& first = launches_.back().arguments;
  first.split = static_cast<unsigned>(std::bit_width(length) + 1) / 2;
  first.fine = table(kFftRoots, 1U << first.split, 1, length);
  first.y.is_plain = 0;
  first.coarse = table(kFftRoots, (length >> first.split) + 1, 1U << first.split, length);
  add(n2, n1, rows, rows_to, scale);
}

/// j k is (j^2 + k^2 - (k - j)^2) / 2: a convolution of x[j] e^(-pi i j^2 / n) with the conjugates of these
/// factors, by transforms of a power of two.
void FftPlan::convolve(unsigned length, FftSide x, FftSide y, double scale) {
  const unsigned wide = std::bit_ceil(2 * length - 1);
  const void* const chirp = table(kFftChirp, length, 1, 2 * length);
  void* const filter = const_cast<void*>(table(kFftFilter, wide, 1, 2 * length));
  const unsigned batch = std::exchange(batch_, 1);
  const int dimensions = std::exchange(dimensions_, 0);
  transform(wide, packed(filter, wide), packed(filter, wide), 1.0 / wide);
  batch_ = batch, dimensions_ = dimensions;
  FftSide spectrum = packed(take(size_t{batch_} * wide * static_cast<unsigned>(number_bytes_)), wide);
  x.table = chirp;
  transform(wide, x, spectrum, 1);
  spectrum.table = filter;
  spectrum.swapped_inside = 1;  // backward
  y.table = chirp;
  y.swapped_inside = 1;
  transform(wide, spectrum, y, scale);
}

}  // namespace wavesmith::kernels
