#include "python/native/hip.h"

#include <fmt/format.h>

#include <algorithm>

#include "python/native/failure.h"

namespace nb = nanobind;

namespace wavesmith::python {
namespace {

void* pointer(uintptr_t value) { return reinterpret_cast<void*>(value); }
uintptr_t number(void* value) { return reinterpret_cast<uintptr_t>(value); }

enum Copy { kHostToDevice = 1, kDeviceToHost = 2 };  // hipMemcpyKind

}  // namespace

Hip::Hip(const std::string& library) : library_(value_or_throw(study::HipLibrary::load(library))) {
  check(library_.hipInit(0), "no GPU");
}

void Hip::check(int code, const std::string& what) {
  if (!code) return;
  std::string report(4096, '\0');
  report.resize(
      library_.wavesmith_last_failure
          ? std::min(library_.wavesmith_last_failure(report.data(), report.size()), report.size() - 1)
          : 0);
  throw Failure(library_.error(code, what), code, report);
}

int Hip::device() {
  int device = 0;
  check(library_.hipGetDevice(&device), "cannot ask for the current device");
  return device;
}

void Hip::set_device(int device) {
  check(library_.hipSetDevice(device), fmt::format("no device {}", device));
}

uintptr_t Hip::load(const nb::bytes& code) {
  void* module = nullptr;
  check(library_.hipModuleLoadData(&module, code.c_str()), "cannot load the code object");
  return number(module);
}

void Hip::unload(uintptr_t module) { library_.hipModuleUnload(pointer(module)); }

uintptr_t Hip::function(uintptr_t module, const std::string& kernel) {
  void* function = nullptr;
  check(library_.hipModuleGetFunction(&function, pointer(module), kernel.c_str()),
        fmt::format("cannot find kernel '{}'", kernel));
  return number(function);
}

uintptr_t Hip::allocate(size_t size) {
  void* memory = nullptr;
  check(library_.hipMalloc(&memory, size), fmt::format("cannot allocate {} bytes of GPU memory", size));
  return number(memory);
}

uintptr_t Hip::allocate_shared(size_t size) {
  constexpr unsigned kUncached = 3;  // hipDeviceMallocUncached
  void* memory = nullptr;
  check(library_.hipExtMallocWithFlags(&memory, size, kUncached),
        fmt::format("cannot allocate {} bytes of uncached GPU memory", size));
  check(library_.hipMemset(memory, 0, size), "cannot fill memory with zeros");
  check(library_.hipDeviceSynchronize(), "cannot fill memory with zeros");
  return number(memory);
}

void Hip::reach(int peer) {
  constexpr int kAlready = 704;  // hipErrorPeerAccessAlreadyEnabled
  const int code = library_.hipDeviceEnablePeerAccess(peer, 0);
  if (code != kAlready) check(code, fmt::format("cannot reach the memory of device {}", peer));
}

void Hip::free(uintptr_t memory) { library_.hipFree(pointer(memory)); }

void Hip::copy_in(uintptr_t to, uintptr_t from, size_t size) {
  check(library_.hipMemcpy(pointer(to), pointer(from), size, kHostToDevice), "cannot copy to the GPU");
}

void Hip::copy_out(uintptr_t to, uintptr_t from, size_t size) {
  check(library_.hipMemcpy(pointer(to), pointer(from), size, kDeviceToHost), "cannot copy from the GPU");
}

void Hip::launch(uintptr_t function, std::array<unsigned, 3> grid, std::array<unsigned, 3> block,
                 unsigned shared, const std::vector<nb::bytes>& values) {
  std::vector<void*> parameters;
  for (const nb::bytes& value : values) parameters.push_back(const_cast<char*>(value.c_str()));
  int code = 0;
  {
    nb::gil_scoped_release released;
    code = library_.hipModuleLaunchKernel(pointer(function), grid[0], grid[1], grid[2], block[0], block[1],
                                          block[2], shared, nullptr, parameters.data(), nullptr);
  }
  check(code, "cannot launch the kernel");
}

void Hip::synchronize() {
  int code = 0;
  {
    nb::gil_scoped_release released;
    code = library_.hipDeviceSynchronize();
  }
  check(code, "the kernel failed");
}

void Hip::order(uintptr_t first, uintptr_t second) {
  constexpr unsigned kDisableTiming = 2;  // hipEventDisableTiming
  void* event = nullptr;
  check(library_.hipEventCreateWithFlags(&event, kDisableTiming), "cannot create an event");
  int code = library_.hipEventRecord(event, pointer(first));
  if (!code) code = library_.hipStreamWaitEvent(pointer(second), event, 0);
  library_.hipEventDestroy(event);
  check(code, "cannot have one stream wait for another");
}

void Hip::raise_last(const std::string& what) {
  check(library_.hipGetLastError(), what);
  throw Failure({ErrorKind::Internal, what});
}

}  // namespace wavesmith::python
