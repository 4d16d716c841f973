// The options of a run, of a program that uses HIP or of a kernel of a code object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"

namespace wavesmith::study {

struct RunOptions {
  std::string gpu;
  std::vector<std::string> set;  ///< --set cus=8, memory.bandwidth=8TB/s
  uint64_t max_instructions = 0;
  double timeout = 0;
  int threads = 0;
  uint32_t interleave = 0;
  bool report = false, fidelity = false, json = false, xnack = false, no_guard = false, quiet = false;
  std::string libraries;    ///< --libraries: "auto", "amd", "stand-ins" or a folder
  bool torch_cuda = false;  ///< --torch-cuda
  std::string time;         ///< --time: "modelled" or "sampled"; empty: events tell the host's time

  // A program.
  std::vector<std::string> program;  ///< behind "--"

  // A kernel.
  std::string file, kernel;
  std::string grid = "1", block = "64";
  uint32_t shared = 0;
  uint32_t launches = 1;
  std::vector<std::string> arguments, dump, print, expect;
  /// Tolerances; by default 0 for integers, 1e-5 and 1e-8 otherwise.
  std::optional<double> rtol, atol;

  /// The devices for the runtime to show: each GPU with its changes. Empty where `machine` has an error.
  [[nodiscard]] std::string devices() const;
  /// They. Errors: no such GPU, field or value.
  [[nodiscard]] Result<std::vector<const gpus::Gpu*>> machine() const;
};

}  // namespace wavesmith::study
