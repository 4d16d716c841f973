#include "runtime/launch/module.h"
#include "runtime/launch/replacement.h"
#include "runtime/observe/statistics.h"

#include <shared_mutex>
#include <unordered_set>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "isa/llvm/demangle.h"
#include "isa/llvm/source_lines.h"
#include "object/bundle.h"

namespace wavesmith::runtime {
namespace {

/// The functions that handles may name.
struct Functions {
  std::shared_mutex mutex;
  std::unordered_set<const KernelFunction*> live;
};
Functions& functions() {
  static auto& all = *new Functions;
  return all;
}

}  // namespace

std::span<const uint8_t> readable_from(const void* pointer) {
  const auto start = reinterpret_cast<uint64_t>(pointer);
  const std::unique_ptr<FILE, int (*)(FILE*)> maps(std::fopen("/proc/self/maps", "r"), std::fclose);
  if (!maps) return {};
  uint64_t end = 0;
  char line[512];
  while (std::fgets(line, sizeof line, maps.get())) {
    uint64_t from = 0, to = 0;
    char read = '-';
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %c", &from, &to, &read) != 3) continue;
    if (end == 0 ? from <= start && start < to && read == 'r' : from == end && read == 'r')
      end = to;
    else if (end != 0)
      break;
  }
  return end > start ? std::span(static_cast<const uint8_t*>(pointer), end - start)
                     : std::span<const uint8_t>{};
}

Result<std::shared_ptr<const object::CodeObject>> Module::read(const Device& device,
                                                               std::span<const uint8_t> image) {
  const auto bundle = object::Bundle::parse(image, &device.target);
  if (!bundle) return tl::unexpected(bundle.error());
  const auto entry = bundle->choose(device.target);
  if (!entry) return tl::unexpected(entry.error());
  auto object = object::CodeObject::parse(entry->bytes);
  if (!object) return tl::unexpected(object.error());
  if (const auto other = replacement_of(*object); !other.empty()) {
    object = object::CodeObject::parse(other);
    if (!object) return tl::unexpected(object.error());
  }
  return std::make_shared<const object::CodeObject>(std::move(*object));
}

Result<std::shared_ptr<Module>> Module::load(Platform& platform, Device& device,
                                             std::span<const uint8_t> image) {
  auto object = read(device, image);
  if (!object) return tl::unexpected(object.error());
  return load(platform, device, std::move(*object));
}

Result<std::shared_ptr<Module>> Module::load(Platform& platform, Device& device,
                                             std::shared_ptr<const object::CodeObject> object,
                                             const std::unordered_map<std::string, void*>& managed) {
  std::shared_ptr<Module> module(new Module(platform, device, std::move(object)));
  const uint64_t size = module->object_->load_size();
  const auto memory = platform.allocate(device, size, Allocation::Kind::Code);
  if (!memory) return tl::unexpected(memory.error());
  module->base_ = reinterpret_cast<uint64_t>(*memory);
  if (auto done = module->object_->load({static_cast<uint8_t*>(*memory), size}); !done)
    return tl::unexpected(done.error());

  // A managed variable is a pointer to memory that host and device share; its first contents are beside it.
  for (const object::Variable& variable : module->object_->variables()) {
    if (!variable.managed) continue;
    void* shared = nullptr;
    if (const auto there = managed.find(variable.name); there != managed.end()) {
      shared = there->second;
    } else {
      const object::Variable* const contents = module->object_->variable(variable.name + ".managed");
      if (!contents) continue;
      const auto made =
          platform.allocate(device, contents->size, Allocation::Kind::Managed, hipMemAttachGlobal);
      if (!made) return tl::unexpected(made.error());
      std::memcpy(*made,
                  reinterpret_cast<const void*>(module->object_->loaded(module->base_, contents->address)),
                  contents->size);
      shared = *made;
      module->managed_.emplace(variable.name, shared);
    }
    std::memcpy(reinterpret_cast<void*>(module->object_->loaded(module->base_, variable.address)), &shared,
                sizeof shared);
  }
  return module;
}

Module::~Module() {
  for (const auto& [lanes, program] : programs_)
    if (program) forget_program(*program);
  {
    const std::unique_lock all(functions().mutex);
    for (const auto& [name, function] : functions_) functions().live.erase(function.get());
  }
  if (base_) (void)platform.release(reinterpret_cast<void*>(base_));
  for (const auto& [name, memory] : managed_) (void)platform.release(memory);
}

std::vector<std::span<const uint8_t>> Module::constants() const {
  std::vector<std::span<const uint8_t>> all;
  for (const object::Segment& segment : object_->segments())
    if (!segment.writable && !segment.executable)
      all.emplace_back(reinterpret_cast<const uint8_t*>(object_->loaded(base_, segment.address)),
                       segment.memory_size);
  return all;
}

Result<emulate::Program*> Module::program(int wave_lanes) {
  std::unique_ptr<emulate::Program>& program = programs_[wave_lanes];
  if (!program) {
    auto made = emulate::Program::create(device.isa, wave_lanes, object_->loaded_code(base_));
    if (!made) return tl::unexpected(made.error());
    program = std::move(*made);
    program->interleave(Platform::get()->interleave);
    program->sram_ecc(device.gpu.has_sram_ecc());
    count_program(*program);
  }
  return program.get();
}

Result<KernelFunction*> Module::function(std::string_view name) {
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<KernelFunction>& function = functions_[std::string(name)];
  if (function) return function.get();
  const object::Kernel* const kernel = object_->kernel(name);
  if (!kernel) {
    functions_.erase(std::string(name));
    std::string there;
    for (const object::Kernel& other : object_->kernels())
      if (there.size() < 200) there += (there.empty() ? "" : ", ") + other.name;
    return fail(ErrorKind::NotFound, fmt::format("no kernel '{}'", name), {},
                "the code object has: " + (there.empty() ? "none" : there));
  }
  const auto code = program(static_cast<int>(kernel->wavefront_size));
  if (!code) return tl::unexpected(code.error());
  auto made = std::make_unique<KernelFunction>();
  made->module = this;
  made->kernel = kernel;
  made->program = *code;
  made->entry = object_->loaded(base_, kernel->entry());
  made->descriptor = object_->loaded(base_, kernel->descriptor);
  for (const object::Argument& argument : kernel->arguments) {
    made->needs_hostcall |= argument.kind == object::Argument::Kind::HiddenHostcallBuffer;
    made->needs_heap |= argument.kind == object::Argument::Kind::HiddenHeap;
    if (argument.kind == object::Argument::Kind::HiddenPrintfBuffer && argument.size == sizeof(uint64_t))
      made->printf_buffer = &argument;
    if (!argument.hidden())
      made->explicit_size = std::max(made->explicit_size, argument.offset + argument.size);
  }
  function = std::move(made);
  {
    const std::unique_lock all(functions().mutex);
    functions().live.insert(function.get());
  }
  return function.get();
}

KernelFunction* find_function(hipFunction_t handle) {
  auto* const function = reinterpret_cast<KernelFunction*>(handle);
  const std::shared_lock all(functions().mutex);
  return functions().live.contains(function) ? function : nullptr;
}

std::string Module::locate(uint64_t pc) const {
  const uint64_t address = object_->unloaded(base_, pc);
  std::string text;
  if (const object::Routine* const routine = object_->routine_at(address))
    text =
        fmt::format("function '{}' + {:#x}", isa::function_name(routine->name), address - routine->address);
  if (const auto line = isa::SourceLines(object_->file()).at(address))
    text += (text.empty() ? "" : ", ") + line->text();
  return text;
}

Result<Module::DeviceVariable> Module::variable(std::string_view name) {
  const object::Variable* const variable = object_->variable(name);
  if (!variable) return fail(ErrorKind::NotFound, fmt::format("no variable '{}' in the code object", name));
  void* const address = reinterpret_cast<void*>(object_->loaded(base_, variable->address));
  if (!variable->managed) return DeviceVariable{address, variable->size};
  const object::Variable* const contents = object_->variable(variable->name + ".managed");
  void* shared;
  std::memcpy(&shared, address, sizeof shared);
  return DeviceVariable{shared, contents ? contents->size : 0};
}

}  // namespace wavesmith::runtime
