#include "toolchain/prepare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/file.h"
#include "base/hash.h"
#include "base/scratch.h"
#include "toolchain/process.h"
#include "toolchain/spare_headers.h"

namespace wavesmith::toolchain {
namespace {

namespace fs = std::filesystem;

// Changes whenever what is generated changes, so that an old cache is not used.
constexpr int kFormat = 6;

// __AMDGCN_WAVEFRONT_SIZE was a macro of clang until version 21. __atomic_work_item_fence,
// __llvm_amdgcn_rcp_f16 and the intrinsics of atomicInc and atomicDec were found in the device libraries and
// in LLVM when HIP 5's headers were written. Those of atomics are declared and called inside the headers'
// functions, with `unsigned int*` and `address` first: the macros leave the declaration and change the call.
constexpr const char* kPreamble = R"(#pragma once
#pragma clang system_header
#if defined(__HIP__)
#ifndef __AMDGCN_WAVEFRONT_SIZE
#if defined(WAVESMITH_WAVE_SIZE)
#define __AMDGCN_WAVEFRONT_SIZE WAVESMITH_WAVE_SIZE
#elif defined(__AMDGCN__) && !defined(__GFX9__)
#define __AMDGCN_WAVEFRONT_SIZE 32
#else
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif
#endif
#ifndef __AMDGCN_WAVEFRONT_SIZE__
#define __AMDGCN_WAVEFRONT_SIZE__ __AMDGCN_WAVEFRONT_SIZE
#endif
#if defined(WAVESMITH_HIP_MAJOR)
#if !defined(__HIP_DEVICE_COMPILE__)  // clang defines __AMDGCN__ for the host, too
// The numbers of memory types and some layouts changed with version 6: the runtime has to know which are meant.
extern "C" __attribute__((weak, visibility("default"))) const int wavesmith_hip_headers = WAVESMITH_HIP_MAJOR;
#endif
#endif
#if defined(WAVESMITH_HIP_MAJOR) && WAVESMITH_HIP_MAJOR < 6
#if defined(__AMDGCN__)
extern "C" __attribute__((device, const)) inline _Float16 __llvm_amdgcn_rcp_f16(_Float16 x) {
  return __builtin_amdgcn_rcph(x);
}
typedef _Float16 wavesmith_half2 __attribute__((ext_vector_type(2)));
extern "C" __attribute__((device, const)) inline wavesmith_half2 __llvm_amdgcn_rcp_2f16(wavesmith_half2 x) {
  return wavesmith_half2{static_cast<_Float16>(__builtin_amdgcn_rcph(x.x)), static_cast<_Float16>(__builtin_amdgcn_rcph(x.y))};
}
#define __builtin_amdgcn_atomic_inc(first, ...) WAVESMITH_INC_##first)
#define WAVESMITH_INC_unsigned wavesmith_unused_inc(unsigned
#define WAVESMITH_INC_address wavesmith_atomic_inc(address, val
#define __builtin_amdgcn_atomic_dec(first, ...) WAVESMITH_DEC_##first)
#define WAVESMITH_DEC_unsigned wavesmith_unused_dec(unsigned
#define WAVESMITH_DEC_address wavesmith_atomic_dec(address, val
__attribute__((device)) inline unsigned wavesmith_atomic_inc(unsigned* address, unsigned most) {
  return __builtin_amdgcn_atomic_inc32(address, most, __ATOMIC_RELAXED, "agent");
}
__attribute__((device)) inline unsigned wavesmith_atomic_dec(unsigned* address, unsigned most) {
  return __builtin_amdgcn_atomic_dec32(address, most, __ATOMIC_RELAXED, "agent");
}
// Scopes as OpenCL numbers them: work-item, workgroup, device, system.
extern "C" __attribute__((device)) inline void __atomic_work_item_fence(unsigned, int, int scope) {
  if (scope == 1)
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  else if (scope == 2)
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
  else if (scope == 3)
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}
#endif
#endif
#endif
)";

struct Constant {
  std::string file;
  std::string text;
};

/// What oclc_isa_version_*.bc say: major * 1000 + minor * 100 + stepping in decimal; of a generic target what
/// AMD's own files say.
constexpr std::pair<const char*, int> kIsaVersions[] = {
    {"900", 9000},   {"906", 9006},           {"908", 9008},           {"90a", 9010},   {"942", 9402},
    {"950", 9500},   {"9-generic", 9000},     {"9-4-generic", 9402},   {"1010", 10100}, {"1030", 10300},
    {"1031", 10301}, {"10-1-generic", 10100}, {"10-3-generic", 10300}, {"1100", 11000}, {"1101", 11001},
    {"1102", 11002}, {"1103", 11003},         {"1150", 11500},         {"1151", 11501}, {"11-generic", 11003},
    {"1200", 12000}, {"1201", 12001},         {"12-generic", 12000},   {"1250", 12500},
};

std::string byte(const char* name, int value) {
  return fmt::format("@{} = linkonce_odr protected local_unnamed_addr addrspace(4) constant i8 {}\n", name,
                     value);
}
std::string word(const char* name, int value) {
  return fmt::format("@{} = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 {}\n", name,
                     value);
}

/// LLVM IR of every oclc_*.bc. Names and values: ROCm device libraries, doc/OCML.md, section "Controls".
std::vector<Constant> constants(bool flush_denormals) {
  // ocml of ROCm 5 asks for __oclc_daz_opt, which clang no longer links; it comes along with the ABI version.
  const std::string abi = byte("__oclc_daz_opt", flush_denormals ? 1 : 0);
  std::vector<Constant> all = {
      {"opencl", ""},  // clang 22 takes no folder without it, and links it to no HIP program
      {"oclc_abi_version_400", word("__oclc_ABI_version", 400) + abi},
      {"oclc_abi_version_500", word("__oclc_ABI_version", 500) + abi},
      {"oclc_abi_version_600", word("__oclc_ABI_version", 600) + abi},
      {"oclc_wavefrontsize64_on", byte("__oclc_wavefrontsize64", 1) + word("__oclc_wavefrontsize_log2", 6)},
      {"oclc_wavefrontsize64_off", byte("__oclc_wavefrontsize64", 0) + word("__oclc_wavefrontsize_log2", 5)},
      {"oclc_finite_only_on", byte("__oclc_finite_only_opt", 1)},
      {"oclc_finite_only_off", byte("__oclc_finite_only_opt", 0)},
      {"oclc_unsafe_math_on", byte("__oclc_unsafe_math_opt", 1)},
      {"oclc_unsafe_math_off", byte("__oclc_unsafe_math_opt", 0)},
      {"oclc_correctly_rounded_sqrt_on", byte("__oclc_correctly_rounded_sqrt32", 1)},
      {"oclc_correctly_rounded_sqrt_off", byte("__oclc_correctly_rounded_sqrt32", 0)},
      {"oclc_daz_opt_on", byte("__oclc_daz_opt", 1)},
      {"oclc_daz_opt_off", byte("__oclc_daz_opt", 0)},
  };
  for (const auto& [target, version] : kIsaVersions)
    all.push_back({fmt::format("oclc_isa_version_{}", target), word("__oclc_ISA_version", version)});
  return all;
}

Result<void> make_bitcode(const Toolchain& tools, const DeviceLibraries& libraries, bool flush,
                          const fs::path& folder) {
  std::error_code failed;
  for (const char* name : {"ocml.bc", "ockl.bc", "opencl.bc", "hip.bc", "asanrtl.bc"}) {
    const fs::path original = fs::path(libraries.folder) / name;
    if (fs::exists(original, failed)) fs::create_symlink(fs::absolute(original), folder / name, failed);
    if (failed) return fail(ErrorKind::BadInput, fmt::format("cannot write '{}'", (folder / name).string()));
  }
  for (const Constant& constant : constants(flush)) {
    const std::string source = (folder / constant.file).string() + ".ll",
                      target = (folder / constant.file).string() + ".bc";
    if (fs::exists(target, failed)) continue;
    if (!write_file(source, "target triple = \"amdgcn-amd-amdhsa\"\n" + constant.text))
      return fail(ErrorKind::BadInput, fmt::format("cannot write '{}'", source), {},
                  "set WAVESMITH_CACHE to a folder with room that can be written");
    Result<Outcome> made = run({tools.clang, "--target=amdgcn-amd-amdhsa", "-nogpulib",
                                "-Wno-override-module", "-x", "ir", "-emit-llvm", "-c", source, "-o", target},
                               true);
    if (!made) return tl::unexpected(made.error());
    if (made->code != 0)
      return fail(
          ErrorKind::BadInput,
          fmt::format("'{}' cannot make device bitcode: it ended with exit code {} and said: {}", tools.clang,
                      made->code, made->output.empty() ? "nothing" : made->output),
          source,
          "install a clang 17 or newer that has the AMDGPU target (Debian: apt install clang lld), or "
          "set WAVESMITH_CLANG; 'wavesmith cc --doctor' says what is there");
    fs::remove(source, failed);
  }
  return {};
}

Result<void> make_hip(const Headers& headers, const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder / "share/hip", failed);
  std::ofstream(folder / "share/hip/version")
      << fmt::format("HIP_VERSION_MAJOR={}\nHIP_VERSION_MINOR={}\nHIP_VERSION_PATCH={}\n", headers.major,
                     headers.minor, headers.patch);
  fs::create_directories(folder / "include/hip", failed);
  const fs::path system = "/usr/include/hip", original = fs::absolute(headers.include);
  auto link_all = [&](const fs::path& from, const fs::path& to) {
    std::error_code unreadable;
    for (const fs::directory_entry& entry : fs::directory_iterator(from, unreadable))
      if (!fs::exists(to / entry.path().filename()))
        fs::create_symlink(entry.path(), to / entry.path().filename(), failed);
  };
  link_all(original / "hip", folder / "include/hip");
  if (!fs::exists(original / "stdlib.h")) {  // a system's folder is searched anyway, and after C++'s
    link_all(original, folder / "include");
    // A header that only the system's other version has would be found silently, and not fit the rest.
    std::error_code unreadable;
    for (const fs::directory_entry& entry : fs::directory_iterator(system, unreadable)) {
      const fs::path name = entry.path().filename();
      if (name.extension() == ".h" && !fs::exists(folder / "include/hip" / name))
        std::ofstream(folder / "include/hip" / name) << fmt::format(
            "#error \"the {} headers (HIP {}.{}) have no hip/{}; 'wavesmith cc --doctor' says how to get "
            "more, "
            "--hip-headers=debian uses HIP of another version\"\n",
            name_of(headers.origin), headers.major, headers.minor, name.string());
    }
  }
  if (failed) return fail(ErrorKind::BadInput, fmt::format("cannot write under '{}'", folder.string()));
  return {};
}

}  // namespace

Result<std::string> cached(const std::string& name,
                           const std::function<Result<void>(const fs::path&)>& make) {
  const fs::path cache = cache_folder(), folder = cache / fmt::format("{}-v{}", name, kFormat);
  std::error_code failed;
  if (fs::exists(folder, failed)) return folder.string();
  // Threads, and processes that have one number in different containers, may be making the same thing now.
  const Scratch scratch(fmt::format("making-{}", name), cache);
  const fs::path making = scratch / "made";
  if (!scratch.made() || !fs::create_directory(making, failed))
    return fail(ErrorKind::BadInput, fmt::format("cannot write to '{}'", cache.string()), {},
                "set WAVESMITH_CACHE to a folder that can be written");
  Result<void> made = make(making);
  if (made) fs::rename(making, folder, failed);
  if (!made) return tl::unexpected(made.error());
  if (!fs::exists(folder))
    return fail(ErrorKind::BadInput, fmt::format("cannot create '{}'", folder.string()));
  return folder.string();
}

std::string tag_of(const std::string& text) { return fmt::format("{:08x}", hash_of(text) & 0xffffffffu); }

Result<Prepared> prepare(const Toolchain& tools, const Choice& choice) {
  Prepared prepared;
  if (choice.headers) {
    const Headers& headers = *choice.headers;
    Result<std::string> hip = cached(fmt::format("hip-{}.{}-{}-{}", headers.major, headers.minor,
                                                 name_of(headers.origin), tag_of(headers.include)),
                                     [&](const fs::path& folder) { return make_hip(headers, folder); });
    if (!hip) return tl::unexpected(hip.error());
    prepared.hip = *hip;
  }
  if (choice.libraries) {
    const DeviceLibraries& libraries = *choice.libraries;
    const std::string name =
        fmt::format("bitcode-{}-{}{}", name_of(libraries.origin), tag_of(libraries.folder + tools.clang),
                    choice.flush_denormals ? "-flush" : "");
    Result<std::string> bitcode = cached(name, [&](const fs::path& folder) {
      return make_bitcode(tools, libraries, choice.flush_denormals, folder);
    });
    if (!bitcode) return tl::unexpected(bitcode.error());
    prepared.bitcode = *bitcode;
  }
  Result<std::string> preamble =
      cached(fmt::format("preamble-{}", tag_of(kPreamble)), [](const fs::path& folder) -> Result<void> {
        std::ofstream(folder / "wavesmith_hip.h") << kPreamble;
        return {};
      });
  if (!preamble) return tl::unexpected(preamble.error());
  std::string all;
  for (const SpareHeader& header : kSpareHeaders) all += fmt::format("{}\n{}", header.name, header.text);
  Result<std::string> spare = cached("spare-" + tag_of(all), [](const fs::path& folder) -> Result<void> {
    std::error_code failed;
    for (const SpareHeader& header : kSpareHeaders) {
      fs::create_directories((folder / header.name).parent_path(), failed);
      std::ofstream(folder / header.name) << header.text;
    }
    return {};
  });
  if (!spare) return tl::unexpected(spare.error());
  prepared.spare = *spare;
  prepared.preamble = *preamble + "/wavesmith_hip.h";
  return prepared;
}

}  // namespace wavesmith::toolchain
