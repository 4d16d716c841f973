// Reads GPU code from any file that holds some: HIP source, LLVM IR, assembly, code objects, bundles,
// programs and libraries. Forms other than machine code are compiled for the requested GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"
#include "object/code_object.h"
#include "study/code_form.h"

namespace wavesmith::study {

struct CodeRequest {
  std::string path;
  const gpus::Gpu* gpu = nullptr;                         ///< nullptr: what suits the file
  std::vector<std::string> flags = {};                    ///< for the compiler
  std::optional<std::span<const uint8_t>> contents = {};  ///< of the file, which is not read then
};

struct Code {
  CodeForm form = CodeForm::Unknown;
  const gpus::Gpu* gpu = nullptr;           ///< the one asked for, or chosen
  std::string target;                       ///< what the code is for: "gfx942", "gfx9-4-generic"
  std::vector<object::CodeObject> objects;  ///< with at least one kernel each
  std::vector<std::string> command;         ///< that compiled it; empty: nothing was compiled
  double compile_seconds = 0;
};

/// Opens a file. Errors: NotFound for no such file, no GPU code or no kernel in it; WrongTarget, with the
/// targets that there are; BadInput for a file that is damaged, has an unknown form, or does not compile;
/// Unsupported for a target that is not decoded here.
Result<Code> open_code(const CodeRequest& request);

/// A kernel of opened code, and the object that it is in.
struct FoundKernel {
  const object::CodeObject* object = nullptr;
  const object::Kernel* kernel = nullptr;
};
/// All kernels, or those that `name` matches: a mangled or readable name, or part of a readable one if there
/// is no exact match. Error: NotFound, naming some kernels.
Result<std::vector<FoundKernel>> find_kernels(const Code& code, const std::string& name);

}  // namespace wavesmith::study
