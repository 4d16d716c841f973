// Which kernel computes a decode, and how contexts are split: a matter of the description and the GPU. Needs
// no GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/decode/arguments.h"
#include "kernels/decode/configuration.h"
#include "kernels/wavesmith_attention.h"

namespace wavesmith::kernels {

inline constexpr const char* kDecode = "decode";  ///< what messages call the operation

/// What is to run for a decode.
struct DecodeChoice {
  const DecodeConfiguration* configuration = nullptr;
  std::string kernel;           ///< its name in the target's code object
  std::string combine;          ///< that of the one behind it where contexts are split, or empty
  DecodeArguments arguments{};  ///< the grid has dies * per_die workgroups; parts are not set
  size_t parts = 0;             ///< floats of the workspace in front of the parts' log-sum-exps
  size_t workspace_bytes = 0;
};

/// Whether a description keeps the rules that hold on every GPU, those of the workspace aside. Nothing that
/// it points to is read.
wavesmith_kernels_status check_decode(const wavesmith_kernels_decode_description& decode);

/// Whether the workspace is large enough, aligned, and apart from everything else.
wavesmith_kernels_status check_workspace(const wavesmith_kernels_decode_description& decode, size_t bytes);

/// Elements of a head of values, and whether these are the first ones of keys.
int64_t values_of(const wavesmith_kernels_decode_description& decode);
bool has_latents(const wavesmith_kernels_decode_description& decode);

/// Whether there is nothing to compute.
bool is_empty(const wavesmith_kernels_decode_description& decode);

/// Chooses for a description that was checked and is not empty.
wavesmith_kernels_status choose_decode(const wavesmith_kernels_decode_description& decode,
                                       std::string_view target, int compute_units, DecodeChoice& choice);

}  // namespace wavesmith::kernels
