#include "timing/memory/parameters.h"

#include <algorithm>
#include <cmath>

namespace wavesmith::timing {
namespace {

/// Bytes a clock from 10^9 bytes per second.
double bytes_per_clock(double gigabytes_per_second, double mhz) { return gigabytes_per_second * 1e3 / mhz; }

}  // namespace

MemoryParameters memory_parameters(const gpus::Gpu& gpu) {
  MemoryParameters p;
  p.mhz = gpu.engine_mhz;
  p.xcds = gpu.xcds;
  p.units = gpu.compute_units;
  p.line = gpu.l1_line_bytes;
  p.l1_bytes = gpu.l1_vector_bytes;
  p.scalar_bytes = gpu.l1_scalar_bytes;
  p.l2_bytes = gpu.l2_bytes;
  p.infinity_cache_bytes = gpu.infinity_cache_bytes;

  const auto known = [&p](const auto& value, double otherwise, const char* name) {
    if (value) return static_cast<double>(*value);
    p.assumed.emplace_back(name);
    return otherwise;
  };
  // What lies behind the L2 keeps its own time: its latency in clocks grows with the engine's.
  const double clocks = p.mhz / 2100;
  p.l1_latency = known(gpu.l1_cycles, 120, "latency.l1_cycles");
  p.l2_latency = known(gpu.l2_cycles, 213, "latency.l2_cycles");
  p.infinity_cache_latency =
      p.infinity_cache_bytes ? known(gpu.infinity_cache_cycles, 456 * clocks, "latency.infinity_cache_cycles")
                             : 0;
  p.memory_latency = known(gpu.memory_cycles, 810 * clocks, "latency.memory_cycles");
  p.store_latency = known(gpu.store_cycles, 320, "pace.store_cycles");
  p.scalar_latency = known(gpu.scalar_cycles, 100, "pace.scalar_cycles");

  p.l1_rate = known(gpu.l1_bytes_per_clock, 64, "pace.l1_bytes_per_clock");
  // What a unit gets from the L2 when all only miss their L1; its way is 64 bytes wide (CDNA 3 white paper).
  const double unit_sustained = bytes_per_clock(known(gpu.sustained_l2, gpu.compute_units * 43 * p.mhz * 1e-3,
                                                      "sustained.l2_gigabytes_per_second"),
                                                p.mhz) /
                                gpu.compute_units;
  p.unit_rate = gpu.l2_bytes_per_clock_per_unit.value_or(std::min(64.0, unit_sustained));
  // What it gets from a level tells how many lines it waits for at once, at the least.
  const double unit_reads = bytes_per_clock(gpu.sustained_read.value_or(0), p.mhz) / gpu.compute_units;
  p.misses = gpu.l1_misses.value_or(
      static_cast<uint32_t>(std::max({1.0, std::round(unit_sustained * p.l2_latency / p.line),
                                      std::round(unit_reads * p.memory_latency / p.line)})));
  // A line has its place in CDNA's L1 from when it is asked for or stored, so there are as many as the cache
  // has lines. Source: thread traces of an MI350X (jhinpan/flydsl-kernel-profiling-lib). When a load stalls
  // for more than 100 cycles, its unit waits for 299 (softmax) to 384 lines (moe_reduce) at the median, those
  // of accesses in front of the L1 and those that wait for their s_waitcnt among them. Without stores the
  // medians are 122 to 344, so stores have places too.
  if (!gpu.is_rdna()) p.in_order_lines = static_cast<uint32_t>(p.l1_bytes / p.line);
  p.l2_rate = known(gpu.l2_channels, 16, "cache.l2_channels") *
              known(gpu.l2_bytes_per_clock_per_channel, 64, "cache.l2_bytes_per_clock_per_channel");
  // RDNA has one die with all of the L2, where CDNA3's dies have 16 channels each. An RX 6900 XT's 4 MiB give
  // 4400 GB/s at 2250 MHz (RRZE-HPC gpu-benches, gpu-l2-cache); others in proportion to their size.
  if (gpu.is_rdna() && !gpu.l2_channels)
    p.l2_rate = bytes_per_clock(4400, 2250) * static_cast<double>(p.l2_bytes) / (4 << 20);
  const std::optional<double> stream =
      gpu.stream_gigabytes_per_second ? gpu.stream_gigabytes_per_second : gpu.sustained_memory;
  p.memory_rate = bytes_per_clock(
      known(stream, gpu.memory_gigabytes_per_second * 0.65, "sustained.memory_gigabytes_per_second"), p.mhz);
  // A kernel that only reads gets more than a copy, whose half are reads; writes get what that leaves them.
  p.memory_read_rate = p.memory_write_rate = p.memory_rate;
  if (!gpu.stream_gigabytes_per_second && gpu.sustained_read) {
    p.memory_read_rate = std::max(p.memory_rate, bytes_per_clock(*gpu.sustained_read, p.mhz));
    p.memory_write_rate = 1 / (2 / p.memory_rate - 1 / p.memory_read_rate);
  }
  // Never slower than the memory behind it: 0.8 of its peak on an MI300A, 2.9 on an RX 6900 XT (RRZE-HPC
  // gpu-benches).
  const double behind = p.memory_rate * p.mhz * 1e-3,
               usual = gpu.memory_gigabytes_per_second * (gpu.is_rdna() ? 2.9 : 0.8);
  p.infinity_cache_rate = p.infinity_cache_bytes
                              ? bytes_per_clock(known(gpu.sustained_infinity_cache, std::max(behind, usual),
                                                      "sustained.infinity_cache_gigabytes_per_second"),
                                                p.mhz)
                              : p.memory_rate;

  // Source: LLVM, User Guide for AMDGPU Backend, memory models: a release at the agent's scope writes the L2
  // back on gfx942 (buffer_wbl2 sc1), of whose L2s each die has one, and not on gfx90a. Where 64 kB to 9 MB
  // are read and written by one kernel behind the other, an MI210 takes no longer than it does to start their
  // waves (RRZE-HPC gpu-benches, gpu-small-kernels).
  if (p.xcds > 1)
    p.write_back_rate =
        p.infinity_cache_bytes
            ? bytes_per_clock(known(gpu.sustained_infinity_cache_write, p.memory_write_rate * p.mhz * 1e-3,
                                    "sustained.infinity_cache_write_gigabytes_per_second"),
                              p.mhz)
            : p.memory_write_rate;

  // Assumed where no data file says it, of RDNA: a shader engine starts a workgroup in 24.4 clocks, as was
  // once read off an MI300A's programs. An RX 6900 XT takes less: 0.8 clocks at 2250 MHz from one workgroup
  // of 32 to the next, and 0.3 a wave, at most (RRZE-HPC gpu-benches, gpu-small-kernels, 1.6 to 4.3 MB).
  const double engines = std::max(1.0, static_cast<double>(gpu.shader_engines) / std::max(1u, gpu.xcds));
  p.workgroup_clocks = known(gpu.workgroup_clocks, 24.4 / engines, "launch.workgroup_clocks");
  p.wave_clocks = known(gpu.wave_clocks, 1, "launch.wave_clocks");

  // A page-table entry is 8 bytes and maps 4 KiB; 64 bytes are fetched at a time.
  // Source: Linux, drivers/gpu/drm/amd/amdgpu/amdgpu_vm.c: entries of 8 bytes, pages of 4 KiB.
  constexpr double kEntry = 8, kPage = 4096;
  p.page_bytes = 64 / kEntry * kPage;
  p.translated_bytes = static_cast<double>(p.l2_bytes) / kEntry * kPage;
  p.walk_rate = known(gpu.walks_per_microsecond, 1500, "pace.walks_per_microsecond") / p.mhz;
  p.walk_latency = p.memory_latency;
  return p;
}

}  // namespace wavesmith::timing
