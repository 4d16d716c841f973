// For tests: one small kernel in every form that GPU code comes in.
#pragma once

#include <gtest/gtest.h>

#include "cli/testing.h"
#include "toolchain/discover.h"
#include "toolchain/process.h"

namespace wavesmith::study {

using cli::CommandResult, cli::run_wavesmith, cli::Scratch, cli::slurp;

/// Needs no header: two kernels, one with a loop, LDS and a barrier.
inline constexpr const char* kSampleSource = R"(
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
extern "C" unsigned __hipPushCallConfiguration(dim3, dim3, unsigned long, void*);
extern "C" int __hipPopCallConfiguration(dim3*, dim3*, unsigned long*, void*);
#define GLOBAL extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 256)))
GLOBAL void square(float* p) {
  p[__builtin_amdgcn_workitem_id_x()] *=
      p[__builtin_amdgcn_workitem_id_x()];
}
GLOBAL void dot(const float* a, const float* b, float* out, int count) {
  __attribute__((shared)) static float part[256];
  const unsigned lane = __builtin_amdgcn_workitem_id_x();
  float sum = 0;
  for (int i = lane; i < count; i += 256) sum += a[i] * b[i];
  part[lane] = sum;
  __builtin_amdgcn_s_barrier();
  if (lane == 0) {
    for (int i = 1; i < 256; ++i) sum += part[i];
    *out = sum;
  }
}
)";
/// What the sample is compiled with, where there may be no HIP headers.
inline constexpr const char* kSampleFlags = "-nogpuinc -nogpulib";

/// The sample's files, made on first use and kept until the end.
class CodeSamples {
 public:
  static const CodeSamples& get() {
    static const CodeSamples samples;
    return samples;
  }
  /// "sample.hip" or the name of a file that make() has made.
  [[nodiscard]] std::string operator/(const std::string& name) const { return folder_ / name; }
  /// `wavesmith cc` with these options on the source (or another file of the folder); the file's path.
  [[nodiscard]] std::string make(const std::string& name, const std::string& options,
                                 const std::string& source = "sample.hip") const {
    const std::string out = folder_ / name;
    if (std::filesystem::exists(out)) return out;
    const CommandResult ran = run_wavesmith(fmt::format("cc --no-rocm --hip-headers=none {} -O2 {} {} -o {}",
                                                        kSampleFlags, options, folder_ / source, out),
                                            environment());
    EXPECT_EQ(ran.code, 0) << options << ran.err;
    return out;
  }
  /// clang itself, for what the driver does not do.
  [[nodiscard]] std::string clang(const std::string& name, const std::string& options,
                                  const std::string& source) const {
    const std::string out = folder_ / name;
    if (std::filesystem::exists(out)) return out;
    const std::string command =
        fmt::format("{} {} {} -o {}", toolchain::discover().clang, options, source, out);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return out;
  }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  /// A cache of the tests' own.
  [[nodiscard]] std::string environment() const { return "WAVESMITH_CACHE=" + (folder_ / "cache"); }

 private:
  CodeSamples() {
    folder_.write("sample.hip", kSampleSource);
    setenv("WAVESMITH_CACHE", (folder_ / "cache").c_str(), 1);
  }
  Scratch folder_;
};

/// The name of a form and the file that has it, each with code for gfx942 at least.
inline std::vector<std::pair<std::string, std::string>> sample_files() {
  const CodeSamples& samples = CodeSamples::get();
  const std::string one = "--genco --no-gpu-bundle-output --offload-arch=gfx942 ",
                    two = "--offload-arch=gfx942 --offload-arch=gfx1201 ",
                    device = "--target=amdgcn-amd-amdhsa -nogpulib -Wno-unused-command-line-argument ";
  const std::string ir = samples.make("sample.ll", one + "-S -emit-llvm"),
                    assembly = samples.make("sample.s", one + "-S"),
                    object = samples.make("sample.o", "-c -fPIC " + two);
  // What the object asks of a HIP library.
  const std::string host = samples.write("host.c", R"(
int __hipRegisterFatBinary() { return 0; }
int __hipRegisterFunction() { return 0; }
int __hipUnregisterFatBinary() { return 0; }
int __hipPushCallConfiguration() { return 0; }
int __hipPopCallConfiguration() { return 0; }
int hipLaunchKernel() { return 0; }
int main() { return 0; }
)");
  return {
      {"HIP source", samples / "sample.hip"},
      {"LLVM IR", ir},
      {"LLVM bitcode", samples.clang("sample.bc", device + "-x ir -c -emit-llvm", ir)},
      {"assembly", assembly},
      {"a code object", samples.make("sample.co", one)},
      {"a relocatable code object", samples.clang("sample.rel.o", device + "-mcpu=gfx942 -c", assembly)},
      {"an offload bundle", samples.make("bundle.hipfb", "--genco --gpu-bundle-output " + two)},
      {"a compressed offload bundle", samples.make("small.hipfb", "--genco --offload-compress " + two)},
      {"a text bundle", samples.make("bundle.s", "--genco -S --gpu-bundle-output " + two)},
      {"a host's object file", object},
      {"a shared library", samples.clang("libsample.so", "-shared -fPIC -x c " + host + " -x none", object)},
      {"a host program", samples.clang("sample", "-x c " + host + " -x none", object)},
  };
}

}  // namespace wavesmith::study
