// The compiler's own occupancy, for tests: llc says what it computed for kernels that clobber given
// registers, want LDS, and allow a range of workgroup sizes.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "base/scratch.h"
#include "gpus/occupancy.h"

namespace wavesmith::gpus {

/// What a kernel asks for.
struct Case {
  uint32_t vgprs, agprs, sgprs, lds, workgroup;
  bool exactly;  ///< workgroups of that size, not of up to that size
};

/// As many as asked for, each small enough for one workgroup to fit, which the compiler promises.
inline std::vector<Case> random_cases(std::mt19937& random, const Gpu& gpu, uint32_t wave, size_t count) {
  const auto pick = [&](std::initializer_list<uint32_t> values) {
    return values.begin()[random() % values.size()];
  };
  std::vector<Case> cases;
  while (cases.size() < count) {
    const Case c{1 + static_cast<uint32_t>(random() % 256),
                 gpu.unified_accumulation ? pick({0, 0, 1, 32, 100, 256}) : 0,
                 pick({10, 16, 40, 80, 88, 94, 96}),
                 pick({0, 0, 100, 1024, 5000, 8192, 12000, 16384, 20000, 32768, 65536}),
                 pick({32, 64, 128, 192, 256, 512, 768, 1000, 1024}),
                 random() % 2 == 0};
    const KernelResources fits{c.agprs ? (c.vgprs + 3) / 4 * 4 + c.agprs : c.vgprs, 104, c.lds, c.workgroup,
                               wave};
    if (occupancy(gpu, fits).workgroups > 0) cases.push_back(c);
  }
  return cases;
}

/// LLVM IR of a kernel k0, k1, ... for each.
inline std::string kernels_of(const std::vector<Case>& cases, const Gpu& gpu, uint32_t wave) {
  std::string text = "target triple = \"amdgcn-amd-amdhsa\"\n";
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    std::string clobbers = fmt::format("~{{v{}}},~{{s{}}}", c.vgprs - 1, c.sgprs - 1);
    if (c.agprs) clobbers += fmt::format(",~{{a{}}}", c.agprs - 1);
    if (c.lds)
      text += fmt::format("@l{} = internal addrspace(3) global [{} x i8] poison, align 4\n", i, c.lds);
    text += fmt::format(
        "define amdgpu_kernel void @k{}() \"amdgpu-flat-work-group-size\"=\"{},{}\"{}{} {{\n", i,
        c.exactly ? c.workgroup : 1, c.workgroup,
        gpu.wave_sizes.size() > 1 && wave == 64 ? " \"target-features\"=\"+wavefrontsize64\"" : "",
        c.exactly ? fmt::format(" !reqd_work_group_size !{{i32 {}, i32 1, i32 1}}", c.workgroup) : "");
    text += fmt::format("  call void asm sideeffect \"\", \"{}\"()\n", clobbers);
    if (c.lds) text += fmt::format("  store volatile i8 0, ptr addrspace(3) @l{}\n", i);
    text += "  ret void\n}\n";
  }
  return text;
}

/// What the compiler printed for a kernel.
struct Compiled {
  uint32_t sgprs = 0, vgprs = 0, occupancy = 0;
};

/// What it says of each kernel, none where it failed, and their code object, empty unless it is asked for.
struct Compilation {
  std::vector<Compiled> said;
  std::vector<uint8_t> object;
};
inline Compilation compile(const std::vector<Case>& cases, const Gpu& gpu, uint32_t wave, bool with_object) {
  const Scratch scratch("waves");
  const std::string base = scratch / "kernels";
  std::ofstream(base + ".ll") << kernels_of(cases, gpu, wave);
  const std::string options = fmt::format("-O1 -mcpu={} {}.ll 2>/dev/null", gpu.target, base);
  std::string command = fmt::format("llc-22 -o {}.s {}", base, options);
  if (with_object)
    command += fmt::format(" && llc-22 -filetype=obj -o {0}.o {1} && ld.lld-22 -shared {0}.o -o {0}.co", base,
                           options);
  Compilation compilation;
  if (std::system(command.c_str()) == 0) {
    std::ifstream output(base + ".s");
    Compiled one;
    for (std::string line; std::getline(output, line);) {
      std::sscanf(line.c_str(), "; NumSGPRsForWavesPerEU: %u", &one.sgprs);
      if (std::sscanf(line.c_str(), "; TotalNumVgprs: %u", &one.vgprs) != 1)
        std::sscanf(line.c_str(), "; NumVgprs: %u", &one.vgprs);
      if (std::sscanf(line.c_str(), "; Occupancy: %u", &one.occupancy) == 1) compilation.said.push_back(one);
    }
    std::ifstream object(base + ".co", std::ios::binary);
    compilation.object.assign(std::istreambuf_iterator<char>(object), {});
  }
  return compilation;
}

}  // namespace wavesmith::gpus
