// The C API of decode: checks one, chooses its kernels, and launches them.
#include <cstdint>
#include <string>

#include "kernels/decode/choice.h"
#include "kernels/library/device.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_decode_description;

/// Checks a description, its workspace aside, and chooses for the current device; of an empty one the choice
/// has no kernel.
wavesmith_kernels_status choose(const Description* decode, const Device*& device, DecodeChoice& choice) {
  if (!decode) return fail(WAVESMITH_KERNELS_INVALID_ARGUMENT, "decode: the description is null");
  if (const auto status = check_decode(*decode)) return status;
  if (is_empty(*decode)) return succeed();
  if (const auto status = current_device(device)) return status;
  return choose_decode(*decode, device->target, device->compute_units, choice);
}

wavesmith_kernels_status launch_combine(const Description& decode, const Device& device,
                                        const DecodeChoice& choice, void* stream) {
  const DecodeArguments& from = choice.arguments;
  const int rows = static_cast<int>(decode.batches) * from.length_q * from.heads;
  const int of_row = static_cast<int>(values_of(decode)) / kCombineElements;
  // Many waves that do not run at once begin with the splits' references several times over.
  constexpr int kFew = 12, kAtOnce = 16;  // splits; waves of a unit
  const bool many = int64_t{rows} * of_row > int64_t{device.compute_units} * kAtOnce;
  const int pieces = many && from.splits <= kFew && of_row % kCombinePieces == 0 ? kCombinePieces : 1;
  const CombineArguments arguments{.parts = from.parts,
                                   .parts_lse = from.parts_lse,
                                   .sinks = from.sinks,
                                   .o = from.o,
                                   .lse = from.lse,
                                   .stride_o = from.stride_o,
                                   .lse_batch = from.lse_batch,
                                   .lse_head = from.lse_head,
                                   .heads = from.heads,
                                   .length_q = from.length_q,
                                   .rows = rows,
                                   .splits = from.splits,
                                   .head_size = static_cast<int>(values_of(decode)),
                                   .parts_of_row = of_row / pieces,
                                   .pieces = pieces};
  const DecodeConfiguration& row = *choice.configuration;
  const int64_t waves = int64_t{arguments.rows} * arguments.parts_of_row;
  const Grid grid{static_cast<unsigned>((waves + kCombineWaves - 1) / kCombineWaves), 1,
                  static_cast<unsigned>(row.threads / row.waves * kCombineWaves)};
  return launch(device, choice.combine.c_str(), grid, &arguments, sizeof(arguments), stream);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_decode(const wavesmith_kernels_decode_description* decode,
                                                  void* stream) {
  const Device* device = nullptr;
  DecodeChoice choice;
  if (const auto status = choose(decode, device, choice)) return status;
  if (!choice.configuration) return succeed();
  if (const auto status = check_workspace(*decode, choice.workspace_bytes)) return status;
  DecodeArguments& arguments = choice.arguments;
  arguments.parts = static_cast<float*>(decode->workspace);
  arguments.parts_lse = arguments.parts + choice.parts;
  const Grid grid{static_cast<unsigned>(arguments.dies * arguments.per_die), 1,
                  static_cast<unsigned>(choice.configuration->threads)};
  if (const auto status = launch(*device, choice.kernel.c_str(), grid, &arguments, sizeof(arguments), stream))
    return status;
  return choice.combine.empty() ? succeed() : launch_combine(*decode, *device, choice, stream);
}

wavesmith_kernels_status wavesmith_kernels_decode_workspace(
    const wavesmith_kernels_decode_description* decode, size_t* bytes) {
  const Device* device = nullptr;
  DecodeChoice choice;
  if (const auto status = choose(decode, device, choice)) return status;
  if (bytes) *bytes = choice.workspace_bytes;
  return succeed();
}

wavesmith_kernels_status wavesmith_kernels_decode_check(const wavesmith_kernels_decode_description* decode,
                                                        const char** name) {
  const Device* device = nullptr;
  DecodeChoice choice;
  if (const auto status = choose(decode, device, choice)) return status;
  if (choice.configuration)
    if (const auto status = check_workspace(*decode, choice.workspace_bytes)) return status;
  thread_local std::string kernel;
  kernel = choice.kernel;
  if (name) *name = kernel.c_str();
  return succeed();
}
