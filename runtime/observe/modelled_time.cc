#include "runtime/observe/modelled_time.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/hash.h"
#include "gpus/links.h"
#include "isa/control/row.h"
#include "isa/llvm/decoder.h"
#include "model/library/collectives.h"

namespace wavesmith::runtime {
namespace {

constexpr double kMicro = 1e-6;

bool on_device(const std::optional<Allocation>& allocation) { return allocation && !allocation->on_host(); }

/// Of the GPU in the machine whose memory it is.
int number_of(Platform& platform, const Allocation& allocation) {
  return allocation.number >= 0 ? allocation.number : platform.device(allocation.device)->number;
}

/// A hash of what a launch is: the kernel, its grid and the arguments that the program passes.
uint64_t key_of(const emulate::Dispatch& dispatch) {
  Hash hash;
  hash.add_value(dispatch.entry).add_value(dispatch.grid).add_value(dispatch.workgroup);
  hash.add_value(dispatch.dynamic_lds);
  for (const object::Argument& argument : dispatch.kernel->arguments)
    if (!argument.hidden())
      hash.add({static_cast<const uint8_t*>(dispatch.kernarg) + argument.offset, argument.size});
  return hash.value() | 1;
}

const char* bound_of(const timing::GridTime& time, const timing::MemoryParameters& p) {
  // A path that is busy less than half of the time does not limit a kernel: waiting for it does.
  constexpr double kBusy = 0.5;
  const double clocks = time.seconds * p.mhz * 1e6;
  const double lines = time.counts.infinity_cache_hits + time.counts.memory_lines;
  const double cached = lines > 0 ? time.counts.infinity_cache_hits / lines : 0;
  const double moved = time.footprint * (cached / p.infinity_cache_rate + (1 - cached) / p.memory_rate);
  const double memory = clocks > 0 ? moved / clocks : 0;
  const std::pair<double, const char*> shares[] = {{time.compute, "compute"},
                                                   {time.address, "address"},
                                                   {time.lds, "lds"},
                                                   {memory, "memory"},
                                                   {time.far, "links"}};
  const auto& [share, name] = *std::ranges::max_element(shares);
  return share >= kBusy ? name : "latency";
}

/// Where WAVESMITH_TIME_LOG wants a line per launch.
std::FILE* log_file() {
  static std::FILE* const file = [] {
    const char* const path = std::getenv("WAVESMITH_TIME_LOG");
    return path && *path ? std::fopen(path, "a") : nullptr;
  }();
  return file;
}

}  // namespace

void log_modelled(const std::string& what, double seconds, const char* how) {
  std::FILE* const file = log_file();
  if (!file) return;
  std::fprintf(file, "%s us=%.3f %s\n", what.c_str(), seconds * 1e6, how);
  std::fflush(file);
}

std::vector<timing::Region> allocated_regions() {
  std::vector<timing::Region> all;
  for (const Allocation& one : Platform::get()->allocations.all())
    if (one.kind != Allocation::Kind::Code) all.push_back({one.begin, one.size});
  std::ranges::sort(all, {}, &timing::Region::begin);
  return all;
}

TimeMode time_mode() {
  static const TimeMode mode = [] {
    const char* const value = std::getenv("WAVESMITH_TIME");
    const std::string_view text = value ? value : "";
    return text.empty() || text == "0" ? TimeMode::Host
           : text == "sampled"         ? TimeMode::Sampled
                                       : TimeMode::Modelled;
  }();
  return mode;
}

double& host_time() {
  thread_local double seconds = 0;
  return seconds;
}

ModelledDevice::ModelledDevice(const gpus::Gpu& gpu, int number)
    : gpu_(gpu),
      number_(number),
      model_(gpu),
      call_(gpu.launch_us.value_or(2.5) * kMicro),
      first_wave_(gpu.first_wave_us.value_or(0.5) * kMicro),
      gap_(gpu.kernel_gap_us.value_or(1.2) * kMicro),
      event_(gpu.event_us.value_or(1.0) * kMicro) {
  // Of each grid little memory is touched, here and there: pages of 2 MiB would all be filled with zeros.
  if (time_mode() == TimeMode::Sampled) prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

const timing::FarPath* ModelledDevice::path_to(int number) {
  const std::scoped_lock lock(paths_mutex_);
  const auto [known, added] = paths_.try_emplace(number);
  if (added) {
    const gpus::Route route = number == kHost
                                  ? gpus::Route{.kind = gpus::Route::Kind::Pcie,
                                                .hops = 1,
                                                .gigabytes_per_second = gpu_.pcie_gigabytes_per_second}
                                  : gpus::route_between(Platform::get()->machine, number_, number);
    const model::RoutePerformance performance = model::performance_of(gpu_, route);
    const double clocks = model_.parameters().mhz * 1e6;
    known->second = {performance.bytes_per_second / clocks, performance.seconds * clocks};
  }
  return known->second.rate > 0 ? &known->second : nullptr;
}

std::vector<timing::Region> ModelledDevice::regions() {
  Platform& platform = *Platform::get();
  const auto gpus = static_cast<int>(platform.machine.size());
  std::vector<timing::Region> all;
  for (const Allocation& one : platform.allocations.all()) {
    if (one.kind == Allocation::Kind::Code) continue;
    timing::Region region{one.begin, one.size};
    const int number = number_of(platform, one);
    if (one.on_host()) {
      if (!gpu_.is_apu) region.path = path_to(kHost);
    } else if (number != number_) {
      region.path = path_to(number);
    } else if (gpus > 1 && one.flags & (hipDeviceMallocFinegrained | hipDeviceMallocUncached)) {
      region.writer = path_to((number_ + 1) % gpus);
    }
    all.push_back(region);
  }
  std::ranges::sort(all, {}, &timing::Region::begin);
  return all;
}

/// Whether the kernel's own code has an instruction that reads a clock.
bool ModelledDevice::reads_clock(const emulate::Dispatch& dispatch, uint64_t code_bytes) {
  const std::scoped_lock lock(mutex_);
  const auto [known, added] = reads_clock_.try_emplace(dispatch.entry, false);
  if (!added) return known->second;
  const std::span<const uint8_t> code = dispatch.program->code();
  const auto begin = reinterpret_cast<uint64_t>(code.data());
  auto decoder = isa::Decoder::create(dispatch.program->target(), dispatch.program->wave_lanes());
  if (!decoder || dispatch.entry < begin || dispatch.entry >= begin + code.size()) return false;
  const uint64_t end = std::min(begin + code.size(), dispatch.entry + code_bytes);
  for (uint64_t pc = dispatch.entry; pc < end;) {
    const auto instruction = decoder->decode(code.subspan(pc - begin), pc);
    if (!instruction || instruction->size == 0) break;
    pc += instruction->size;
    switch (isa::operation_of(instruction->mnemonic)) {
      case isa::Operation::CoreTime:
      case isa::Operation::RealTime:
      case isa::Operation::MessageReturn:
        return known->second = true;
      case isa::Operation::GetRegister:
        if (instruction->operands.size() > 1 &&
            instruction->operands[1].name.find("CYCLES") != std::string::npos)
          return known->second = true;
        break;
      default:
        break;
    }
  }
  return false;
}

std::unique_ptr<timing::GridLaunch> ModelledDevice::listen(emulate::Dispatch& dispatch, const Stream& stream,
                                                           uint64_t code_bytes, uint32_t waves,
                                                           uint32_t resident, std::vector<uint64_t>& only) {
  timing::LaunchShape shape;
  shape.groups = workgroups_of(dispatch.grid, dispatch.workgroup);
  shape.waves = waves;
  shape.resident = std::max(1u, resident);
  auto launch = model_.launch(shape);
  if (time_mode() == TimeMode::Sampled && !dispatch.grid_barrier) {
    only = launch->recorded();
    dispatch.only = &only;
  }
  const bool clock = reads_clock(dispatch, code_bytes);
  if (clock) {
    const double begins = std::max(stream.asked() + first_wave_, stream.before() + gap_);
    launch->tell_time(static_cast<uint64_t>(begins * dispatch.shader_mhz * 1e6));
  }
  const std::vector<timing::Region> all = regions();
  const std::scoped_lock lock(mutex_);
  const bool repeats = !clock && model_.repeats(*launch, key_of(dispatch), all);
  std::vector<timing::FarRegion> far;
  for (const timing::Region& one : all)
    if (one.path || one.writer) far.push_back({one.begin, one.begin + one.bytes, one.path, one.writer});
  // Where nothing but the host's memory is far, all workgroups take the same path.
  const timing::FarPath* const host = gpu_.is_apu ? nullptr : path_to(kHost);
  const bool peers = std::ranges::any_of(far, [&](const auto& one) { return one.path && one.path != host; });
  const auto known = stays_.find(dispatch.entry);
  launch->hear_far(std::move(far), peers && !dispatch.only && (known == stays_.end() || !known->second));
  if (!repeats) dispatch.listeners.push_back(launch.get());
  return launch;
}

GridSeconds ModelledDevice::finish(timing::GridLaunch& launch, const emulate::Dispatch& dispatch,
                                   uint64_t stream, uint64_t instructions,
                                   const std::optional<KernelTime>& otherwise) {
  const std::vector<timing::Region> all = regions();
  const std::scoped_lock lock(mutex_);
  if (std::ranges::find(dispatch.listeners, &launch) != dispatch.listeners.end())
    stays_[dispatch.entry] = !launch.went_far();
  timing::GridTime time = model_.finish(launch, all, instructions);
  if (otherwise) time.seconds = otherwise->seconds, time.dirty = otherwise->dirty;
  const timing::MemoryParameters& p = model_.parameters();
  write_back_[stream] = p.write_back_rate > 0 ? time.dirty / p.write_back_rate / (p.mhz * 1e6) : 0;
  if (std::FILE* const file = log_file()) {
    const timing::MemoryCounts& c = time.counts;
    std::fprintf(
        file,
        "%s us=%.3f groups=%.0f replayed=%.0f compute=%.2f address=%.2f lds=%.2f dispatch=%.2f l1=%llu/%llu "
        "stores=%llu l2hit=%.0f ic=%.0f mem=%.0f walks=%.0f footprint=%.0f dirty=%.0f mhz=%.0f far=%.0f "
        "links=%.2f\n",
        dispatch.kernel->name.c_str(), time.seconds * 1e6, time.groups, time.replayed, time.compute,
        time.address, time.lds, time.dispatch, static_cast<unsigned long long>(c.l1_hits),
        static_cast<unsigned long long>(c.l1_misses), static_cast<unsigned long long>(c.stores), c.l2_hits,
        c.infinity_cache_hits, c.memory_lines, c.walks, time.footprint, time.dirty, time.clock.mhz,
        time.far_bytes, time.far);
    std::fflush(file);
  }
  return {time.seconds, bound_of(time, p)};
}

double ModelledDevice::start(const Stream& stream) {
  // What follows the end of the work before takes as long whether the next packet is there by then or not. On
  // an MI210 launches of small kernels take the host's time or a gap more than the kernel, whichever is
  // longer, and there is no step between the two (RRZE-HPC gpu-benches, gpu-small-kernels, 1038c5d).
  return std::max(stream.asked() + first_wave_, stream.before() + gap_ + write_back_seconds(stream.id));
}

double ModelledDevice::write_back_seconds(uint64_t stream) {
  const std::scoped_lock lock(mutex_);
  const auto found = write_back_.find(stream);
  if (found == write_back_.end()) return 0;
  const double seconds = found->second;
  write_back_.erase(found);
  return seconds;
}

/// A kernel of the runtime that streams through memory: one that copies or fills.
double ModelledDevice::stream_seconds(std::span<const timing::Region> touched, double bytes) {
  const timing::MemoryParameters& p = model_.parameters();
  double footprint = 0;
  for (const timing::Region& region : touched) footprint += static_cast<double>(region.bytes);
  const double cached = model_.kept(touched, footprint);
  for (const timing::Region& region : touched) model_.touch(region);
  const double rate = 1 / (cached / p.infinity_cache_rate + (1 - cached) / p.memory_rate);
  return (bytes / rate + 2 * p.memory_latency) / (p.mhz * 1e6);
}

double ModelledDevice::copy_seconds(const Box& box) {
  Platform& platform = *Platform::get();
  const double bytes =
      static_cast<double>(box.width) * static_cast<double>(box.height) * static_cast<double>(box.depth);
  const auto source = platform.allocations.find(box.source),
             destination = platform.allocations.find(box.destination);
  const bool from = on_device(source), to = on_device(destination);
  if (from && to)
    if (const int first = number_of(platform, *source), second = number_of(platform, *destination);
        first != second) {
      const model::RoutePerformance route =
          model::performance_of(gpu_, gpus::route_between(platform.machine, first, second));
      if (route.bytes_per_second > 0)
        return gpu_.copy_us.value_or(12) * kMicro + bytes / route.bytes_per_second;
    }
  const std::scoped_lock lock(mutex_);
  const auto size = static_cast<uint64_t>(bytes);
  if (from && to) {
    const timing::Region both[] = {{reinterpret_cast<uint64_t>(box.source), size},
                                   {reinterpret_cast<uint64_t>(box.destination), size}};
    return stream_seconds(both, 2 * bytes);
  }
  if (to) model_.touch({reinterpret_cast<uint64_t>(box.destination), size});
  const double rate = to ? gpu_.copy_to_device.value_or(50) : gpu_.copy_to_host.value_or(50);
  const bool pageable = from ? !destination : to && !source;
  const bool staged =
      pageable && box.height == 1 && box.depth == 1 && bytes <= gpu_.copy_staged_bytes.value_or(1 << 20);
  const double staging = staged ? bytes / (gpu_.copy_staging.value_or(10) * 1e9) : 0;
  return gpu_.copy_us.value_or(12) * kMicro + staging + bytes / (rate * 1e9);
}

double ModelledDevice::fill_seconds(const void* destination, size_t bytes) {
  const std::scoped_lock lock(mutex_);
  const timing::Region region[] = {{reinterpret_cast<uint64_t>(destination), bytes}};
  return stream_seconds(region, static_cast<double>(bytes));
}

}  // namespace wavesmith::runtime
