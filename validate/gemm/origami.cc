#include "validate/gemm/origami.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/scratch.h"
#include "toolchain/process.h"
#include "validate/report.h"

namespace wavesmith::validate {
namespace {

// Reads rows from one file and writes a number or "-" a line to another. A tile that Origami refuses is "-".
constexpr const char* kScript = R"(
import sys, origami as o
hardware, out = {}, open(sys.argv[2], "w")
for line in open(sys.argv[1]):
    w = line.split()
    try:
        key = tuple(w[:5])
        if key not in hardware:
            hardware[key] = o.get_hardware_for_arch(getattr(o.architecture_t, w[0]), int(w[1]), int(w[2]), int(w[3]), int(w[4]))
        p = o.problem_t()
        p.size = o.dim3_t(int(w[5]), int(w[6]), int(w[7]))
        p.batch = int(w[8])
        p.a_transpose = o.transpose_t.T if w[9] == "1" else o.transpose_t.N
        p.b_transpose = o.transpose_t.T if w[10] == "1" else o.transpose_t.N
        p.a_dtype = p.b_dtype = o.string_to_datatype(w[11])
        p.c_dtype = p.d_dtype = o.string_to_datatype(w[12])
        p.mi_dtype = o.string_to_datatype(w[13])
        c = o.config_t()
        c.mt = o.dim3_t(int(w[14]), int(w[15]), int(w[16]))
        c.mi = o.dim3_t(int(w[17]), int(w[18]), int(w[19]))
        c.occupancy = int(w[20])
        c.workgroup_mapping = int(w[21])
        latency = o.compute_total_latency(p, hardware[key], c, int(w[1]))
        out.write("%r\n" % latency if 0 < latency < 1e15 else "-\n")
    except Exception:
        out.write("-\n")
)";

/// The full-rate matrix instruction when the kernel's is unknown.
std::string instruction(const gpus::Gpu& gpu, const model::GemmProblem& problem,
                        const model::GemmKernel& kernel) {
  const uint32_t side = kernel.matrix_m != 0 ? kernel.matrix_m : 16;
  uint32_t k = kernel.matrix_k;
  if (k == 0) {
    const double bits = model::bits_of(model::gemm_type(problem));
    k = static_cast<uint32_t>((gpu.matrix_f4 != 0 ? 512 : 256) * 16 / bits / side);
  }
  return fmt::format("{} {} {}", side, side, std::max(k, 1u));
}

}  // namespace

std::string origami_python() {
  const char* const chosen = std::getenv("WAVESMITH_ORIGAMI_PYTHON");
  return chosen != nullptr && *chosen != 0 ? chosen : "python3";
}

std::vector<double> origami_seconds(std::span<const GemmRow* const> rows) {
  std::vector<double> seconds(rows.size(), kNone);
  const std::string python = toolchain::find_program({origami_python()});
  if (python.empty() || rows.empty()) return seconds;
  const Result<toolchain::Outcome> there =
      toolchain::run({python, "-c", "import origami; origami.problem_t"}, true);
  if (!there || there->code != 0) return seconds;

  const Scratch scratch("origami");
  if (!scratch.made()) return seconds;
  const std::string asked = scratch / "asked", told = scratch / "told";
  std::vector<double> hertz;
  {
    std::ofstream file(asked);
    for (const GemmRow* row : rows) {
      const gpus::Gpu& gpu = **gpus::find_gpu(row->chip);
      const model::GemmProblem& p = row->problem;
      const double mhz = row->conditions.clock_mhz.value_or(gpu.engine_mhz);
      hertz.push_back(mhz * 1e6);
      // It has no fixed split of K: rows with one are not asked.
      if (!row->kernel || row->kernel->vector || row->kernel->split_k > 1) {
        file << "-\n";
        continue;
      }
      const model::GemmKernel& kernel = *row->kernel;
      file << fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}\n", gpu.target,
                          gpu.compute_units, gpu.lds_bytes, gpu.l2_bytes, static_cast<int>(mhz * 1000), p.m,
                          p.n, p.k, p.batch, p.a_transposed ? 1 : 0, p.b_transposed ? 1 : 0,
                          model::name_of(p.a), model::name_of(p.c), model::name_of(model::gemm_type(p)),
                          kernel.tile_m, kernel.tile_n, kernel.tile_k != 0 ? kernel.tile_k : 64,
                          instruction(gpu, p, kernel), 1, std::max(1, std::abs(kernel.group_m)));
    }
  }
  if (const Result<toolchain::Outcome> done = toolchain::run({python, "-c", kScript, asked, told}, true);
      done && done->code == 0) {
    std::ifstream file(told);
    std::string line;
    for (size_t i = 0; i < seconds.size() && std::getline(file, line); ++i)
      if (const std::optional<double> cycles = number<double>(line)) seconds[i] = *cycles / hertz[i];
  }
  return seconds;
}

}  // namespace wavesmith::validate
