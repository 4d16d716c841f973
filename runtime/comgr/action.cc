#include "runtime/comgr/action.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/scratch.h"
#include "toolchain/discover.h"
#include "toolchain/prepare.h"
#include "toolchain/process.h"

namespace wavesmith::comgr {
namespace {

namespace fs = std::filesystem;
using toolchain::Command;

/// What an action takes and gives, and how clang is told.
struct Step {
  amd_comgr_action_kind_t action;
  amd_comgr_data_kind_t from, to;
  const char* suffix;            ///< of the result's name
  std::vector<const char*> how;  ///< clang's words for it
};

const Step* find_step(amd_comgr_action_kind_t kind) {
  static const std::vector<Step> kSteps = {
      {AMD_COMGR_ACTION_SOURCE_TO_PREPROCESSOR,
       AMD_COMGR_DATA_KIND_SOURCE,
       AMD_COMGR_DATA_KIND_SOURCE,
       ".i",
       {"-E"}},
      {AMD_COMGR_ACTION_COMPILE_SOURCE_TO_BC,
       AMD_COMGR_DATA_KIND_SOURCE,
       AMD_COMGR_DATA_KIND_BC,
       ".bc",
       {"-c", "-emit-llvm", "-nogpulib"}},
      {AMD_COMGR_ACTION_COMPILE_SOURCE_WITH_DEVICE_LIBS_TO_BC,
       AMD_COMGR_DATA_KIND_SOURCE,
       AMD_COMGR_DATA_KIND_BC,
       ".bc",
       {"-c", "-emit-llvm"}},
      {AMD_COMGR_ACTION_COMPILE_SOURCE_TO_RELOCATABLE,
       AMD_COMGR_DATA_KIND_SOURCE,
       AMD_COMGR_DATA_KIND_RELOCATABLE,
       ".o",
       {"-c"}},
      {AMD_COMGR_ACTION_COMPILE_SOURCE_TO_EXECUTABLE,
       AMD_COMGR_DATA_KIND_SOURCE,
       AMD_COMGR_DATA_KIND_EXECUTABLE,
       ".so",
       {}},
      {AMD_COMGR_ACTION_LINK_BC_TO_BC,
       AMD_COMGR_DATA_KIND_BC,
       AMD_COMGR_DATA_KIND_BC,
       ".bc",
       {"-c", "-emit-llvm"}},
      {AMD_COMGR_ACTION_CODEGEN_BC_TO_RELOCATABLE,
       AMD_COMGR_DATA_KIND_BC,
       AMD_COMGR_DATA_KIND_RELOCATABLE,
       ".o",
       {"-c"}},
      {AMD_COMGR_ACTION_CODEGEN_BC_TO_ASSEMBLY,
       AMD_COMGR_DATA_KIND_BC,
       AMD_COMGR_DATA_KIND_SOURCE,
       ".s",
       {"-S"}},
      {AMD_COMGR_ACTION_ASSEMBLE_SOURCE_TO_RELOCATABLE,
       AMD_COMGR_DATA_KIND_SOURCE,
       AMD_COMGR_DATA_KIND_RELOCATABLE,
       ".o",
       {"-c"}},
      {AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_RELOCATABLE,
       AMD_COMGR_DATA_KIND_RELOCATABLE,
       AMD_COMGR_DATA_KIND_RELOCATABLE,
       ".o",
       {}},
      {AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_EXECUTABLE,
       AMD_COMGR_DATA_KIND_RELOCATABLE,
       AMD_COMGR_DATA_KIND_EXECUTABLE,
       ".so",
       {}},
  };
  const auto found =
      std::find_if(kSteps.begin(), kSteps.end(), [&](const Step& s) { return s.action == kind; });
  return found == kSteps.end() ? nullptr : &*found;
}

/// The options of the caller. The target is the isa name's; an include folder of an absent ROCm says nothing.
void add_options(Command& command, const std::vector<std::string>& options) {
  for (const std::string& option : options)
    if (!option.empty() && !option.starts_with("--offload-arch=")) command.push_back(option);
}

/// Sources as clang's driver compiles them for a device, with the device libraries that are there.
Result<Command> compile_source(const toolchain::Toolchain& tools, amd_comgr_language_t language,
                               const std::string& target, bool with_libraries) {
  Command command{tools.clang, "-Wno-unused-command-line-argument"};
  const bool opencl = language == AMD_COMGR_LANGUAGE_OPENCL_1_2 || language == AMD_COMGR_LANGUAGE_OPENCL_2_0;
  if (opencl) {
    command.insert(command.end(),
                   {"-x", "cl", language == AMD_COMGR_LANGUAGE_OPENCL_1_2 ? "-cl-std=CL1.2" : "-cl-std=CL2.0",
                    "--target=amdgcn-amd-amdhsa", "-mcpu=" + target});
  } else if (language == AMD_COMGR_LANGUAGE_HIP) {
    command.insert(command.end(),
                   {"-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "--offload-arch=" + target});
  } else if (language == AMD_COMGR_LANGUAGE_LLVM_IR) {
    command.insert(command.end(), {"-x", "ir", "--target=amdgcn-amd-amdhsa", "-mcpu=" + target});
  } else {
    return fail(ErrorKind::Unsupported, fmt::format("comgr's language {}", static_cast<int>(language)));
  }
  if (!with_libraries) {
    command.emplace_back("-nogpulib");
    return command;
  }
  if (auto there = toolchain::require_device_libraries(tools, "comgr"); !there)
    return tl::unexpected(there.error());
  const toolchain::DeviceLibraries* libraries = &tools.libraries.front();
  if (opencl) {
    libraries = nullptr;
    for (const toolchain::DeviceLibraries& each : tools.libraries)
      if (!libraries && fs::exists(fs::path(each.folder) / "opencl.bc")) libraries = &each;
    if (!libraries)
      return fail(ErrorKind::NotFound,
                  "comgr needs OpenCL's device library (opencl.bc), and none of the device libraries has it",
                  {}, "install those of ROCm 6 or later (Debian: apt install rocm-device-libs-22)");
  }
  const auto prepared = toolchain::prepare(tools, {.libraries = libraries});
  if (!prepared) return tl::unexpected(prepared.error());
  command.push_back("--rocm-device-lib-path=" + prepared->bitcode);
  return command;
}

}  // namespace

std::string target_of(const std::string& isa) {
  const size_t at = isa.find("gfx");
  return at == std::string::npos ? std::string() : isa.substr(at);
}

bool is_isa_name(const std::string& isa) { return isa.starts_with("amdgcn-amd-amdhsa--gfx"); }

Result<std::vector<Data>> act(amd_comgr_action_kind_t kind, const ActionInfo& info,
                              const std::vector<const Data*>& inputs, std::string& log) {
  if (kind == AMD_COMGR_ACTION_ADD_PRECOMPILED_HEADERS) {  // does nothing, as AMD's since 3.0
    std::vector<Data> same;
    for (const Data* const input : inputs) same.push_back(*input);
    return same;
  }
  const Step* const step = find_step(kind);
  if (!step) return fail(ErrorKind::Unsupported, fmt::format("comgr's action {}", static_cast<int>(kind)));
  const std::string target = target_of(info.isa);
  if (target.empty()) return fail(ErrorKind::BadInput, fmt::format("isa name '{}'", info.isa));
  const bool assembles = kind == AMD_COMGR_ACTION_ASSEMBLE_SOURCE_TO_RELOCATABLE;
  const bool compiles = step->from == AMD_COMGR_DATA_KIND_SOURCE && !assembles;

  const toolchain::Toolchain tools = toolchain::discover();
  if (auto there = toolchain::require_compiler(tools, "comgr"); !there) return tl::unexpected(there.error());
  const Scratch scratch("comgr");
  if (!scratch.made()) return fail(ErrorKind::BadInput, "no folder for temporary files", {}, "set TMPDIR");

  Command begin;
  if (compiles) {
    const bool libraries = info.device_libraries || (kind != AMD_COMGR_ACTION_COMPILE_SOURCE_TO_BC &&
                                                     kind != AMD_COMGR_ACTION_SOURCE_TO_PREPROCESSOR);
    auto command = compile_source(tools, info.language, target, libraries);
    if (!command) return tl::unexpected(command.error());
    begin = std::move(*command);
  } else if (kind == AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_RELOCATABLE) {
    begin = {tools.lld, "-flavor", "gnu", "-r"};
  } else {
    begin = {tools.clang, "--target=amdgcn-amd-amdhsa", "-mcpu=" + target, "-nogpulib",
             "-Wno-unused-command-line-argument"};
    if (step->from == AMD_COMGR_DATA_KIND_BC) begin.insert(begin.end(), {"-Wno-override-module", "-x", "ir"});
    if (assembles) begin.insert(begin.end(), {"-x", "assembler"});
  }
  for (const char* const word : step->how) begin.emplace_back(word);
  if (kind != AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_RELOCATABLE) add_options(begin, info.options);

  // Headers lie where the sources can include them.
  std::vector<std::pair<const Data*, fs::path>> files;
  size_t count = 0;
  for (const Data* const input : inputs) {
    if (input->kind == AMD_COMGR_DATA_KIND_INCLUDE) {
      const fs::path name = fs::path(input->name).relative_path().lexically_normal();
      if (name.empty() || *name.begin() == "..")
        return fail(ErrorKind::BadInput, fmt::format("header name '{}'", input->name));
      if (!write_file(scratch / "include" / name, input->bytes))
        return fail(ErrorKind::BadInput, "cannot write temporary files");
    } else if (input->kind == step->from) {
      files.emplace_back(input, scratch / fmt::format("input{}", count++));
      if (!write_file(files.back().second, input->bytes))
        return fail(ErrorKind::BadInput, "cannot write temporary files");
    }
  }
  if (compiles) begin.push_back("-I" + (scratch / "include").string());

  const auto run = [&](Command command, const std::string& name) -> Result<Data> {
    const fs::path output = scratch / "output";
    command.insert(command.end(), {"-o", output.string()});
    const auto outcome = toolchain::run(command, true);
    if (!outcome) return tl::unexpected(outcome.error());
    log += outcome->output;
    if (outcome->code != 0) return fail(ErrorKind::BadInput, fmt::format("'{}' does not compile", name));
    auto made = read_file(output);
    if (!made) return tl::unexpected(made.error());
    return Data{step->to, name + step->suffix, std::move(*made)};
  };
  std::vector<Data> results;
  const bool links_bitcode = kind == AMD_COMGR_ACTION_LINK_BC_TO_BC;
  if (step->from == AMD_COMGR_DATA_KIND_RELOCATABLE || links_bitcode) {  // all of them into one
    if (files.empty()) return fail(ErrorKind::BadInput, "comgr: nothing to link");
    Command command = begin;
    for (const auto& [input, path] : files) {
      if (links_bitcode && path != files.front().second)
        command.insert(command.end(), {"-Xclang", "-mlink-bitcode-file", "-Xclang"});
      command.push_back(path.string());
    }
    auto linked = run(command, "a");
    if (!linked) return tl::unexpected(linked.error());
    results.push_back(std::move(*linked));
    return results;
  }
  for (const auto& [input, path] : files) {
    Command command = begin;
    command.push_back(path.string());
    auto made = run(command, input->name.empty() ? "program" : input->name);
    if (!made) return tl::unexpected(made.error());
    results.push_back(std::move(*made));
  }
  return results;
}

}  // namespace wavesmith::comgr
