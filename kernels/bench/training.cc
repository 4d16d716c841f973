// Times what a training step has beside products and operations on rows: the loss, and a step of AdamW.
#include "kernels/bench/bench.h"
#include "kernels/wavesmith_linear_loss.h"
#include "kernels/wavesmith_loss.h"
#include "kernels/wavesmith_optimiser.h"

namespace wavesmith::kernels::bench {

int cross_entropy(const Words& words) {
  const int64_t rows = number(words, 0), classes = number(words, 1);
  const auto type = type_of(word(words, 2, "bf16"));
  const int64_t bytes = rows * classes * size_of(type);
  const bool back = word(words, 3, "") == "gradient";
  wavesmith_cross_entropy_gradient_description g{};
  auto& d = g.forward;
  d.rows = rows, d.classes = classes, d.logits = {memory(bytes), type, classes}, d.ignored = -100;
  d.targets = static_cast<const int64_t*>(memory(8 * rows));
  d.losses = static_cast<float*>(memory(4 * rows)), d.logs = static_cast<float*>(memory(4 * rows));
  g.upstream = static_cast<const float*>(memory(4)), g.factor = 1, g.gradient = d.logits;  // in their place
  const float best = milliseconds_of([&] {
    return back ? wavesmith_kernels_cross_entropy_gradient(&g, nullptr)
                : wavesmith_kernels_cross_entropy(&d, nullptr);
  });
  return report("cross_entropy", rows, classes, best, (back ? 2 : 1) * bytes);
}

/// The same of a linear layer, whose logits exist for a part of the classes at a time.
int linear_cross_entropy(const Words& words) {
  const int64_t rows = number(words, 0), features = number(words, 1), classes = number(words, 2);
  const auto type = type_of(word(words, 3, "bf16"));
  const bool back = word(words, 4, "") == "gradient";
  const int64_t bytes_x = rows * features * size_of(type), bytes_weights = classes * features * size_of(type);
  wavesmith_linear_cross_entropy_gradient_description g{};
  auto& d = g.forward;
  d.rows = rows, d.features = features, d.classes = classes, d.ignored = -100;
  d.x = {memory(bytes_x), type, features}, d.weights = {memory(bytes_weights), type, features};
  d.targets = static_cast<const int64_t*>(memory(8 * rows));
  d.losses = static_cast<float*>(memory(4 * rows)), d.logs = static_cast<float*>(memory(4 * rows));
  g.upstream = static_cast<const float*>(memory(4)), g.factor = 1;
  if (back) g.dx = {memory(bytes_x), type, features}, g.dweights = {memory(bytes_weights), type, features};
  const auto status = back ? wavesmith_kernels_linear_cross_entropy_gradient_workspace(&g, &d.workspace_bytes)
                           : wavesmith_kernels_linear_cross_entropy_workspace(&d, &d.workspace_bytes);
  if (status != WAVESMITH_KERNELS_SUCCESS) {
    std::fprintf(stderr, "%s\n", wavesmith_kernels_message());
    return 1;
  }
  d.workspace = memory(static_cast<int64_t>(d.workspace_bytes));
  const float best = milliseconds_of([&] {
    return back ? wavesmith_kernels_linear_cross_entropy_gradient(&g, nullptr)
                : wavesmith_kernels_linear_cross_entropy(&d, nullptr);
  });
  return report("linear_cross_entropy", rows, classes, best, (back ? 2 : 1) * (bytes_x + bytes_weights));
}

/// A model of so many arrays of one size, with moments of f32.
int adam(const Words& words) {
  const int64_t count = number(words, 0), elements = number(words, 1);
  const auto type = type_of(word(words, 2, "f32"));
  const int64_t bytes = elements * size_of(type);
  std::vector<wavesmith_adam_array> arrays;
  const auto* const step = static_cast<const float*>(memory(4));
  for (int64_t i = 0; i < count; ++i)
    arrays.push_back(
        {elements, memory(bytes), memory(bytes), memory(4 * elements), memory(4 * elements), nullptr, step});
  wavesmith_adam_description d{};
  d.count = count, d.arrays = arrays.data(), d.type_parameter = d.type_gradient = type;
  d.type_state = WAVESMITH_KERNELS_F32;
  d.rate = 1e-3, d.beta1 = 0.9, d.beta2 = 0.999, d.weight_decay = 0.01, d.epsilon = 1e-8, d.decoupled = 1;
  const float best = milliseconds_of([&] { return wavesmith_kernels_adam(&d, nullptr); });
  return report("adam", count, elements, best, count * (3 * bytes + 16 * elements));
}

}  // namespace wavesmith::kernels::bench
