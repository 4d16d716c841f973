#include "runtime/device/platform.h"

#include "runtime/device/started.h"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "gpus/chosen.h"
#include "gpus/slot.h"
#include "isa/target.h"
#include "runtime/device/visible_devices.h"
#include "runtime/launch/queue.h"
#include "runtime/observe/check.h"
#include "runtime/observe/host_access.h"

namespace wavesmith::runtime {
namespace {

std::string environment(const char* name, const char* otherwise = "") {
  const char* const value = std::getenv(name);
  return value && *value ? value : otherwise;
}

/// A number from the environment. Anything else is said and ignored: a typo must not stop a program.
template <class T>
T number(const char* name, T otherwise) {
  const std::string text = environment(name);
  if (text.empty()) return otherwise;
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  report(Error{ErrorKind::BadInput, fmt::format("{}='{}' is no number and is ignored", name, text)});
  return otherwise;
}

/// Source: ROCm 7's clr, flags.hpp: HIP_SKIP_ABORT_ON_GPU_ERROR is 1 unless it is set, and calls then answer
/// the error; with 0, and in ROCm 6, the process is aborted.
Platform::FaultAction on_fault() {
  const std::string wanted = environment("WAVESMITH_FAULT");
  if (wanted == "error") return Platform::FaultAction::Error;
  if (wanted == "abort") return Platform::FaultAction::Abort;
  if (!wanted.empty())
    report(Error{ErrorKind::BadInput,
                 fmt::format("WAVESMITH_FAULT='{}' is neither 'error' nor 'abort' and is ignored", wanted)});
  return number("HIP_SKIP_ABORT_ON_GPU_ERROR", 1U) == 0 ? Platform::FaultAction::Abort
                                                        : Platform::FaultAction::End;
}

/// The numbers of the machine's GPUs that this process sees.
/// Sources: ROCr hides GPUs by ROCR_VISIBLE_DEVICES, and of those left HIP (clr, rocdevice.cpp) by
/// HIP_VISIBLE_DEVICES or else CUDA_VISIBLE_DEVICES.
Result<std::vector<int>> visible_gpus(const std::vector<const gpus::Gpu*>& machine) {
  std::vector<int> numbers(machine.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  for (const char* name :
       {"ROCR_VISIBLE_DEVICES",
        environment("HIP_VISIBLE_DEVICES").empty() ? "CUDA_VISIBLE_DEVICES" : "HIP_VISIBLE_DEVICES"}) {
    const std::string list = environment(name);
    if (list.empty()) continue;
    std::vector<std::string> uuids;
    for (const int i : numbers)
      uuids.push_back(fmt::format("GPU-{:016x}", gpus::unique_id(*machine[static_cast<size_t>(i)], i)));
    std::vector<int> left;
    for (const int i : visible_devices(list, uuids)) left.push_back(numbers[static_cast<size_t>(i)]);
    if (left.empty())
      return fail(ErrorKind::BadInput,
                  fmt::format("no GPU is visible: {}='{}' names none of {}", name, list, numbers.size()));
    numbers = std::move(left);
  }
  return numbers;
}

Result<std::unique_ptr<Platform>> create() {
  auto platform = std::make_unique<Platform>();
  const auto machine = gpus::chosen_machine();
  if (!machine) return tl::unexpected(machine.error());
  const auto visible = visible_gpus(*machine);
  if (!visible) return tl::unexpected(visible.error());
  auto memory = emulate::Memory::create(0);
  if (!memory) return tl::unexpected(memory.error());
  platform->memory = *memory;
  platform->memory->guard_allocations(environment("WAVESMITH_GUARD", "1") != "0");
  platform->memory->quarantine(checks_memory());
  platform->on_fault = on_fault();
  // Source: ROCm's clr, rocclr/utils/flags.hpp: bit 0 waits before a kernel is enqueued, bit 1 after, and
  // HIP_LAUNCH_BLOCKING=1 is bit 1.
  const unsigned serialize =
      number("AMD_SERIALIZE_KERNEL", 0U) | (number("HIP_LAUNCH_BLOCKING", 0U) != 0 ? 2U : 0U);
  platform->wait_before_kernels = serialize & 1;
  platform->wait_after_kernels = serialize & 2;
  platform->limits.threads = number("WAVESMITH_THREADS", 0);
  platform->limits.instructions = number<uint64_t>("WAVESMITH_MAX_INSTRUCTIONS", 0);
  platform->limits.seconds = number("WAVESMITH_TIMEOUT", 0.0);
  platform->order = number<uint64_t>("WAVESMITH_ORDER", 0);
  platform->interleave = number("WAVESMITH_INTERLEAVE", 0U);
  // Source: ROCm's clr, rocclr/utils/flags.hpp: MiB.
  platform->hidden_bytes = uint64_t{number("HIP_HIDDEN_FREE_MEM", 0U)} << 20;
  platform->report_path = environment("WAVESMITH_REPORT");
  const bool xnack = environment("HSA_XNACK", "0") == "1";
  for (const int number : *visible) {
    const gpus::Gpu* const gpu = (*machine)[static_cast<size_t>(number)];
    auto target = object::TargetId::parse(gpu->arch_name);
    if (!target) return tl::unexpected(target.error());
    // A GPU whose arch name has no xnack setting has no such feature.
    if (xnack && target->xnack != object::Setting::Any) target->xnack = object::Setting::On;
    platform->own_xnack |= gpu->is_apu || target->xnack == object::Setting::On;
    const isa::Target* const isa = isa::find_target(gpu->target);
    if (!isa)
      return fail(ErrorKind::Unsupported,
                  fmt::format("GPU '{}' is a {}, which is not emulated", gpu->id, gpu->target));
    auto device = std::make_unique<Device>(static_cast<int>(platform->devices.size()), number, *gpu,
                                           std::move(*target), *isa);
    auto queue = create_queue(*platform->memory);
    if (!queue) return tl::unexpected(queue.error());
    device->queue = *queue;
    platform->devices.push_back(std::move(device));
  }
  platform->machine = *machine;
  platform->show_host_memory(false);
  return platform;
}

}  // namespace

namespace {
std::atomic<bool> is_started{false};
}
bool started() { return is_started.load(); }

Platform* Platform::get() {
  // Never destroyed: programs call into the library while they exit.
  static Platform* const platform = []() -> Platform* {
    auto made = create();
    is_started = true;
    if (made) return made->release();
    report(made.error());
    return nullptr;
  }();
  return platform;
}

int& Platform::current_ordinal() {
  thread_local int ordinal = 0;
  return ordinal;
}

void Platform::show_host_memory(bool all) {
  xnack = all || own_xnack;
  memory->show_host(xnack);
}

hipError_t Platform::no_device(int ordinal) const {
  if (ordinal >= 0 && ordinal < 64)
    report_once(
        fmt::format("device {} does not exist, this process has {}: wavesmith run --gpu {}:{} gives more",
                    ordinal, devices.size(), devices.front()->gpu.id, ordinal + 1));
  return hipErrorInvalidDevice;
}

Result<void*> Platform::allocate(Device& device, size_t size, Allocation::Kind kind, unsigned flags,
                                 bool hidden) {
  const bool counts = kind == Allocation::Kind::Device || kind == Allocation::Kind::Managed;
  if (counts &&
      (size > device.gpu.memory_bytes || allocations.used(device.ordinal) > device.gpu.memory_bytes - size))
    return fail(ErrorKind::OutOfMemory,
                fmt::format("{} bytes asked for; {} of {} are in use", size, allocations.used(device.ordinal),
                            device.gpu.memory_bytes));
  emulate::Use use{.kind = static_cast<uint32_t>(kind), .flags = flags, .device = device.ordinal};
  if (hidden) use.kind = kRuntimesOwn.kind;
  const auto pointer = memory->allocate(size, use);
  if (!pointer) return pointer;
  allocations.insert({reinterpret_cast<uint64_t>(*pointer), size, kind, device.ordinal, flags});
  if (kind != Allocation::Kind::Code) tell_allocated(*pointer, size);
  // The host reaches it without a call.
  if (kind != Allocation::Kind::Device) tell_written(*pointer, size);
  return pointer;
}

Result<void> Platform::release(void* pointer) {
  const auto allocation = allocations.erase(pointer);
  if (!allocation) return fail(ErrorKind::BadInput, "free of a pointer that is not allocated");
  tell_released(pointer, allocation->size);
  return memory->release(pointer);
}

namespace {

/// The default streams of one thread, one per device; dissolved when the thread ends.
struct ThreadStreams {
  std::unordered_map<int, std::shared_ptr<Stream>> of_device;
  ~ThreadStreams() {
    for (const auto& [ordinal, stream] : of_device) {
      stream->wait_all();
      stream->device.remove_stream(*stream);
    }
  }
};

}  // namespace

std::shared_ptr<Stream> Platform::per_thread_stream() {
  thread_local ThreadStreams streams;
  std::shared_ptr<Stream>& stream = streams.of_device[current_ordinal()];
  if (!stream) stream = current().create_stream(Stream::Kind::PerThread, 0, 0);
  return stream;
}

std::shared_ptr<Stream> Platform::stream(hipStream_t handle) {
  if (handle == nullptr || handle == hipStreamLegacy) return current().null_stream();
  if (handle == hipStreamPerThread) return per_thread_stream();
  const auto* const wanted = reinterpret_cast<Stream*>(handle);
  for (const auto& device : devices)
    if (auto found = device->find_stream(wanted)) return found;
  return {};
}

}  // namespace wavesmith::runtime
