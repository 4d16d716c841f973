// The C API of connectionist temporal classification: checks a call and launches it.
#include <algorithm>
#include <string>

#include "kernels/loss/ctc_arguments.h"
#include "kernels/pointwise/strided_checks.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_ctc_description;
using Gradient = wavesmith_ctc_gradient_description;
using Operand = wavesmith_pointwise_operand;

constexpr const char *kName = "ctc", *kGradientName = "ctc_gradient";

bool is_float(Number type) { return type == WAVESMITH_POINTWISE_F32 || type == WAVESMITH_POINTWISE_F64; }

wavesmith_kernels_status check_between(const char* what, const std::string& name, int64_t number,
                                       int64_t most) {
  if (number >= 0 && number <= most) return succeed();
  return invalid(what, name + " is " + std::to_string(number) + ", not 0 to " + std::to_string(most));
}

wavesmith_kernels_status check_sequences(const char* what, const Description& one) {
  if (!one.steps) return invalid(what, "steps is null");
  if (!one.labels) return invalid(what, "labels is null");
  if (!one.begins) return invalid(what, "begins is null");
  for (int64_t i = 0; i < one.sequences; ++i) {
    const auto named = [&](const char* name) { return name + ("[" + std::to_string(i) + "]"); };
    if (const auto status = check_between(what, named("steps"), one.steps[i], one.times)) return status;
    if (const auto status = check_between(what, named("labels"), one.labels[i], (one.states - 1) / 2))
      return status;
    if (const auto status = check_between(what, named("begins"), one.begins[i], INT32_MAX)) return status;
    if (one.labels[i] > 0 && !one.targets.data) return invalid(what, "targets.data is null");
  }
  return succeed();
}

wavesmith_kernels_status check_sizes(const char* what, const Description& one) {
  for (const auto& [name, size] : {std::pair{"times", one.times}, std::pair{"sequences", one.sequences},
                                   std::pair{"classes", one.classes}, std::pair{"states", one.states}})
    if (size < 0) return invalid(what, std::string(name) + " is negative");
  if (one.sequences == 0) return succeed();
  constexpr int64_t kMost = INT32_MAX / (2 * kCtcSequences);
  if (one.times > kMost || one.states > kMost || one.classes > INT32_MAX / 2)
    return not_supported(what, "there are too many times, states or classes");
  if (one.states == 0) return invalid(what, "states is 0");
  if (one.classes == 0) return invalid(what, "classes is 0");
  return check_between(what, "blank", one.blank, one.classes - 1);
}

wavesmith_kernels_status check(const char* what, const Description& one) {
  if (const auto status = check_sizes(what, one)) return status;
  if (one.sequences == 0) return succeed();
  const int64_t sizes[] = {one.classes, one.sequences, std::max<int64_t>(one.times, 1)};
  if (const auto status = check_operand(what, one.log_probs, "log_probs", sizes)) return status;
  if (!is_float(one.log_probs.type))
    return not_supported(
        what, "log_probs is of " + std::string(word_of(one.log_probs.type)) + ", neither f32 nor f64");
  if (const auto status = check_type(what, one.targets, "targets")) return status;
  if (one.targets.type != WAVESMITH_POINTWISE_I32 && one.targets.type != WAVESMITH_POINTWISE_I64)
    return not_supported(what,
                         "targets is of " + std::string(word_of(one.targets.type)) + ", neither i32 nor i64");
  if (const auto status = check_sequences(what, one)) return status;
  if (!one.losses) return invalid(what, "losses is null");
  return one.times == 0 || one.alphas ? succeed() : invalid(what, "alphas is null");
}

bool is_empty(const Description& one) { return one.sequences == 0 || one.times == 0; }

wavesmith_kernels_status check(const Gradient& one) {
  const Description& forward = one.forward;
  if (const auto status = check(kGradientName, forward)) return status;
  if (is_empty(forward)) return succeed();
  const int64_t sizes[] = {forward.classes, forward.sequences, forward.times};
  const auto check_one = [&](const char* name, const Operand& operand, std::span<const int64_t> of) {
    if (const auto status = check_operand(kGradientName, operand, name, of)) return status;
    if (operand.type == forward.log_probs.type) return succeed();
    return invalid(kGradientName, std::string(name) + " is of " + std::string(word_of(operand.type)) +
                                      ", and log_probs of " + std::string(word_of(forward.log_probs.type)));
  };
  if (const auto status = check_one("gradient", one.gradient, sizes)) return status;
  if (const auto status = check_one("upstream", one.upstream, std::span(sizes).subspan(1, 1))) return status;
  return one.betas ? succeed() : invalid(kGradientName, "betas is null");
}

CtcArguments arguments_of(const Description& one) {
  CtcArguments made{};
  made.log_probs = one.log_probs.data, made.targets = one.targets.data;
  made.class_step = one.log_probs.strides[0], made.sequence_step = one.log_probs.strides[1];
  made.time_step = one.log_probs.strides[2], made.target_step = one.targets.strides[0];
  made.losses = one.losses, made.alphas = one.alphas;
  made.target_is_short = one.targets.type == WAVESMITH_POINTWISE_I32;
  made.times = static_cast<int>(one.times), made.classes = static_cast<int>(one.classes);
  made.blank = static_cast<int>(one.blank), made.states = static_cast<int>(one.states);
  return made;
}

/// Launches a kernel, with so many workgroups for each sequence, for as many sequences as an argument holds.
wavesmith_kernels_status launch_each(const char* name, const Description& one, CtcArguments arguments,
                                     int64_t workgroups, void* stream) {
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const std::string kernel = name + std::string(word_of(one.log_probs.type));
  for (int64_t first = 0; first < one.sequences; first += kCtcSequences) {
    const int64_t count = std::min<int64_t>(kCtcSequences, one.sequences - first);
    arguments.first_sequence = static_cast<int>(first);
    for (int64_t i = 0; i < count; ++i)
      arguments.sequences[i] = {.steps = static_cast<int>(one.steps[first + i]),
                                .labels = static_cast<int>(one.labels[first + i]),
                                .first = static_cast<int>(one.begins[first + i])};
    const Grid grid{.x = static_cast<unsigned>(count * workgroups), .y = 1, .threads = kCtcThreads};
    if (const auto status = launch(*device, kernel.c_str(), grid, &arguments, sizeof(arguments), stream))
      return status;
  }
  return succeed();
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_ctc(const wavesmith_ctc_description* ctc, void* stream) {
  if (!ctc) return invalid(kName, "the description is null");
  if (const auto status = check(kName, *ctc)) return status;
  if (ctc->sequences == 0) return succeed();
  return launch_each("ctc_alphas_", *ctc, arguments_of(*ctc), 1, stream);
}

wavesmith_kernels_status wavesmith_kernels_ctc_gradient(const wavesmith_ctc_gradient_description* gradient,
                                                        void* stream) {
  if (!gradient) return invalid(kGradientName, "the description is null");
  if (const auto status = check(*gradient)) return status;
  const Description& one = gradient->forward;
  if (is_empty(one)) return succeed();
  CtcArguments arguments = arguments_of(one);
  arguments.betas = gradient->betas;
  arguments.gradient = gradient->gradient.data, arguments.upstream = gradient->upstream.data;
  arguments.class_gradient = gradient->gradient.strides[0];
  arguments.sequence_gradient = gradient->gradient.strides[1];
  arguments.time_gradient = gradient->gradient.strides[2];
  arguments.upstream_step = gradient->upstream.strides[0];
  arguments.zero_infinity = gradient->zero_infinity;
  if (const auto status = launch_each("ctc_betas_", one, arguments, 1, stream)) return status;
  return launch_each("ctc_gradient_", one, arguments, one.times, stream);
}
