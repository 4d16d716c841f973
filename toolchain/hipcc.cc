// The reading of hipcc's arguments. What hipcc does beside clang: sources ending in .cpp and the like are
// HIP, --genco means device code alone, what is said to be optimised in no way is optimised (-O3), and the
// result is linked with the HIP runtime.
#include "toolchain/hipcc.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "base/split.h"
#include "toolchain/spare_headers.h"

namespace wavesmith::toolchain {
namespace {

namespace fs = std::filesystem;
using Language = Arguments::Language;

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  for (std::string_view other : words)
    if (word == other) return true;
  return false;
}

bool starts_with_any(std::string_view word, std::initializer_list<std::string_view> prefixes) {
  for (std::string_view prefix : prefixes)
    if (word.starts_with(prefix)) return true;
  return false;
}

Language language_of(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  if (one_of(extension, {".hip", ".cu", ".cuh", ".cpp", ".cxx", ".cc", ".C", ".c++", ".cppm"}))
    return Language::Hip;
  if (extension == ".c") return Language::C;
  return Language::Other;
}

Language language_named(const std::string& name) {
  if (one_of(name, {"hip", "cuda"})) return Language::Hip;
  if (name == "c") return Language::C;
  if (name == "c++") return Language::Cxx;
  return Language::Other;
}

/// Options of clang whose value is the next argument.
bool takes_value(std::string_view option) {
  return one_of(option, {"-I",           "-D",
                         "-U",           "-include",
                         "-imacros",     "-isystem",
                         "-idirafter",   "-iquote",
                         "-isysroot",    "-Xclang",
                         "-Xarch_host",  "-Xarch_device",
                         "-Xassembler",  "-Xpreprocessor",
                         "-MF",          "-MT",
                         "-MQ",          "-mllvm",
                         "-target",      "-arch",
                         "--param",      "-Xcuda-fatbinary",
                         "-Xcuda-ptxas", "--gpu-max-threads-per-block",
                         "-framework"});
}
bool linker_takes_value(std::string_view option) {
  return one_of(option, {"-L", "-l", "-Xlinker", "-T", "-u", "-z", "-rpath", "-Xoffload-linker"});
}
bool is_for_linker(std::string_view option) {
  return starts_with_any(option, {"-L", "-l", "-Wl,", "-static-lib", "-rpath", "-fuse-ld="}) ||
         one_of(option, {"-shared", "-static", "-rdynamic", "-pie", "-no-pie", "-s", "-nostdlib",
                         "-nodefaultlibs", "-nostartfiles"});
}
bool is_for_compiler(std::string_view option) {
  return starts_with_any(
      option, {"-D", "-I", "-U", "-M", "-std=", "--std=", "-isystem", "-include", "-idirafter", "-iquote"});
}

void add_targets(Arguments& result, std::string_view list) {
  for (const std::string_view target : split(list, ','))
    if (!target.empty()) result.targets.emplace_back(target);
}

/// hipcc's own options, which clang does not know. True when `word` was one.
bool take_hipcc_option(Arguments& result, const std::string& word) {
  auto value = [&](std::string_view name) -> const char* {
    return word.starts_with(name) ? word.c_str() + name.size() : nullptr;
  };
  if (const char* list = value("--offload-arch="); list) return add_targets(result, list), true;
  if (const char* list = value("--amdgpu-target="); list) return add_targets(result, list), true;
  if (const char* path = value("--hip-path="); path) return result.hip_path = path, true;
  if (const char* path = value("--rocm-device-lib-path="); path) return result.library_path = path, true;
  if (value("--rocm-path=")) return true;
  if (one_of(word, {"--genco", "--cuda-device-only", "--offload-device-only"}))
    return result.mode = "--genco", true;
  if (one_of(word, {"-fgpu-rdc", "-fcuda-rdc"})) return result.device_code_separate = true, true;
  if (one_of(word, {"-fno-gpu-rdc", "-fno-cuda-rdc"})) return result.device_code_separate = false, true;
  if (one_of(word, {"-use_fast_math", "--use_fast_math"}))
    return result.compile.emplace_back("-ffast-math"), true;
  if (word == "-nogpuinc") return result.no_headers = true, true;
  if (one_of(word, {"-nogpulib", "-nogpulib=1"})) return result.no_libraries = true, true;
  if (word == "-fgpu-flush-denormals-to-zero")
    return result.flush_denormals = true, result.compile.push_back(word), true;
  if (word == "-mwavefrontsize64") return result.wave64 = true, result.compile.push_back(word), true;
  return one_of(word, {"--hip-link", "-use-staticlib", "-use-sharedlib", "--hipcc-func-supp",
                       "--hipcc-no-func-supp", "-hip-device-lib"});
}

/// Folders of -I, but those of the system, which are searched last wherever they are named.
std::vector<fs::path> include_folders(const Arguments& arguments) {
  std::vector<fs::path> folders;
  for (size_t i = 0; i < arguments.compile.size(); ++i) {
    const std::string& word = arguments.compile[i];
    if (word == "-I" && i + 1 < arguments.compile.size())
      folders.emplace_back(arguments.compile[i + 1]);
    else if (word.starts_with("-I"))
      folders.emplace_back(word.substr(2));
  }
  std::erase_if(folders, [](const fs::path& folder) {
    const std::string name = folder.lexically_normal().string();
    return one_of(name, {"/usr/include", "/usr/local/include"}) || name.starts_with("/usr/lib/");
  });
  return folders;
}

/// Whether a folder has HIP's own headers. They need nothing else, but name what other machines have.
bool has_hip(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "hip/hip_runtime_api.h", ignored);
}

/// Headers named by a source and by those that it includes and that stand beside it or in `folders`.
void collect_includes(const fs::path& source, const std::vector<fs::path>& folders,
                      std::set<std::string>& named, std::set<fs::path>& seen) {
  constexpr size_t kMost = 500;
  if (seen.size() >= kMost || !seen.insert(source.lexically_normal()).second) return;
  std::ifstream file(source);
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^">]+)[">])");
  for (std::string line; std::getline(file, line);) {
    if (line.size() > 1000 || line.find("include") == line.npos) continue;
    std::smatch match;
    if (!std::regex_search(line, match, pattern)) continue;
    const std::string name = match[2];
    std::vector<fs::path> places = folders;
    if (match[1] == "\"") places.insert(places.begin(), source.parent_path());
    bool own = false;
    for (const fs::path& place : places)
      if (std::error_code ignored; fs::is_regular_file(place / name, ignored)) {
        if (!name.starts_with("hip/") || !has_hip(place))
          collect_includes(place / name, folders, named, seen);
        own = true;
        break;
      }
    if (!own) named.insert(name);
  }
}

bool mentions_hip(const std::string& target) { return target.starts_with("gfx") || target == "native"; }

}  // namespace

Result<Arguments> parse_arguments(const std::vector<std::string>& words) {
  Arguments result;
  std::string forced;
  bool only_inputs = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    auto next = [&]() -> const std::string* { return i + 1 < words.size() ? &words[++i] : nullptr; };
    if (only_inputs || word == "-" || !word.starts_with('-')) {
      if (word.empty()) return fail(ErrorKind::BadInput, "an empty file name");
      result.inputs.push_back({word, forced.empty() ? language_of(word) : language_named(forced), forced});
    } else if (word == "--") {
      only_inputs = true;
    } else if (one_of(word, {"-o", "--output"})) {
      const std::string* path = next();
      if (!path) return fail(ErrorKind::BadInput, "-o has no file name");
      result.output = *path;
    } else if (word.starts_with("-o") && word.size() > 2 && !word.starts_with("-objc")) {
      result.output = word.substr(2);
    } else if (word == "-x") {
      const std::string* language = next();
      if (!language) return fail(ErrorKind::BadInput, "-x has no language");
      forced = *language == "none" ? "" : *language;
    } else if (word.starts_with("-x") && word.size() > 2) {
      forced = word.substr(2) == "none" ? "" : word.substr(2);
    } else if (word == "--offload-arch" || word == "--amdgpu-target") {
      const std::string* list = next();
      if (!list) return fail(ErrorKind::BadInput, word + " has no target");
      add_targets(result, *list);
    } else if (take_hipcc_option(result, word) || word.starts_with("-I" + cache_folder())) {
      // An option of hipcc's own; or HIP headers that we named to a program that asked for include folders:
      // the headers that these sources need are chosen here.
    } else if (one_of(word, {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile"})) {
      if (result.mode != "--genco")
        result.mode = word;
      else if (word == "-S" || word == "-E")
        result.compile.push_back(word);
    } else if (one_of(word, {"--version", "-dumpversion", "-print-prog-name"})) {
      result.asks_version = true;
    } else if (word == "-v") {
      result.asks_version = true;  // alone; with inputs it shows the commands
      result.common.push_back(word);
    } else if (linker_takes_value(word)) {
      const std::string* value = next();
      if (!value) return fail(ErrorKind::BadInput, word + " has no value");
      result.link.insert(result.link.end(), {word, *value});
    } else if (takes_value(word)) {
      const std::string* value = next();
      if (!value) return fail(ErrorKind::BadInput, word + " has no value");
      result.compile.insert(result.compile.end(), {word, *value});
    } else if (is_for_linker(word)) {
      result.link.push_back(word);
    } else if (is_for_compiler(word)) {
      result.compile.push_back(word);
    } else {
      result.common.push_back(word);
    }
  }
  if (std::none_of(result.common.begin(), result.common.end(),
                   [](const std::string& word) { return word.starts_with("-O"); }))
    result.common.emplace_back("-O3");
  for (const std::string& target : result.targets)
    if (!mentions_hip(target))
      return fail(ErrorKind::BadInput, fmt::format("--offload-arch={} is not an AMD target", target), {},
                  "write --offload-arch=gfx942");
  return result;
}

namespace {

std::set<std::string> included(const Arguments& arguments) {
  std::set<std::string> named;
  std::set<fs::path> seen;
  for (const Arguments::Input& input : arguments.inputs)
    if (input.language != Language::Other)
      collect_includes(input.path, include_folders(arguments), named, seen);
  return named;
}

/// Whether a header is HIP's or of a library of ROCm.
bool of_rocm(std::string_view name) {
  return starts_with_any(
      name, {"hip/", "hipcub/", "rocprim/", "thrust/", "rocwmma/", "ck/", "ck_tile/", "rocblas/", "hipblas/",
             "hipblaslt/", "rocrand/", "hiprand/", "hipfft/", "hipsparse/", "rccl/", "miopen/"});
}

}  // namespace

std::vector<std::string> missing_headers(const Toolchain& tools, const Arguments& arguments) {
  std::vector<std::string> missing;
  for (const std::string& name : included(arguments)) {
    if (!of_rocm(name)) continue;
    bool found = false;
    for (const Headers& headers : tools.headers) found |= headers.has(name);
    for (const SpareHeader& spare : kSpareHeaders) found |= name == spare.name;
    std::error_code ignored;
    if (!found && !fs::exists("/usr/include/" + name, ignored)) missing.push_back(name);
  }
  return missing;
}

const Headers* choose_headers(const Toolchain& tools, const Arguments& arguments) {
  if (tools.headers.empty()) return nullptr;
  const std::set<std::string> named = included(arguments);
  // Only headers that some set has are a reason to prefer it.
  std::vector<std::string> wanted;
  for (const std::string& name : named)
    for (const Headers& headers : tools.headers)
      if (headers.origin != Headers::Origin::Debian || of_rocm(name))
        if (headers.has(name)) {
          wanted.push_back(name);
          break;
        }
  const Headers* best = nullptr;
  size_t most = 0;
  for (const Headers& headers : tools.headers) {
    size_t count = 0;
    for (const std::string& name : wanted) count += headers.has(name);
    if (!best || count > most) best = &headers, most = count;
  }
  return best;
}

}  // namespace wavesmith::toolchain
