// Static analysis of a kernel of a code object for a GPU. Nothing is executed.
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
  ServedBy served_by = ServedBy::L2;  ///< what passes and gains take to serve loads and stores
};

/// Analyses a kernel of `object` for `gpu`. Errors: WrongTarget when the object is not for that GPU's
/// instruction set; BadInput when the kernel's code can't be read.
Result<KernelAnalysis> analyse(const object::CodeObject& object, const object::Kernel& kernel,
                               const gpus::Gpu& gpu, const Options& options = {});

/// The reference GPU of its generation that runs `target` ("gfx942"); nullptr if no built-in GPU does.
const gpus::Gpu* usual_gpu(std::string_view target);

}  // namespace wavesmith::analysis
