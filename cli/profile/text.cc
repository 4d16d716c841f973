#include "cli/profile/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cli/terminal.h"
#include "study/names.h"

namespace wavesmith::cli {
namespace {

using timing::KernelProfile;

/// Without the last extents of 1.
std::string extents(const Extent3& extent) {
  std::string words = std::to_string(extent[0]);
  const int last = extent[2] != 1 ? 2 : extent[1] != 1 ? 1 : 0;
  for (int i = 1; i <= last; ++i) words += " x " + std::to_string(extent[static_cast<size_t>(i)]);
  return words;
}

void print_time(const KernelProfile& kernel) {
  fmt::print("  time          {} [modelled]: {:.0f} cycles\n", time_text(kernel.seconds), kernel.cycles);
  fmt::print("  bound by      {}: {}\n", kernel.bound, kernel.bound_why);
  fmt::print("  clock         {:.0f} MHz [{}], {}\n", kernel.clock_mhz, kernel.clock_tag, kernel.clock_why);
}

void print_pipes(const KernelProfile& kernel) {
  if (kernel.matrix_flops > 0)
    fmt::print("  matrix work   {:.4g} TFLOP/s, matrix pipes {:.0f} % busy\n", kernel.matrix_tflops,
               100 * kernel.utilisation(isa::Pipe::Matrix));
  std::string pipes;
  for (const KernelProfile::PipeUse& use : kernel.pipes)
    if (use.pipe != isa::Pipe::Internal)
      pipes += fmt::format("{}{} {:.0f} %", pipes.empty() ? "" : ", ", isa::name_of(use.pipe),
                           100 * use.utilisation);
  fmt::print("  pipes busy    {}\n", pipes);
  fmt::print("  issued        {:.2f} instructions per cycle and compute unit; {} workgroup{} at a time\n",
             kernel.instructions_per_cycle, kernel.workgroups_per_unit,
             kernel.workgroups_per_unit == 1 ? "" : "s");
  std::string stalls;
  int shown = 0;
  for (const KernelProfile::Stall& stall : kernel.stalls)
    if (stall.exposed_share >= 0.005 && shown++ < 5)
      stalls +=
          fmt::format("{}{} {:.0f} %", stalls.empty() ? "" : ", ", stall.cause, 100 * stall.exposed_share);
  fmt::print("  nothing issued {:.0f} % of the SIMDs' cycles: {}\n", 100 * kernel.exposed_share, stalls);
}

void print_memory(const KernelProfile& kernel) {
  if (kernel.lds.cycles > 0)
    fmt::print("  LDS           {} cycles, {:.0f} % of them for bank conflicts\n", kernel.lds.cycles,
               100 * kernel.lds.conflict_share);
  const KernelProfile::MemoryUse& memory = kernel.memory;
  if (memory.l2_requests > 0)
    fmt::print("  memory        L1 {:.0f} % hits, L2 {:.0f} %{}\n", 100 * memory.l1_hit_rate,
               100 * memory.l2_hit_rate,
               memory.grid_bytes > 0
                   ? fmt::format("; the grid touches {}: once each is {:.0f} of {:.0f} GB/s",
                                 bytes_text(static_cast<uint64_t>(memory.grid_bytes)),
                                 memory.grid_bytes_per_second / 1e9,
                                 memory.peak_bytes_per_second / 1e9)
                   : "");  // what lies in none of the program's allocations is not known
}

/// The instructions that stalled most.
void print_stalled(const KernelProfile& kernel) {
  constexpr size_t kShown = 5;
  std::vector<const KernelProfile::Instruction*> order;
  uint64_t whole = 0;
  for (const KernelProfile::Instruction& one : kernel.instructions)
    order.push_back(&one), whole += one.latency;
  std::ranges::sort(order, {}, [](const KernelProfile::Instruction* one) {
    return std::pair(~one->stall, one);  // of equal ones the first, as it is in memory
  });
  order.resize(std::min(order.size(), kShown));
  fmt::print("  most stalled  (share of wave time, cause)\n");
  for (const KernelProfile::Instruction* const one : order)
    fmt::print("    {:>5.1f} %  {:<48.48}  {}\n",
               whole > 0 ? 100 * static_cast<double>(one->stall) / static_cast<double>(whole) : 0, one->text,
               one->main_cause());
}

/// Every stall and every instruction.
void print_all(const KernelProfile& kernel) {
  fmt::print("  stalls\n    {:<24} {:>14} {:>14} {:>14}\n", "cause", "wave-cycles", "exposed", "hidden");
  for (const KernelProfile::Stall& stall : kernel.stalls)
    fmt::print("    {:<24} {:>14.0f} {:>14.0f} {:>14.0f}\n", stall.cause, stall.wave_cycles, stall.exposed,
               stall.hidden);
  fmt::print("  instructions\n    {:>8} {:>9} {:>11} {:>11} {:>9}  {}\n", "offset", "hits", "latency",
             "stall", "idle", "instruction");
  for (const KernelProfile::Instruction& one : kernel.instructions) {
    const std::string cause = one.main_cause();
    fmt::print("    {:>#8x} {:>9} {:>11} {:>11} {:>9}  {}{}{}\n", one.offset, one.hits, one.latency,
               one.stall, one.idle, one.text, cause.empty() ? "" : "  ; " + cause,
               one.source.empty() ? "" : "  ; " + one.source);
  }
}

void print_kernel(const KernelProfile& kernel, bool verbose) {
  fmt::print("{}\n", study::readable(kernel.name));
  const std::string grid = extents(kernel.grid);
  fmt::print("  {} workgroup{} of {} work-items, {} launch{}\n", grid, grid == "1" ? "" : "s",
             extents(kernel.block), kernel.launches, kernel.launches == 1 ? "" : "es");
  fmt::print("  sampled       {}\n", kernel.sample);
  if (!kernel.has_time()) {
    fmt::print("  no time       {}\n", kernel.refused);
    return;
  }
  print_time(kernel);
  print_pipes(kernel);
  print_memory(kernel);
  for (const std::string& note : kernel.notes) fmt::print("  note          {}\n", note);
  verbose ? print_all(kernel) : print_stalled(kernel);
}

}  // namespace

void print_profile(const timing::ProgramProfile& profile, const ProfileText& how) {
  constexpr size_t kNamed = 4;  // in a line each, after those that are shown
  const auto kernels = profile.costliest_first();
  const size_t shown = how.verbose || how.all ? kernels.size() : 1;
  for (size_t i = 0; i < kernels.size() && i < shown; ++i) print_kernel(*kernels[i], how.verbose);
  for (size_t i = shown; i < std::min(kernels.size(), shown + kNamed); ++i)
    fmt::print("then {} x {}: {}\n", study::readable(kernels[i]->name), kernels[i]->launches,
               kernels[i]->has_time() ? time_text(kernels[i]->seconds) : "no time");
  if (kernels.size() > shown + kNamed)
    fmt::print("... and {} more; --all shows each\n", kernels.size() - shown - kNamed);
}

}  // namespace wavesmith::cli
