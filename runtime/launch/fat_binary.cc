#include "runtime/launch/fat_binary.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "object/bundle.h"
#include "runtime/api/origin.h"
#include "runtime/observe/statistics.h"

namespace wavesmith::runtime {
namespace {

/// What __hipRegisterFatBinary is given. Source: clang, CGCUDANV.cpp.
struct Wrapper {
  static constexpr uint32_t kMagic = 0x48495046;  // "HIPF"
  uint32_t magic, version;
  const void* binary;
  const void* unused;
};

/// One fat binary and the modules made of it, one per device.
struct FatBinary {
  const void* data = nullptr;
  std::mutex mutex;
  struct OnDevice {
    std::shared_ptr<Module> module;
    std::optional<Error> error;
  };
  std::unordered_map<int, OnDevice> modules;
  /// By target. A library's code is long to decompress, so GPUs of a kind share it.
  std::unordered_map<std::string, std::shared_ptr<const object::CodeObject>> objects;
  std::unordered_map<std::string, void*> managed;

  Result<std::shared_ptr<Module>> module(Platform& platform, Device& device) {
    const std::scoped_lock lock(mutex);
    OnDevice& there = modules[device.ordinal];
    if (there.module) return there.module;
    if (there.error) return tl::unexpected(*there.error);
    auto made = load(platform, device);
    if (made) return there.module = std::move(*made);
    report(made.error());  // once: the error is kept
    there.error = made.error();
    return tl::unexpected(made.error());
  }

 private:
  Result<std::shared_ptr<Module>> load(Platform& platform, Device& device) {
    std::shared_ptr<const object::CodeObject>& object = objects[device.target.text()];
    if (!object) {
      const std::span<const uint8_t> readable = readable_from(data);
      const auto size = object::extent(readable);
      if (!size) return tl::unexpected(size.error());
      auto read = Module::read(device, readable.first(*size));
      if (!read) return tl::unexpected(read.error());
      object = std::move(*read);
    }
    auto module = Module::load(platform, device, object, managed);
    if (module) (*module)->origin = file_of(data);
    return module;
  }
};

struct Symbol {
  FatBinary* binary = nullptr;
  std::string name;
  void** managed = nullptr;  ///< where the host keeps a managed variable's address
  size_t size = 0;
  std::vector<KernelFunction*> functions = {};  ///< by device, once found
};

struct Registry {
  std::shared_mutex mutex;
  std::unordered_map<const void*, Symbol> functions, variables;
};

Registry& registry() {
  // Never destroyed: other libraries unregister while the process ends.
  static auto& all = *new Registry;
  return all;
}

FatBinary* binary_of(void** handle) { return reinterpret_cast<FatBinary*>(handle); }

}  // namespace

Result<KernelFunction*> registered_function(Platform& platform, Device& device, const void* host) {
  Registry& all = registry();
  const auto ordinal = static_cast<size_t>(device.ordinal);
  FatBinary* binary;
  std::string name;
  {
    const std::shared_lock lock(all.mutex);
    const auto found = all.functions.find(host);
    if (found == all.functions.end())
      return fail(ErrorKind::NotFound, "a function that is no registered kernel is launched");
    if (ordinal < found->second.functions.size() && found->second.functions[ordinal])
      return found->second.functions[ordinal];
    binary = found->second.binary;
    name = found->second.name;
  }
  const auto module = binary->module(platform, device);
  if (!module) return tl::unexpected(module.error());
  const auto function = (*module)->function(name);
  if (!function) return function;
  const std::unique_lock lock(all.mutex);
  if (const auto found = all.functions.find(host); found != all.functions.end()) {
    found->second.functions.resize(std::max(found->second.functions.size(), ordinal + 1));
    found->second.functions[ordinal] = *function;
  }
  return function;
}

Result<Module::DeviceVariable> registered_variable(Platform& platform, Device& device, const void* host) {
  Registry& all = registry();
  Symbol symbol;
  {
    const std::shared_lock lock(all.mutex);
    const auto found = all.variables.find(host);
    if (found == all.variables.end())
      return fail(ErrorKind::NotFound, "no registered variable at this address");
    symbol = found->second;
  }
  if (symbol.managed) return Module::DeviceVariable{*symbol.managed, symbol.size};
  const auto module = symbol.binary->module(platform, device);
  if (!module) return tl::unexpected(module.error());
  return (*module)->variable(symbol.name);
}

const char* registered_name(const void* host) {
  Registry& all = registry();
  const std::shared_lock lock(all.mutex);
  const auto found = all.functions.find(host);
  return found == all.functions.end() ? nullptr : found->second.name.c_str();
}

}  // namespace wavesmith::runtime

using namespace wavesmith;
using namespace wavesmith::runtime;

HIP_API void** __hipRegisterFatBinary(const void* data) {
  const auto* const wrapper = static_cast<const Wrapper*>(data);
  if (!wrapper || wrapper->magic != Wrapper::kMagic || wrapper->version != 1) {
    report(Error{ErrorKind::BadInput, "a program registers GPU code in an unknown form"});
    return nullptr;
  }
  auto* const binary = new FatBinary;
  binary->data = wrapper->binary;
  return reinterpret_cast<void**>(binary);
}

HIP_API void __hipUnregisterFatBinary(void** handle) {
  FatBinary* const binary = binary_of(handle);
  if (!binary) return;
  {
    const std::scoped_lock lock(binary->mutex);
    for (const auto& [ordinal, there] : binary->modules)
      if (there.module) there.module->device.synchronize();
  }
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  const auto of_binary = [&](const auto& entry) { return entry.second.binary == binary; };
  std::erase_if(all.functions, of_binary);
  std::erase_if(all.variables, of_binary);
  delete binary;
}

HIP_API void __hipRegisterFunction(void** handle, const void* host, char* /*device_function*/,
                                   const char* name, unsigned /*thread_limit*/, void* /*tid*/, void* /*bid*/,
                                   void* /*block*/, void* /*grid*/, int* /*wave*/) {
  if (!handle) return;
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  all.functions.try_emplace(host, Symbol{binary_of(handle), name});
}

HIP_API void __hipRegisterVar(void** handle, void* host, char* /*host_name*/, char* name, int /*external*/,
                              size_t size, int /*constant*/, int /*global*/) {
  if (!handle) return;
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  all.variables.try_emplace(host, Symbol{binary_of(handle), name, nullptr, size});
}

HIP_API void __hipRegisterManagedVar(void* handle, void** pointer, void* initial, const char* name,
                                     size_t size, unsigned /*align*/) {
  Platform* const platform = Platform::get();
  if (!handle || !platform) return;
  const auto memory =
      platform->allocate(*platform->devices[0], size, Allocation::Kind::Managed, hipMemAttachGlobal);
  if (!memory) return report(memory.error());
  std::memcpy(*memory, initial, size);
  *pointer = *memory;
  FatBinary* const binary = binary_of(static_cast<void**>(handle));
  binary->managed[name] = *memory;
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  // A program names the variable by its pointer's address and by its own.
  all.variables.try_emplace(pointer, Symbol{binary, name, pointer, size});
  all.variables.try_emplace(*memory, Symbol{binary, name, pointer, size});
}

HIP_API void __hipRegisterTexture(void**, void*, char*, char*, int, int, int) {}
HIP_API void __hipRegisterSurface(void**, void*, char*, char*, int, int) {}
