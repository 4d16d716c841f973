// Static analysis: a kernel of a code object on a GPU, nothing executed.
#pragma once

#include <optional>

#include "analysis/report.h"
#include "base/result.h"
#include "gpus/gpu.h"
#include "object/code_object.h"

namespace wavesmith::analysis {

struct Options {
  std::optional<uint32_t>
      workgroup;             ///< work-items; otherwise what the kernel requires, or the most it allows
  uint32_t dynamic_lds = 0;  ///< bytes asked for at launch
  bool source_lines = true;
};

/// The kernel of `object` on `gpu`. Errors: WrongTarget when the object is not for that GPU's instruction
/// set; BadInput when the kernel's code can't be read.
Result<KernelAnalysis> analyse(const object::CodeObject& object, const object::Kernel& kernel,
                               const gpus::Gpu& gpu, const Options& options = {});

/// A built-in GPU that runs `target` ("gfx942"), the reference of its generation; nullptr when there is none.
const gpus::Gpu* usual_gpu(std::string_view target);

}  // namespace wavesmith::analysis
