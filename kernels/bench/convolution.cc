// Times a convolution of square images by a square window, with zeros around that keep their size.
#include "kernels/bench/bench.h"
#include "kernels/wavesmith_convolution.h"

namespace wavesmith::kernels::bench {

int convolution(const Words& words) {
  const int64_t images = number(words, 0), channels = number(words, 1), side = number(words, 2),
                outputs = number(words, 3), window = number(words, 4, 3), step = number(words, 8, 1),
                groups = number(words, 9, 1);
  const auto type = type_of(word(words, 5, "bf16"));
  const bool channels_last = word(words, 6, "nhwc") == "nhwc";
  static constexpr const char* kDirections[] = {"output", "input", "weights"};
  wavesmith_convolution_description d{};
  d.direction = static_cast<wavesmith_convolution_direction>(
      index_of(word(words, 7, "output"), kDirections, "direction"));
  d.dimensions = 2, d.groups = groups;
  for (int i = 0; i < 2; ++i) d.padding[i] = window / 2, d.step[i] = step, d.dilation[i] = 1;
  const auto tensor = [&](int64_t first, int64_t second, int64_t space) {
    wavesmith_convolution_tensor made{memory(first * second * space * space * size_of(type)), type, {}, {}};
    const int64_t sizes[] = {first, second, space, space};
    const int64_t last[] = {second * space * space, 1, space * second, second},
                  others[] = {second * space * space, space * space, space, 1};
    for (int i = 0; i < 4; ++i)
      made.sizes[i] = sizes[i], made.strides[i] = channels_last ? last[i] : others[i];
    return made;
  };
  const int64_t places = (side + 2 * (window / 2) - window) / step + 1;
  d.x = tensor(images, channels, side), d.w = tensor(outputs, channels / groups, window);
  d.y = tensor(images, outputs, places);
  if (wavesmith_kernels_convolution_workspace(&d, &d.workspace_bytes) == WAVESMITH_KERNELS_SUCCESS)
    d.workspace = memory(static_cast<int64_t>(d.workspace_bytes) + 1);
  const float best = milliseconds_of([&] { return wavesmith_kernels_convolution(&d, nullptr); });
  const int64_t of_each = channels / groups * window * window;
  const auto products = static_cast<double>(images * places * places * outputs * of_each);
  std::printf("convolution: %.2f us, %.1f TFLOP/s, workspace of %zu bytes\n", static_cast<double>(best) * 1e3,
              2e-9 * products / static_cast<double>(best), d.workspace_bytes);
  return 0;
}

}  // namespace wavesmith::kernels::bench
