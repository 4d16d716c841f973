// From understood arguments to command lines.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/scratch.h"
#include "toolchain/hipcc.h"
#include "toolchain/prepare.h"

namespace wavesmith::toolchain {
namespace {

namespace fs = std::filesystem;
using Language = Arguments::Language;

constexpr const char* kHint = "'wavesmith cc --doctor' says what is there and how to get the rest";

bool has(const std::vector<std::string>& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class Planner {
 public:
  Planner(const Toolchain& tools, const Arguments& arguments, const std::string& default_target)
      : tools_(tools), arguments_(arguments), targets_(arguments.targets) {
    if (targets_.empty()) targets_.push_back(default_target);
    for (std::string& target : targets_)
      if (target == "native") target = default_target;
  }

  Result<Plan> make() {
    if (tools_.clang.empty()) return fail(ErrorKind::NotFound, "no clang++ found", {}, kHint);
    if (arguments_.inputs.empty()) return fail(ErrorKind::BadInput, "no input files");
    for (const Arguments::Input& input : arguments_.inputs)
      if (std::error_code ignored; input.path != "-" && !fs::exists(input.path, ignored))
        return fail(ErrorKind::NotFound, fmt::format("no file '{}'", input.path));
    if (Result<void> done = choose(); !done) return tl::unexpected(done.error());
    if (Result<void> done = compile_all(); !done) return tl::unexpected(done.error());
    if (arguments_.mode.empty()) link();
    return std::move(plan_);
  }

 private:
  Result<void> choose() {
    bool any_hip = false;
    for (const Arguments::Input& input : arguments_.inputs) any_hip |= input.language == Language::Hip;
    if (any_hip && tools_.lld.empty())
      return fail(ErrorKind::NotFound,
                  fmt::format("'{}' has no lld beside it, which device code needs", tools_.clang), {}, kHint);
    if (any_hip && tools_.bundler.empty())
      return fail(ErrorKind::NotFound,
                  fmt::format("'{}' has no clang-offload-bundler beside it, which HIP needs", tools_.clang),
                  {}, kHint);
    if (!arguments_.no_headers && arguments_.hip_path.empty())
      plan_.headers = choose_headers(tools_, arguments_);
    if (!arguments_.no_libraries && arguments_.library_path.empty() && !tools_.libraries.empty())
      plan_.libraries = &tools_.libraries.front();
    Result<Prepared> prepared = prepare(tools_, {plan_.headers, plan_.libraries, arguments_.flush_denormals});
    if (!prepared) return tl::unexpected(prepared.error());
    prepared_ = *prepared;
    if (!arguments_.hip_path.empty()) prepared_.hip = arguments_.hip_path;
    if (!arguments_.library_path.empty()) prepared_.bitcode = arguments_.library_path;
    return {};
  }

  /// What turns clang into a HIP compiler here.
  void add_device_flags(Command& command) const {
    for (const std::string& target : targets_) command.push_back("--offload-arch=" + target);
    if (prepared_.bitcode.empty())
      command.emplace_back("-nogpulib");
    else
      command.push_back("--rocm-device-lib-path=" + prepared_.bitcode);
    if (prepared_.hip.empty())
      command.emplace_back("-nogpuinc");
    else
      command.push_back("--hip-path=" + prepared_.hip);
    if (arguments_.device_code_separate) command.emplace_back("-fgpu-rdc");
  }

  void add_header_flags(Command& command, bool hip) const {
    command.emplace_back("-D__HIP_PLATFORM_AMD__=1");
    command.emplace_back("-D__HIP_PLATFORM_HCC__=1");
    if (hip) {
      const bool host64 = targets_.front().starts_with("gfx9") || arguments_.wave64;
      if (arguments_.wave64)
        command.emplace_back("-DWAVESMITH_WAVE_SIZE=64");
      else if (!host64)
        command.insert(command.end(), {"-Xarch_host", "-DWAVESMITH_WAVE_SIZE=32"});
      if (plan_.headers) command.push_back(fmt::format("-DWAVESMITH_HIP_MAJOR={}", plan_.headers->major));
      if (!prepared_.preamble.empty()) command.insert(command.end(), {"-include", prepared_.preamble});
      // An archive of rules rather than of facts: clang warns about what it was told above but did not need.
      command.emplace_back("-Wno-unused-command-line-argument");
    }
    // Before the system's folders, where headers of another version may lie.
    if (!prepared_.hip.empty()) command.insert(command.end(), {"-isystem", prepared_.hip + "/include"});
    if (hip) command.insert(command.end(), {"-idirafter", prepared_.spare});
  }

  Command compile(const Arguments::Input& input) const {
    Command command{tools_.clang};
    const bool hip = input.language == Language::Hip;
    if (hip) add_device_flags(command);
    add_header_flags(command, hip);
    command.insert(command.end(), arguments_.common.begin(), arguments_.common.end());
    command.insert(command.end(), arguments_.compile.begin(), arguments_.compile.end());
    if (hip && arguments_.mode == "--genco") {
      command.emplace_back("--offload-device-only");
      // Bitcode is not linked, which -S says by itself.
      if (has(arguments_.common, "-emit-llvm") && !has(arguments_.compile, "-S")) command.emplace_back("-c");
    } else {
      command.push_back(arguments_.mode.empty() ? "-c" : arguments_.mode);
    }
    std::string language = hip ? "hip" : input.language == Language::C ? "c" : input.forced;
    if (!language.empty()) command.insert(command.end(), {"-x", language});
    command.push_back(input.path);
    return command;
  }

  Result<void> compile_all() {
    size_t sources = 0;
    for (const Arguments::Input& input : arguments_.inputs) sources += is_source(input);
    if (!arguments_.mode.empty() && !arguments_.output.empty() && sources > 1)
      return fail(ErrorKind::BadInput, fmt::format("-o names one file, but {} are made", sources));
    for (const Arguments::Input& input : arguments_.inputs) {
      if (!is_source(input)) {
        objects_.push_back(input.path);
        continue;
      }
      Command command = compile(input);
      if (arguments_.mode.empty()) {
        objects_.push_back(temporary(input.path));
        command.insert(command.end(), {"-o", objects_.back()});
      } else if (!arguments_.output.empty()) {
        command.insert(command.end(), {"-o", arguments_.output});
      }
      plan_.commands.push_back(std::move(command));
    }
    return {};
  }

  static bool is_source(const Arguments::Input& input) {
    return input.language != Language::Other || !input.forced.empty() ||
           fs::path(input.path).extension() == ".s" || fs::path(input.path).extension() == ".S";
  }

  std::string temporary(const std::string& source) {
    plan_.temporaries.push_back(temporary_file(fs::path(source).stem().string(), ".o").string());
    return plan_.temporaries.back();
  }

  void link() {
    Command command{tools_.clang};
    bool chooses_linker = false;
    for (const std::string& word : arguments_.link) chooses_linker |= word.starts_with("-fuse-ld=");
    if (!tools_.lld.empty() && !chooses_linker) command.emplace_back("-fuse-ld=lld");
    if (arguments_.device_code_separate) {
      command.emplace_back("--hip-link");
      add_device_flags(command);
      command.emplace_back("-no-hip-rt");
    }
    command.insert(command.end(), arguments_.common.begin(), arguments_.common.end());
    command.insert(command.end(), objects_.begin(), objects_.end());
    if (!arguments_.output.empty()) command.insert(command.end(), {"-o", arguments_.output});
    if (!tools_.runtime.empty())
      for (const std::string& folder : {tools_.runtime, tools_.runtime + "/stand-ins"})
        command.insert(command.end(), {"-L" + folder, "-Wl,-rpath," + folder});
    command.insert(command.end(), arguments_.link.begin(), arguments_.link.end());
    // By its full name: the short one is no link but a library of its own where links cannot be
    // (runtime/forward).
    command.emplace_back(tools_.runtime.empty() ? "-lamdhip64" : "-l:libamdhip64.so.7");
    // As hipcc does: the host's code calls conversions of bf16 there, which libgcc has from GCC 13 on.
    if (!tools_.builtins.empty()) command.push_back(tools_.builtins);
    plan_.commands.push_back(std::move(command));
  }

  const Toolchain& tools_;
  const Arguments& arguments_;
  std::vector<std::string> targets_;
  Prepared prepared_;
  Plan plan_;
  std::vector<std::string> objects_;
};

}  // namespace

Result<Plan> plan(const Toolchain& tools, const Arguments& arguments, const std::string& default_target) {
  return Planner(tools, arguments, default_target).make();
}

}  // namespace wavesmith::toolchain
