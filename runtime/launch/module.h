// A code object loaded on a device, with its kernels and variables.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "emulate/translate/program.h"
#include "object/code_object.h"
#include "runtime/abi/memory.h"
#include "runtime/device/platform.h"

namespace wavesmith::runtime {

class Module;

/// A kernel of a module: what a hipFunction_t points to.
struct KernelFunction {
  Module* module = nullptr;
  const object::Kernel* kernel = nullptr;
  emulate::Program* program = nullptr;
  uint64_t entry = 0;                   ///< of its code, loaded
  uint64_t descriptor = 0;              ///< of its descriptor, loaded: the packet's kernel object
  uint32_t explicit_size = 0;           ///< bytes of arguments that the program passes
  std::optional<int> most_dynamic_lds;  ///< as hipFuncSetAttribute said
  bool needs_hostcall = false, needs_heap = false;
  const object::Argument* printf_buffer = nullptr;  ///< the hidden argument; null: it does not print that way
};

class Module : public std::enable_shared_from_this<Module> {
 public:
  /// Reads the code for the device from `image` (any form that Bundle reads), to be loaded on devices of the
  /// same target.
  static Result<std::shared_ptr<const object::CodeObject>> read(const Device& device,
                                                                std::span<const uint8_t> image);
  /// Loads a code object. `managed` has the addresses of existing managed variables by name.
  static Result<std::shared_ptr<Module>> load(Platform& platform, Device& device,
                                              std::shared_ptr<const object::CodeObject> object,
                                              const std::unordered_map<std::string, void*>& managed = {});
  /// Reads and loads.
  static Result<std::shared_ptr<Module>> load(Platform& platform, Device& device,
                                              std::span<const uint8_t> image);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Error: NotFound, with similar names.
  Result<KernelFunction*> function(std::string_view name);
  struct DeviceVariable {
    void* address = nullptr;
    size_t size = 0;
  };
  /// A variable's memory on the device; for a managed one the memory that both sides use. Error: NotFound.
  Result<DeviceVariable> variable(std::string_view name);

  /// Describes a pc for messages: "function 'f' + 0x10, kernel.hip:12"; empty if nothing is known.
  /// Segments of data that kernels may not write.
  [[nodiscard]] std::vector<std::span<const uint8_t>> constants() const;
  [[nodiscard]] std::string locate(uint64_t pc) const;

  [[nodiscard]] const object::CodeObject& object() const { return *object_; }
  [[nodiscard]] uint64_t base() const { return base_; }

  Platform& platform;
  Device& device;
  std::string origin;  ///< the library or program whose code loaded it, for the report

 private:
  Module(Platform& platform, Device& device, std::shared_ptr<const object::CodeObject> object)
      : platform(platform), device(device), object_(std::move(object)) {}
  Result<emulate::Program*> program(int wave_lanes);

  std::shared_ptr<const object::CodeObject> object_;
  uint64_t base_ = 0;
  std::mutex mutex_;
  std::unordered_map<int, std::unique_ptr<emulate::Program>> programs_;  ///< by lanes of a wave
  std::unordered_map<std::string, std::unique_ptr<KernelFunction>> functions_;
  std::unordered_map<std::string, void*> managed_;
};

/// The function of a handle; nullptr for anything that is none.
KernelFunction* find_function(hipFunction_t handle);

/// The readable bytes from `pointer` on, for images that callers pass without a length.
std::span<const uint8_t> readable_from(const void* pointer);

}  // namespace wavesmith::runtime
