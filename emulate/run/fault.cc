#include "emulate/run/fault.h"

#include <bit>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

#if defined(__x86_64__)
#include <ucontext.h>
#endif

#include <fmt/format.h>

#include "emulate/engine/handlers.h"
#include "emulate/memory/memory.h"
#include "emulate/run/dispatch.h"
#include "emulate/run/workgroup.h"

namespace wavesmith::emulate {
namespace {

/// What the signal handler needs of the slice that runs on this thread.
struct Slice {
  sigjmp_buf back;
  uint64_t address = 0;
  bool knows_write = false, write = false;
};
thread_local Slice* current = nullptr;

struct sigaction former[2];  // of SIGSEGV and SIGBUS

void on_fault(int signal, siginfo_t* information, void* context) {
  Slice* const slice = current;
  if (slice && information->si_code > 0) {
    slice->address = reinterpret_cast<uint64_t>(information->si_addr);
#if defined(__x86_64__)
    slice->knows_write = true;
    slice->write = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] &
                   2;  // Intel SDM: page-fault error code
#endif
    siglongjmp(slice->back, 1);
  }
  const struct sigaction& other = former[signal == SIGBUS];
  if (other.sa_flags & SA_SIGINFO) {
    other.sa_sigaction(signal, information, context);
  } else if (other.sa_handler != SIG_DFL && other.sa_handler != SIG_IGN) {
    other.sa_handler(signal);
  } else {
    sigaction(signal, &other, nullptr);  // the instruction faults again and the default action follows
  }
}

/// A library that stands between the kernel and the handler (ThreadSanitizer's) blocks every signal while it
/// runs, and leaving by a jump keeps them blocked.
void unblock() {
  sigset_t faults;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  sigaddset(&faults, SIGBUS);
  pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
}

void install() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction ours = {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGSEGV, &ours, &former[0]);
    sigaction(SIGBUS, &ours, &former[1]);
  });
}

Error fault_at(const Wave& wave, const char* verb, int lane, uint64_t address, uint32_t bytes) {
  const std::string who = lane < 0 ? std::string("the wave") : fmt::format("lane {}", lane);
  const Memory* const memory = wave.memory ? wave.memory->memory : nullptr;
  return {ErrorKind::MemoryFault,
          fmt::format("memory fault: {} {} {} bytes at {:#x}, {}", who, verb, bytes, address,
                      memory ? memory->describe(address) : "outside of the device's memory")};
}

const char* verb_of(const Wave& wave) {
  const uint32_t word = wave.access.word;
  return word & AddressWord::kAtomic ? "updates" : word & AddressWord::kWrite ? "writes" : "reads";
}

/// The kernel's arguments, its packet and its code are visible to it wherever they are.
bool own(const Wave& wave, uint64_t address, uint64_t bytes) {
  const auto within = [&](const void* begin, uint64_t size) {
    const auto from = reinterpret_cast<uint64_t>(begin);
    return begin && address >= from && address - from <= size && bytes <= size - (address - from);
  };
  if (const Dispatch* dispatch = wave.group->dispatch) {
    const uint64_t arguments = dispatch->kernel ? std::max<uint64_t>(dispatch->kernel->kernarg_size,
                                                                     dispatch->kernel->fields.kernarg_size)
                                                : 0;
    // Scalar loads are rounded up by compilers to what is sure to be mapped.
    if (within(dispatch->kernarg, (arguments + 63) / 64 * 64) || within(dispatch->packet, 64) ||
        within(dispatch->queue, 256))
      return true;
  }
  const std::span<const uint8_t> code =
      wave.group->program ? wave.group->program->code() : std::span<const uint8_t>{};
  return within(code.data(), code.size());
}

bool allowed(const Wave& wave, uint64_t address, uint64_t bytes) {
  const Memory* const memory = wave.memory->memory;
  return (memory && memory->visible(address, bytes)) || own(wave, address, bytes);
}

/// The lane whose access covers an address, by the access under way; -1 when it was the wave's own.
int lane_at(const Wave& wave, uint64_t address) {
  const WaveAccess& access = wave.access;
  const uint32_t bytes = AddressWord::bytes(access.word);
  if (access.lanes == 0) return -1;
  if (access.pattern == WaveAccess::Pattern::Contiguous && address >= access.base) {
    const uint64_t lane = (address - access.base) / bytes;
    if (lane < 64) return static_cast<int>(lane);
  }
  if (access.pattern == WaveAccess::Pattern::Gather || access.pattern == WaveAccess::Pattern::Translated)
    for (int lane = 0; lane < static_cast<int>(wave.lanes); ++lane)
      if ((access.lanes >> lane & 1) && address - wave.address[lane] < bytes) return lane;
  return std::countr_zero(access.lanes);
}

/// Tells those who listen of an access that is refused.
void tell_refused(Wave& wave, MemoryAccess access) {
  const uint32_t word = wave.access.word;
  access.direction = word & AddressWord::kAtomic  ? isa::Direction::Atomic
                     : word & AddressWord::kWrite ? isa::Direction::Store
                                                  : isa::Direction::Load;
  wave.group->listener->refused(WaveView(wave), *wave.site, access);
}

/// The same for one lane, or for the wave: -1.
void tell_refused(Wave& wave, AddressSpace space, int lane, uint64_t address, uint32_t bytes) {
  if (!wave.group->listener) return;
  MemoryAccess access{.space = space, .scalar = lane < 0, .bytes = bytes};
  const int place = lane < 0 ? 0 : lane;
  access.lanes = uint64_t{1} << place;
  access.address[place] = address;
  tell_refused(wave, access);
}

/// The same for all lanes that may not access Wave::address.
void tell_refused(Wave& wave, uint64_t lanes, uint32_t bytes) {
  if (!wave.group->listener) return;
  MemoryAccess access{.space = AddressSpace::Global, .bytes = bytes};
  for (; lanes; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    if (allowed(wave, wave.address[lane], bytes)) continue;
    access.lanes |= uint64_t{1} << lane;
    access.address[lane] = wave.address[lane];
  }
  tell_refused(wave, access);
}

}  // namespace

bool admit(const Uop* uop, Wave* wave, uint64_t lanes, uint32_t bytes) {
  for (; lanes; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    if (allowed(*wave, wave->address[lane], bytes)) continue;
    tell_refused(*wave, lanes, bytes);
    wave->group->fail(*wave, uop, fault_at(*wave, verb_of(*wave), lane, wave->address[lane], bytes));
    return false;
  }
  return true;
}

bool admit_scalar(const Uop* uop, Wave* wave, uint64_t address, uint32_t bytes) {
  if (allowed(*wave, address, bytes)) return true;
  tell_refused(*wave, AddressSpace::Global, -1, address, bytes);
  wave->group->fail(*wave, uop, fault_at(*wave, verb_of(*wave), -1, address, bytes));
  return false;
}

void stray_access(const Uop* uop, Wave* wave, int lane, uint64_t address, uint32_t bytes) {
  tell_refused(*wave, AddressSpace::Private, lane, address & 0xffffffffu, bytes);
  wave->group->fail(
      *wave, uop,
      Error{ErrorKind::MemoryFault,
            fmt::format("memory fault: lane {} {} {} bytes at private address {:#x}, beyond its {} bytes of "
                        "private memory",
                        lane, verb_of(*wave), bytes, address & 0xffffffffu, wave->scratch_size)});
}

void misaligned_atomic(const Uop* uop, Wave* wave, int lane, uint64_t address) {
  wave->group->fail(*wave, uop,
                    Error{ErrorKind::MemoryFault,
                          fmt::format("memory fault: lane {} updates the unaligned address {:#x} atomically",
                                      lane, address)});
}

void run_slice(Wave& first) {
  install();
  Slice slice;
  Slice* const outer = current;
  if (sigsetjmp(slice.back, 0) == 0) {
    current = &slice;
    first.resume->handler(first.resume, &first);
  } else {
    current = outer;  // a fault from here on is our own
    unblock();
    Wave& wave = *first.group->running;
    const uint32_t bytes = AddressWord::bytes(wave.access.word);
    const char* const verb = slice.knows_write && slice.write && !(wave.access.word & AddressWord::kAtomic)
                                 ? "writes"
                                 : verb_of(wave);
    const int lane = lane_at(wave, slice.address);
    tell_refused(wave, AddressSpace::Global, lane, slice.address, bytes);
    wave.group->fail(wave, wave.resume, fault_at(wave, verb, lane, slice.address, bytes));
  }
#if defined(__x86_64__)
  if (std::exchange(first.group->running->streamed, 0)) __builtin_ia32_sfence();
#endif
  current = outer;
}

}  // namespace wavesmith::emulate
