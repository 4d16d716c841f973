#include "kernels/convolution/gather.h"

#include <algorithm>
#include <cstdlib>

#include "kernels/gemm/gathered_launch.h"
#include "kernels/library/element_type.h"

namespace wavesmith::kernels {
namespace {

constexpr int64_t kMost = int64_t{1} << 28;  // of a coordinate, and of what moves it
constexpr int64_t kMostRows = (int64_t{1} << 31) - 1024;
constexpr int64_t kMostStride = int64_t{1} << 22;  // of B, whose rows are as long as K

bool is_small(const WindowMoves& one) {
  return std::max({one.places * one.step, std::abs(one.first), one.taps * std::abs(one.dilation)}) <= kMost;
}

/// Whether pieces of 16 bytes of the images' channels may be loaded by dwords.
bool is_aligned(const wavesmith_convolution_tensor& images, int space) {
  if (images.strides[1] != 1 || reinterpret_cast<uintptr_t>(images.data) % 4 != 0) return false;
  for (int i = 0; i < 2 + space; ++i)
    if (i != 1 && images.sizes[i] > 1 && images.strides[i] * size_of(images.type) % 4 != 0) return false;
  return true;
}

}  // namespace

std::optional<GemmGather> gather_of(const wavesmith_convolution_tensor& images, int64_t groups, int space,
                                    const WindowMoves* moves, bool along_places) {
  const int64_t channels = images.sizes[1] / groups, size = size_of(images.type);
  if (channels * size % 16 != 0 || !is_aligned(images, space)) return {};
  if (!(along_places ? gathers_places(images.type) : gathers(images.type, channels))) return {};
  int64_t taps = 1, places = 1, last = 0;
  for (int i = 0; i < space; ++i) {
    if (!is_small(moves[i]) || images.sizes[i + 2] > kMost) return {};
    taps *= moves[i].taps, places *= moves[i].places;
    if (taps > (along_places ? kMostStride : kMostTaps) || places > kMostRows) return {};
  }
  if (taps * channels > kMostStride || places * images.sizes[0] > kMostRows || places == 0) return {};
  for (int i = 0; i < 2 + space; ++i) {
    if (i == 1 || images.sizes[i] == 1) continue;
    if (images.strides[i] > INT32_MAX) return {};
    last += (images.sizes[i] - 1) * images.strides[i];
  }
  const int64_t bytes = (last + channels) * size;
  if (bytes >= int64_t{UINT32_MAX}) return {};

  GemmGather made{};
  made.channels = Division::by(static_cast<unsigned>(channels));
  made.bytes = static_cast<unsigned>(bytes);
  made.stride_image = static_cast<int>(images.strides[0]);
  for (int d = 0; d < kGatherSpace; ++d) made.size[d] = made.taps[d] = made.step[d] = 1;
  int64_t along[kGatherSpace] = {}, of_places[kGatherSpace] = {1, 1, 1};  // bytes from tap to tap; places
  for (int i = 0; i < space; ++i) {
    const int d = kGatherSpace - space + i;
    made.size[d] = static_cast<int>(images.sizes[i + 2]), made.taps[d] = static_cast<int>(moves[i].taps);
    made.step[d] = static_cast<int>(moves[i].step), made.first[d] = static_cast<int>(moves[i].first);
    made.dilation[d] = static_cast<int>(moves[i].dilation);
    made.stride[d] = static_cast<int>(images.strides[i + 2]);
    along[d] = moves[i].dilation * images.strides[i + 2] * size, of_places[d] = moves[i].places;
  }
  const auto product = [&](int from) {
    int64_t all = 1;
    for (int d = from; d < kGatherSpace; ++d) all *= of_places[d];
    return Division::by(static_cast<unsigned>(all));
  };
  made.images = product(0), made.planes = product(1), made.lines = product(2);
  if (along_places) return made;
  // Modulo 2^32, as offsets are.
  made.next = static_cast<unsigned>(along[2] - channels * size);
  made.next_line = static_cast<unsigned>(along[1] - made.taps[2] * along[2]);
  made.next_plane = static_cast<unsigned>(along[0] - made.taps[1] * along[1]);
  const int64_t of_line = made.taps[2], of_plane = of_line * made.taps[1];
  for (int64_t tap = 0; tap < taps; ++tap) {
    if (tap % of_line == of_line - 1) made.ends_line |= 1U << tap;
    if (tap % of_plane == of_plane - 1) made.ends_plane |= 1U << tap;
  }
  return made;
}

}  // namespace wavesmith::kernels
