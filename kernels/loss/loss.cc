// The C API of cross entropy: checks a call and launches it.
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/library/named_range.h"
#include "kernels/loss/arguments.h"
#include "kernels/optimiser/arguments.h"
#include "kernels/rows/rows.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_cross_entropy_description;
using Gradient = wavesmith_cross_entropy_gradient_description;

constexpr const char *kName = "cross_entropy", *kGradientName = "cross_entropy_gradient";

bool is_empty(const Description& one) { return one.rows == 0 || one.classes == 0; }
bool is_part(const Description& one) { return one.all_classes != 0; }
int64_t all_classes_of(const Description& one) { return is_part(one) ? one.all_classes : one.classes; }
/// Whether the call that has these classes writes losses.
bool is_last(const Description& one) { return one.first_class + one.classes == all_classes_of(one); }

wavesmith_kernels_status check_part(const char* what, const Description& one) {
  const auto text = [](int64_t number) { return std::to_string(number); };
  if (one.all_classes < 0 || one.all_classes > INT32_MAX)
    return invalid(what, "all_classes is " + text(one.all_classes) + ", not from 0 to " + text(INT32_MAX));
  if (one.first_class < 0 || one.first_class > all_classes_of(one) - one.classes)
    return invalid(what, "first_class is " + text(one.first_class) + ": " + text(one.classes) +
                             " classes from there on are not within the " + text(all_classes_of(one)));
  return succeed();
}

wavesmith_kernels_status check(const char* what, const Description& one) {
  if (!(one.smoothing >= 0 && one.smoothing <= 1))
    return invalid(what, "smoothing is " + std::to_string(one.smoothing) + ", not in [0, 1]");
  if (one.rows > 0 && one.classes == 0) return invalid(what, "classes is 0");
  if (is_empty(one)) return succeed();
  if (const auto status = check_part(what, one)) return status;
  if (!one.logits.data) return invalid(what, "logits.data is null");
  if (!one.targets) return invalid(what, "targets is null");
  if (!one.logs) return invalid(what, "logs is null");
  if (const auto status = check_aligned(what, "targets", one.targets, 8)) return status;
  return check_vector(what, "logs", one.logs, WAVESMITH_KERNELS_F32);
}

wavesmith_kernels_status check(const Description& one) {
  if (const auto status = check_rows(kName, one.rows, one.classes, {{.name = "logits", .rows = &one.logits}}))
    return status;
  if (const auto status = check(kName, one)) return status;
  if (is_empty(one)) return succeed();
  std::vector<NamedRange> ranges = {
      {"logits", range_of(one.logits, one.rows, one.classes)},
      {"targets", ByteRange::of(one.targets, 2 * one.rows, WAVESMITH_KERNELS_F32)}};
  const size_t read = ranges.size();
  ranges.push_back(NamedRange::of("logs", one.logs, one.rows, WAVESMITH_KERNELS_F32));
  if (is_last(one)) {
    if (!one.losses) return invalid(kName, "losses is null");
    if (const auto status = check_vector(kName, "losses", one.losses, WAVESMITH_KERNELS_F32)) return status;
    ranges.push_back(NamedRange::of("losses", one.losses, one.rows, WAVESMITH_KERNELS_F32));
  }
  if (is_part(one)) {
    if (!one.state) return invalid(kName, "state is null");
    if (const auto status = check_vector(kName, "state", one.state, WAVESMITH_KERNELS_F32)) return status;
    ranges.push_back(NamedRange::of("state", one.state, 2 * one.rows, WAVESMITH_KERNELS_F32));
  }
  return check_written(kName, ranges, ranges.size() - read);
}

wavesmith_kernels_status check(const Gradient& one) {
  const Description& forward = one.forward;
  if (const auto status = check_rows(kGradientName, forward.rows, forward.classes,
                                     {{.name = "logits", .rows = &forward.logits},
                                      {.name = "gradient", .rows = &one.gradient, .is_written = true}}))
    return status;
  if (const auto status = check(kGradientName, forward)) return status;
  if (one.upstream_stride != 0 && one.upstream_stride != 1)
    return invalid(kGradientName,
                   "upstream_stride is " + std::to_string(one.upstream_stride) + ", neither 1 nor 0");
  if (is_empty(forward)) return succeed();
  if (!one.gradient.data) return invalid(kGradientName, "gradient.data is null");
  if (!one.upstream) return invalid(kGradientName, "upstream is null");
  if (const auto status = check_vector(kGradientName, "upstream", one.upstream, WAVESMITH_KERNELS_F32))
    return status;
  const NamedRange gradient = {"gradient", range_of(one.gradient, forward.rows, forward.classes)};
  const NamedRange read[] = {
      {"targets", ByteRange::of(forward.targets, 2 * forward.rows, WAVESMITH_KERNELS_F32)},
      NamedRange::of("logs", forward.logs, forward.rows, WAVESMITH_KERNELS_F32),
      NamedRange::of("upstream", one.upstream, one.upstream_stride ? forward.rows : 1,
                     WAVESMITH_KERNELS_F32)};
  return check_apart(kGradientName, gradient, read);
}

/// Whether as many elements as a thread takes at once are one access, in each row.
bool at_once(const wavesmith_kernels_rows& matrix, int64_t rows) {
  const auto bytes = static_cast<uintptr_t>(kListAtOnce * size_of(matrix.type));
  return reinterpret_cast<uintptr_t>(matrix.data) % bytes == 0 &&
         (rows == 1 || matrix.row_stride % kListAtOnce == 0);
}

CrossEntropyArguments arguments_of(const Description& one) {
  CrossEntropyArguments made{};
  made.logits = one.logits.data, made.targets = one.targets;
  made.losses = one.losses, made.logs = one.logs;
  made.stride = one.logits.row_stride, made.classes = one.classes, made.ignored = one.ignored;
  made.type = one.logits.type, made.aligned = at_once(one.logits, one.rows);
  made.kept = static_cast<float>(1 - one.smoothing);
  made.spread = static_cast<float>(one.smoothing / static_cast<double>(all_classes_of(one)));
  made.first_class = one.first_class, made.all_classes = all_classes_of(one);
  made.state = is_part(one) ? one.state : nullptr;
  return made;
}

/// Whether so few rows have 1,024 threads each instead of 256, since they do not keep the compute units busy
/// else. What a workgroup's threads do together at its end, which the gradient lacks, pays off for fewer.
bool are_few(int64_t rows, int compute_units, bool gradient) {
  return gradient ? rows < 3 * int64_t{compute_units} : 2 * rows <= compute_units;
}

/// A workgroup for each row, by the kernels of the logits' type where that is `known`.
wavesmith_kernels_status launch_each_row(const std::string& kernel, const CrossEntropyArguments& arguments,
                                         int64_t rows, bool known, void* stream) {
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const bool wide = known && are_few(rows, device->compute_units, arguments.gradient != nullptr);
  const unsigned threads = wide ? 1024 : kListThreads;
  std::string name = kernel;
  if (known)
    name = known_name(kernel.c_str(), static_cast<wavesmith_kernels_type>(arguments.type)) + "_" +
           std::to_string(threads);
  return launch(*device, name.c_str(), {.x = static_cast<unsigned>(rows), .y = 1, .threads = threads},
                &arguments, sizeof(arguments), stream);
}

/// Whether the logits are of a type of 2 bytes and begin at multiples of 16 bytes, in each row.
bool is_known(const Description& one) {
  return size_of(one.logits.type) == 2 && is_aligned(one.logits, one.classes);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_cross_entropy(const wavesmith_cross_entropy_description* entropy,
                                                         void* stream) {
  if (!entropy) return invalid(kName, "the description is null");
  if (const auto status = check(*entropy)) return status;
  if (is_empty(*entropy)) return succeed();
  return launch_each_row("loss_cross_entropy", arguments_of(*entropy), entropy->rows, is_known(*entropy),
                         stream);
}

wavesmith_kernels_status wavesmith_kernels_cross_entropy_gradient(
    const wavesmith_cross_entropy_gradient_description* gradient, void* stream) {
  if (!gradient) return invalid(kGradientName, "the description is null");
  if (const auto status = check(*gradient)) return status;
  const Description& forward = gradient->forward;
  if (is_empty(forward)) return succeed();
  CrossEntropyArguments arguments = arguments_of(forward);
  arguments.gradient = gradient->gradient.data, arguments.gradient_type = gradient->gradient.type;
  arguments.gradient_stride = gradient->gradient.row_stride;
  arguments.upstream = gradient->upstream, arguments.upstream_stride = gradient->upstream_stride;
  arguments.factor = static_cast<float>(gradient->factor);
  arguments.aligned = arguments.aligned && at_once(gradient->gradient, forward.rows);
  const bool known = is_known(forward) && gradient->gradient.type == forward.logits.type &&
                     is_aligned(gradient->gradient, forward.classes);
  return launch_each_row("loss_cross_entropy_gradient", arguments, forward.rows, known, stream);
}
