#include "toolchain/device_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/scratch.h"
#include "base/stopwatch.h"
#include "toolchain/hipcc.h"

namespace wavesmith::toolchain {
namespace {

namespace fs = std::filesystem;

/// Enough of a compiler's messages to act on.
std::string shortened(const std::string& messages) {
  constexpr size_t kMostLines = 24;
  size_t at = 0;
  for (size_t line = 0; line < kMostLines && at < messages.size(); ++line)
    at = std::min(messages.find('\n', at), messages.size() - 1) + 1;
  std::string text = messages.substr(0, at);
  if (at < messages.size()) text += "...";
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

bool any_starts_with(const std::vector<std::string>& flags, std::string_view prefix) {
  return std::any_of(flags.begin(), flags.end(),
                     [&](const std::string& flag) { return flag.starts_with(prefix); });
}

/// The folder as it is named by people's build files, not by where the work was done.
Result<DeviceCode> finish(const DeviceJob& job, const Command& command, const fs::path& out) {
  const Stopwatch watch;
  const Result<Outcome> outcome = run(command, true);
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->code != 0)
    return fail(ErrorKind::BadInput, fmt::format("'{}' does not compile for {}", job.path, job.target), {},
                shortened(outcome->output));
  DeviceCode code{read_file(out).value_or(std::vector<uint8_t>()), command, watch.seconds()};
  if (code.file.empty())
    return fail(ErrorKind::BadInput, fmt::format("the compiler made no code of '{}'", job.path), {},
                shortened(outcome->output));
  return code;
}

Result<DeviceCode> compile_hip(const Toolchain& tools, const DeviceJob& job, const fs::path& out) {
  std::vector<std::string> words{"--genco", "--offload-arch=" + job.target};
  if (!any_starts_with(job.flags, "-O")) words.emplace_back("-O3");
  if (!any_starts_with(job.flags, "-g")) words.emplace_back("-gline-tables-only");
  words.insert(words.end(), job.flags.begin(), job.flags.end());
  const bool with_rocm = !tools.hipcc.empty();
  words.insert(words.end(), {"-x", "hip", job.path, "-o", out.string()});
  if (with_rocm) {
    words.insert(words.begin(), tools.hipcc);
    return finish(job, words, out);
  }
  const Result<Arguments> arguments = parse_arguments(words);
  if (!arguments) return tl::unexpected(arguments.error());
  const Result<Plan> steps = plan(tools, *arguments, job.target);
  if (!steps) return tl::unexpected(steps.error());
  if (steps->commands.size() != 1)
    return fail(ErrorKind::BadInput, "flags that name further files", {}, "one source is compiled at a time");
  Result<DeviceCode> code = finish(job, steps->commands.front(), out);
  if (code) return code;
  Error error = code.error();
  if (!steps->headers && arguments->hip_path.empty() && !arguments->no_headers)
    error.hint += "\nno HIP headers were found; 'wavesmith cc --doctor' says how to get some";
  return tl::unexpected(error);
}

}  // namespace

Result<DeviceCode> compile_device(const Toolchain& tools, const DeviceJob& job) {
  const Scratch scratch("device");
  if (!scratch.made()) return fail(ErrorKind::NotFound, "no folder for temporary files can be made");
  const fs::path out = scratch / "device.co";
  if (job.language == DeviceLanguage::Hip) return compile_hip(tools, job, out);
  if (tools.clang.empty() || tools.lld.empty())
    return fail(ErrorKind::NotFound, "no clang++ with lld found", {},
                "'wavesmith cc --doctor' says what is there and how to get the rest");
  Command command{tools.clang, "--target=amdgcn-amd-amdhsa", "-mcpu=" + job.target, "-nogpulib",
                  "-Wno-unused-command-line-argument"};
  if (job.language == DeviceLanguage::Ir && !any_starts_with(job.flags, "-O")) command.emplace_back("-O3");
  command.insert(command.end(), job.flags.begin(), job.flags.end());
  if (job.language == DeviceLanguage::Ir) command.insert(command.end(), {"-x", "ir"});
  if (job.language == DeviceLanguage::Assembly) command.insert(command.end(), {"-x", "assembler"});
  command.insert(command.end(), {job.path, "-o", out.string()});
  return finish(job, command, out);
}

Result<std::string> device_ir(const Toolchain& tools, const DeviceJob& job) {
  const Scratch scratch("ir");
  if (!scratch.made()) return fail(ErrorKind::NotFound, "no folder for temporary files can be made");
  DeviceJob front = job;
  front.flags.insert(front.flags.end(),
                     {"-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "--no-gpu-bundle-output"});
  // The compiler that reads the IR has to be the one that wrote it.
  Toolchain own = tools;
  own.hipcc.clear();
  Result<DeviceCode> text = compile_hip(own, front, scratch / "module.ll");
  if (!text) return tl::unexpected(text.error());
  return std::string(text->file.begin(), text->file.end());
}

Result<std::string> ir_text(const Toolchain& tools, const std::string& bitcode) {
  const Scratch scratch("ir");
  if (!scratch.made()) return fail(ErrorKind::NotFound, "no folder for temporary files can be made");
  if (tools.clang.empty())
    return fail(ErrorKind::NotFound, "no clang++ found, which LLVM IR needs", {},
                "'wavesmith cc --doctor' says what is there and how to get the rest");
  const fs::path out = scratch / "module.ll";
  // The driver's own passes are left out: the text is what the bitcode says.
  const Command command{
      tools.clang, "--target=amdgcn-amd-amdhsa", "-nogpulib", "-x", "ir",        "-S", "-emit-llvm",
      "-Xclang",   "-disable-llvm-passes",       bitcode,     "-o", out.string()};
  Result<DeviceCode> text = finish({bitcode, DeviceLanguage::Ir, "amdgcn", {}}, command, out);
  if (!text) return tl::unexpected(text.error());
  return std::string(text->file.begin(), text->file.end());
}

}  // namespace wavesmith::toolchain
