#include "runtime/rtc/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/scratch.h"
#include "gpus/chosen.h"
#include "runtime/rtc/device_header.h"
#include "runtime/rtc/lowered_names.h"
#include "runtime/rtc/prelude.h"
#include "runtime/rtc/steps.h"
#include "toolchain/discover.h"
#include "toolchain/prepare.h"
#include "toolchain/process.h"

namespace wavesmith::rtc {
namespace {

namespace fs = std::filesystem;
using toolchain::Command;

/// The options, sorted by what they are for.
struct Options {
  std::string target;
  bool separate = false;  ///< -fgpu-rdc: bitcode, to be linked later
  bool no_header = false;
  bool optimized = false, language = false, no_device_libraries = false, flush_denormals = false;
  std::vector<std::string> others;
};

Options sort_options(const std::vector<std::string>& given) {
  Options sorted;
  for (size_t i = 0; i < given.size(); ++i) {
    const size_t first = given[i].find_first_not_of(" \t\n"), last = given[i].find_last_not_of(" \t\n");
    if (first == std::string::npos) continue;
    const std::string option = given[i].substr(first, last - first + 1);
    bool taken = false;
    for (const std::string_view name :
         {"--gpu-architecture=", "--offload-arch=", "-arch=", "--cuda-gpu-arch="}) {
      if (option.starts_with(name)) sorted.target = option.substr(name.size()), taken = true;
    }
    if (taken) continue;
    if ((option == "--gpu-architecture" || option == "-arch" || option == "--offload-arch") &&
        i + 1 < given.size()) {
      sorted.target = given[++i];
    } else if (option == "-fgpu-rdc") {
      sorted.separate = true;
    } else if (option == "--hiprtc-no-builtin-header") {
      sorted.no_header = true;
    } else if (option.starts_with("-I" + toolchain::cache_folder())) {
      // HIP headers that our hipcc named: hiprtc chooses its own, which may be of another version.
    } else {
      sorted.optimized |= option.starts_with("-O");
      sorted.language |= option.starts_with("-std=") || option.starts_with("--std=");
      sorted.no_device_libraries |= option == "-nogpulib";
      sorted.flush_denormals |=
          option == "-fgpu-flush-denormals-to-zero" || option == "-fcuda-flush-denormals-to-zero";
      sorted.others.push_back(option);
    }
  }
  if (sorted.target.empty()) sorted.target = default_target();
  return sorted;
}

/// The compiler, or what to do about it.
Result<toolchain::Toolchain> compiler() {
  toolchain::Toolchain tools = toolchain::discover();
  if (auto there = toolchain::require_compiler(tools, "hiprtc"); !there) return tl::unexpected(there.error());
  return tools;
}

/// hiprtc's programs have half precision without including anything: the best headers that have it, or the
/// best.
const toolchain::Headers* best_headers(const toolchain::Toolchain& tools) {
  for (const toolchain::Headers& each : tools.headers)
    if (each.origin == toolchain::Headers::Origin::Given || each.has("hip/hip_fp16.h")) return &each;
  return tools.headers.empty() ? nullptr : &tools.headers.front();
}

/// Why a program was refused: its own mistakes, which the log tells, or device libraries that are not there.
tl::unexpected<Error> refused(const toolchain::Toolchain& tools, std::string_view log, std::string what) {
  if (log.find("__ocml_") != log.npos || log.find("__ockl_") != log.npos)
    if (auto there = toolchain::require_device_libraries(tools, "the program"); !there)
      return tl::unexpected(there.error());
  return fail(ErrorKind::BadInput, std::move(what), {},
              tools.headers.empty()
                  ? "no HIP headers were found, and Wavesmith's own have no half precision and "
                    "no printf; install them (Debian: apt install libamdhip64-dev; anywhere: "
                    "pip install triton)"
                  : "");
}

/// A folder with the header that is included before every program.
Result<std::string> runtime_header(std::string_view text) {
  return toolchain::cached(
      "hiprtc-" + toolchain::tag_of(std::string(text)), [&](const fs::path& folder) -> Result<void> {
        if (write_file(folder / "hiprtc_runtime.h", text)) return {};
        return fail(ErrorKind::BadInput, fmt::format("cannot write under '{}'", folder.string()));
      });
}

/// Writes the headers that the program was created with into the folder.
Result<void> write_headers(const std::vector<Source>& headers, const Scratch& scratch) {
  for (const Source& header : headers) {
    const fs::path relative = fs::path(header.name).relative_path().lexically_normal();
    if (relative.empty() || *relative.begin() == "..")
      return fail(ErrorKind::BadInput, fmt::format("header name '{}'", header.name));
    if (!write_file(scratch / relative, header.text))
      return fail(ErrorKind::BadInput, "cannot write temporary files");
  }
  return {};
}

/// The compiler's command without its input and output, and the headers that it includes before the program.
struct CompilerCommand {
  Command command;
  std::vector<std::string> before;
};

Result<CompilerCommand> compiler_command(const toolchain::Toolchain& tools, const Options& options,
                                         const std::string& header_folder) {
  const toolchain::Headers* const hip = best_headers(tools);
  const toolchain::DeviceLibraries* const libraries =
      tools.libraries.empty() ? nullptr : &tools.libraries.front();
  const auto prepared = toolchain::prepare(tools, {hip, libraries, options.flush_denormals});
  if (!prepared) return tl::unexpected(prepared.error());

  Command command{tools.clang,
                  "-x",
                  "hip",
                  "--cuda-device-only",
                  "--no-gpu-bundle-output",
                  "--offload-arch=" + options.target,
                  "-Wno-unused-command-line-argument"};
  if (!options.optimized) command.emplace_back("-O3");
  if (!options.language) command.emplace_back("-std=c++17");
  if (options.separate) command.insert(command.end(), {"-fgpu-rdc", "-c", "-emit-llvm"});
  if (!libraries) command.emplace_back("-nogpulib");
  if (libraries) command.push_back("--rocm-device-lib-path=" + prepared->bitcode);
  if (libraries && !options.no_device_libraries) command.emplace_back("-DWAVESMITH_DEVICE_LIBRARIES");
  if (!header_folder.empty()) command.push_back("-I" + header_folder);
  std::vector<std::string> before;
  if (!hip)
    command.emplace_back("-nogpuinc");
  else {
    command.insert(command.end(),
                   {"--hip-path=" + prepared->hip, "-isystem", prepared->hip + "/include",
                    "-D__HIP_PLATFORM_AMD__=1", fmt::format("-DWAVESMITH_HIP_MAJOR={}", hip->major),
                    // clang's own header gives kernels malloc by these, and under hiprtc does not ask HIP's
                    fmt::format("-DHIP_VERSION_MAJOR={}", hip->major),
                    fmt::format("-DHIP_VERSION_MINOR={}", hip->minor)});
    // Not by __has_include: what a set lacks may be there as an #error that says so.
    for (const auto& [header, macro] : {std::pair{"hip/hip_fp16.h", "-DWAVESMITH_HIP_FP16"},
                                        {"hip/hip_bfloat16.h", "-DWAVESMITH_HIP_BFLOAT16"},
                                        {"hip/hip_complex.h", "-DWAVESMITH_HIP_COMPLEX"},
                                        {"hip/hip_math_constants.h", "-DWAVESMITH_HIP_MATH_CONSTANTS"}})
      if (hip->has(header)) command.emplace_back(macro);
    before.push_back(prepared->preamble);
  }
  if (!options.no_header) {
    const auto own = runtime_header(hip ? kHeaderOverHip : kHeaderAlone);
    if (!own) return tl::unexpected(own.error());
    command.insert(command.end(), {"-D__HIPCC_RTC__=1", "-isystem", *own, "-idirafter", prepared->spare});
    before.push_back(*own + "/hiprtc_runtime.h");
  }
  command.insert(command.end(), options.others.begin(), options.others.end());
  return CompilerCommand{std::move(command), std::move(before)};
}

}  // namespace

std::string default_target() {
  const auto gpu = gpus::chosen_gpu();
  return gpu ? (*gpu)->target : "gfx942";
}

Result<Compiled> compile(const Source& source, const std::vector<Source>& headers,
                         const std::vector<std::string>& expressions, const std::vector<std::string>& given,
                         std::string& log) {
  const auto tools = compiler();
  if (!tools) return tl::unexpected(tools.error());
  const Options options = sort_options(given);
  const Scratch scratch("rtc");
  if (!scratch.made())
    return fail(ErrorKind::BadInput, "no folder for temporary files", {},
                "set TMPDIR to one that can be written");

  std::string name = fs::path(source.name).filename().string();
  if (name.empty() || name == "." || name == "..") name = "program.hip";
  const fs::path file = scratch / name, output = scratch / ".out";
  if (const auto written = write_headers(headers, scratch); !written) return tl::unexpected(written.error());
  const auto made = compiler_command(*tools, options, headers.empty() ? "" : scratch.prefix());
  if (!made) return tl::unexpected(made.error());
  const auto& [command, before] = *made;

  const std::string text = source.text + name_variables(expressions);
  const auto run = [&](const Prelude& prelude) -> Result<toolchain::Outcome> {
    if (!write_file(file, without_first(text, prelude.covers)))
      return fail(ErrorKind::BadInput, "cannot write temporary files");
    Command complete = command;
    if (!prelude.file.empty())
      complete.insert(complete.end(), {"-Xclang", "-include-pch", "-Xclang", prelude.file});
    else
      for (const std::string& header : before) complete.insert(complete.end(), {"-include", header});
    complete.insert(complete.end(), {file.string(), "-o", output.string()});
    if (auto done = run_steps(complete, name, scratch)) return std::move(*done);
    return toolchain::run(complete, true);
  };
  const Prelude prelude = headers.empty() ? find_prelude(command, before, source.text) : Prelude{};
  auto outcome = run(prelude);
  if (outcome && outcome->code != 0 && !prelude.file.empty()) {
    drop_prelude(prelude, outcome->output);
    outcome = run({});  // and with the log that the program would have had
  }
  if (!outcome) return tl::unexpected(outcome.error());
  log = outcome->output;
  replace_all(log, scratch.prefix(), "");  // which means nothing to the caller
  if (outcome->code != 0) return refused(*tools, log, "the program does not compile");
  Compiled compiled;
  auto code = read_file(output);
  if (!code) return tl::unexpected(code.error());
  (options.separate ? compiled.bitcode : compiled.code) = std::move(*code);
  if (!options.separate && !expressions.empty()) {
    auto symbols = lowered_names(compiled.code, expressions.size());
    if (!symbols) return tl::unexpected(symbols.error());
    for (size_t i = 0; i < expressions.size(); ++i) compiled.lowered[expressions[i]] = (*symbols)[i];
  }
  return compiled;
}

Result<std::vector<uint8_t>> link(const std::vector<std::vector<uint8_t>>& inputs,
                                  const std::vector<std::string>& given, std::string& log) {
  const auto tools = compiler();
  if (!tools) return tl::unexpected(tools.error());
  const Options options = sort_options(given);
  const Scratch scratch("rtc");
  if (!scratch.made())
    return fail(ErrorKind::BadInput, "no folder for temporary files", {},
                "set TMPDIR to one that can be written");
  // With -flto the linker sees all inputs as one module, so that calls between them are resolved before code
  // is made.
  Command command{
      tools->clang, "--target=amdgcn-amd-amdhsa",        "-mcpu=" + options.target, "-nogpulib", "-flto",
      "-O3",        "-Wno-unused-command-line-argument", "-Wno-override-module"};
  command.insert(command.end(), options.others.begin(), options.others.end());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const fs::path file = scratch / fmt::format("input{}.bc", i);
    if (!write_file(file, inputs[i])) return fail(ErrorKind::BadInput, "cannot write temporary files");
    command.push_back(file.string());
  }
  const fs::path output = scratch / ".out";
  command.insert(command.end(), {"-o", output.string()});
  const auto outcome = toolchain::run(command, true);
  if (!outcome) return tl::unexpected(outcome.error());
  log = outcome->output;
  replace_all(log, scratch.prefix(), "");
  if (outcome->code != 0) return refused(*tools, log, "the program does not link");
  return read_file(output);
}

}  // namespace wavesmith::rtc
