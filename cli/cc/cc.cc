// `wavesmith cc`: compiles HIP with what is on this machine.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/rocm_release.h"
#include "base/scratch.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "gpus/chosen.h"
#include "gpus/gpu.h"
#include "toolchain/discover.h"
#include "toolchain/hipcc.h"
#include "toolchain/process.h"

namespace wavesmith::cli {
namespace {

namespace fs = std::filesystem;
using namespace toolchain;

constexpr const char* kHelp = R"(Compiles HIP programs: takes hipcc's arguments, needs no ROCm and no GPU.

  wavesmith cc [hipcc's arguments] FILES...

With ROCm installed, its hipcc does the work. Without, clang does, with the best HIP headers and device libraries found:
those of ROCm, of the Triton package (HIP 7.1), of the tensorflow-rocm package (HIP 6.0, complete), of Debian (HIP 5.2).
A program that includes none of them compiles with none. The result runs by itself:
  ./app                        on the GPU of WAVESMITH_GPU, or an MI300X
  wavesmith run --gpu mi355x -- ./app

Options of its own:
  --doctor             what was found, and how to get more; --json for scripts
  --show               print the commands, run none
  --hip-headers=SET    use the headers of rocm, triton, tensorflow or debian; none: without
  --gpu=ID             compile for that GPU when no --offload-arch is given (mi300x)
  --no-rocm            leave ROCm's hipcc alone even if it is there

Examples:
  wavesmith cc vector_add.hip -o vector_add                        for gfx942
  wavesmith cc --offload-arch=gfx950 -O3 gemm.cpp -lhiprtc -o gemm   as hipcc would
  wavesmith cc --genco --offload-arch=gfx1100 kernel.hip -o kernel.co    device code alone
  wavesmith cc -c a.hip && wavesmith cc a.o main.cpp -o app
  CXX="wavesmith cc" make                                          in place of hipcc
)";

struct Own {
  bool help = false, doctor = false, show = false, json = false, no_rocm = false;
  std::string headers, gpu;
};

/// Takes our own options out of the arguments.
Own take_own(std::vector<std::string>& arguments) {
  Own own;
  std::erase_if(arguments, [&](const std::string& word) {
    if (word == "--help" || word == "-h") return own.help = true;
    if (word == "--doctor") return own.doctor = true;
    if (word == "--show" || word == "-###") return own.show = true;
    if (word == "--no-rocm") return own.no_rocm = true;
    if (word == "--json") return own.json = true;
    if (word.starts_with("--hip-headers=")) return own.headers = word.substr(14), true;
    if (word.starts_with("--gpu=")) return own.gpu = word.substr(6), true;
    return false;
  });
  return own;
}

/// Whether a tiny kernel compiles, from headers to code object.
std::string trial(const Toolchain& tools, const std::string& target) {
  const Scratch scratch("doctor");
  const fs::path source = scratch / "k.hip";
  const bool headers = !tools.headers.empty();
  if (!scratch.made() ||
      !write_file(source,
                  headers ? "#include <hip/hip_runtime.h>\n__global__ void k(float* p) { p[threadIdx.x] = "
                            "expf(p[threadIdx.x]); }\n"
                          : "__attribute__((global)) void k(float* p) { *p = 1; }\n"))
    return "cannot make a temporary file; set TMPDIR";
  const std::string object = source.string() + ".o";
  std::string result = "no";
  const Result<Arguments> arguments =
      parse_arguments({"-c", "--offload-arch=" + target, source.string(), "-o", object});
  if (const Result<Plan> steps = plan(tools, *arguments, target); !steps) {
    result = "no: " + steps.error().text();
  } else if (const Result<Outcome> outcome = toolchain::run(steps->commands.front(), true);
             outcome && outcome->code == 0) {
    result = "yes";
  } else if (outcome) {
    result = "no: " + outcome->output.substr(0, outcome->output.find('\n'));
  }
  return result;
}

struct Extra {
  const char* header;
  const char* what;
};
constexpr Extra kExtras[] = {
    {"hip/hip_fp16.h", "fp16"},      {"hip/hip_bf16.h", "bf16"},
    {"hip/hip_fp8.h", "fp8"},        {"hip/hip_cooperative_groups.h", "cooperative groups"},
    {"hip/hiprtc.h", "hiprtc"},      {"rocprim/rocprim.hpp", "rocPRIM"},
    {"hipcub/hipcub.hpp", "hipCUB"}, {"rocwmma/rocwmma.hpp", "rocWMMA"}};

std::string extras_of(const Headers& headers) {
  std::string text;
  for (const Extra& extra : kExtras)
    if (headers.has(extra.header)) text += (text.empty() ? "" : ", ") + std::string(extra.what);
  return text;
}

int doctor(const Toolchain& tools, bool json) {
  std::vector<std::pair<std::string, std::string>> trials;
  if (!tools.clang.empty())
    for (const char* gpu : {"mi210", "mi300x", "mi355x", "rx7900xtx", "radeon8060s", "rx9070xt"}) {
      const std::string target = (*gpus::find_gpu(gpu))->target;
      trials.emplace_back(target, trial(tools, target));
    }
  const bool works =
      std::any_of(trials.begin(), trials.end(), [](const auto& one) { return one.second == "yes"; });
  const int code = static_cast<int>(works || !tools.hipcc.empty() ? Exit::Ok : Exit::NotFound);
  if (json) {
    nlohmann::ordered_json out{{"rocm_hipcc", tools.hipcc}, {"clang", tools.clang},
                               {"lld", tools.lld},          {"bundler", tools.bundler},
                               {"runtime", tools.runtime},  {"cache", cache_folder()},
                               {"openmp", tools.openmp}};
    out["headers"] = nlohmann::ordered_json::array();
    for (const Headers& headers : tools.headers)
      out["headers"].push_back(
          {{"from", name_of(headers.origin)},
           {"include", headers.include},
           {"version", fmt::format("{}.{}.{}", headers.major, headers.minor, headers.patch)}});
    out["device_libraries"] = nlohmann::ordered_json::array();
    for (const DeviceLibraries& libraries : tools.libraries)
      out["device_libraries"].push_back({{"from", name_of(libraries.origin)}, {"folder", libraries.folder}});
    for (const auto& [target, result] : trials) out["compiles"][target] = result;
    fmt::print("{}\n", out.dump(2));
    return code;
  }
  auto line = [](bool good, std::string_view what, const std::string& value) {
    fmt::print("{} {:<18} {}\n", styled(good ? "ok     " : "missing", good ? Style::Good : Style::Warning),
               what, value);
  };
  fmt::print("{} {:<18} {}\n", "       ", "ROCm's hipcc",
             tools.hipcc.empty() ? "none; clang is used" : tools.hipcc);
  line(!tools.clang.empty(), "clang", tools.clang.empty() ? "apt install clang-22" : tools.clang);
  line(!tools.lld.empty(), "lld", tools.lld.empty() ? "apt install lld-22" : tools.lld);
  line(!tools.bundler.empty(), "offload bundler",
       tools.bundler.empty() ? "apt install clang-tools-22" : tools.bundler);
  line(!tools.runtime.empty(), "libamdhip64",
       tools.runtime.empty() ? "build Wavesmith: make build" : tools.runtime);
  if (tools.headers.empty()) line(false, "HIP headers", "see below");
  for (const Headers& headers : tools.headers)
    line(true, "HIP headers",
         fmt::format("{} {}.{} ({}): {}", headers.include, headers.major, headers.minor,
                     name_of(headers.origin), extras_of(headers)));
  if (tools.libraries.empty()) line(false, "device libraries", "see below");
  for (const DeviceLibraries& libraries : tools.libraries)
    line(true, "device libraries", fmt::format("{} ({})", libraries.folder, name_of(libraries.origin)));
  for (const auto& [target, result] : trials) line(result == "yes", "compiles " + target, result);
  fmt::print(
      "\nMore headers, best first; each is found automatically once it is there (in $VIRTUAL_ENV, $PYTHONPATH or "
      "the system's Python):\n"
      "  ROCm                                             everything, AMD's own compiler\n"
      "  pip install triton                               HIP 7.1: runtime, device libraries of ROCm 7\n"
      "  pip install --no-deps tensorflow-rocm==2.14.0.600   HIP 6.0: fp16, bf16, cooperative groups, "
      "rocPRIM, hipCUB, rocWMMA\n"
      "  apt install libamdhip64-dev rocm-device-libs     HIP 5.2 on Debian 12: runtime, fp16, cooperative "
      "groups; device libraries\n"
      "                                                   (Debian 13: rocm-device-libs-17, HIP 5.7; Ubuntu "
      "26.04: rocm-device-libs-21, HIP 7.1)\n"
      "or set WAVESMITH_HIP_PATH to a folder with include/hip.\n");
  return code;
}

/// Runs every step until one fails.
int execute(const Plan& steps) {
  int code = 0;
  for (const Command& command : steps.commands) {
    const Result<Outcome> outcome = toolchain::run(command);
    code = outcome ? outcome->code : static_cast<int>(report(outcome.error()));
    if (code != 0) break;
  }
  for (const std::string& file : steps.temporaries) {
    std::error_code ignored;
    fs::remove(file, ignored);
  }
  return code;
}

bool wants_openmp(const std::vector<std::string>& arguments) {
  return std::ranges::any_of(arguments, [](const std::string& word) {
    return word == "-fopenmp" || word == "-fopenmp=libomp" || word == "-lomp";
  });
}

bool select_headers(Toolchain& tools, const std::string& wanted) {
  if (wanted.empty()) return true;
  if (wanted == "none") return tools.headers.clear(), true;
  std::erase_if(tools.headers, [&](const Headers& headers) { return name_of(headers.origin) != wanted; });
  return !tools.headers.empty();
}

}  // namespace

int compile(const std::vector<std::string>& words) {
  std::vector<std::string> arguments = words;
  const Own own = take_own(arguments);
  if (own.help || (arguments.empty() && !own.doctor)) {
    fmt::print(own.help ? stdout : stderr, "{}", kHelp);
    return static_cast<int>(own.help ? Exit::Ok : Exit::Usage);
  }
  Toolchain tools = discover();
  if (!select_headers(tools, own.headers))
    return static_cast<int>(report({ErrorKind::NotFound,
                                    fmt::format("no HIP headers of '{}'", own.headers),
                                    {},
                                    "see wavesmith cc --doctor"}));
  if (own.doctor) return doctor(tools, own.json);

  if (!tools.hipcc.empty() && !own.no_rocm && own.headers.empty()) {
    Command command{tools.hipcc};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Plan steps{{command}, {}, tools.headers.data(), nullptr};
    if (own.show) return fmt::print("{}\n", quoted(command)), 0;
    return execute(steps);
  }
  const auto gpu = gpus::chosen_gpu(own.gpu);
  if (!gpu) return static_cast<int>(report(gpu.error()));
  const Result<Arguments> understood = parse_arguments(arguments);
  if (!understood) return static_cast<int>(report(understood.error()));
  if (understood->asks_version && understood->inputs.empty()) {
    const RocmRelease release = rocm_release();
    fmt::print("HIP version: {}.{}.{}\n", release.major, release.minor, release.hip_patch);
    std::fflush(stdout);
    return tools.clang.empty() ? static_cast<int>(Exit::NotFound)
                               : execute({{{tools.clang, "--version"}}, {}, tools.headers.data(), nullptr});
  }
  const Result<Plan> steps = plan(tools, *understood, (*gpu)->target);
  if (!steps) return static_cast<int>(report(steps.error()));
  if (own.show) {
    for (const Command& command : steps->commands) fmt::print("{}\n", quoted(command));
    return 0;
  }
  const int code = execute(*steps);
  if (code == 0) return 0;
  if (wants_openmp(arguments))
    if (const auto there = require_openmp(tools); !there) report(there.error());
  if (!steps->headers && understood->hip_path.empty() && !understood->no_headers)
    fmt::print(stderr,
               "wavesmith: no HIP headers were found; 'wavesmith cc --doctor' says how to get some\n");
  else if (const auto missing = missing_headers(tools, *understood); !missing.empty())
    fmt::print(
        stderr,
        "wavesmith: nothing on this machine has {}; 'wavesmith cc --doctor' says how to get more headers\n",
        fmt::join(missing, ", "));
  return code;
}

int compile_as_clang(const std::string& name, const std::vector<std::string>& arguments) {
  bool hip = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    hip |= word == "-xhip" || (word == "-x" && i + 1 < arguments.size() && arguments[i + 1] == "hip") ||
           word.starts_with("--offload-arch") || word == "--hip-link" ||
           (!word.starts_with('-') && fs::path(word).extension() == ".hip");
  }
  if (hip) return compile(arguments);
  const Toolchain tools = discover();
  if (const auto there = require_compiler(tools, name); !there)
    return static_cast<int>(report(there.error()));
  Command command = arguments;
  command.insert(command.begin(), tools.clang);
  if (name == "amdclang") command.insert(command.begin() + 1, "--driver-mode=gcc");
  return execute({{command}, {}, nullptr, nullptr});
}

}  // namespace wavesmith::cli
