#include "check/host_call.h"

#include <dlfcn.h>

#include <cstdint>

#include <fmt/format.h>

#include "isa/llvm/demangle.h"

namespace wavesmith::check {
namespace {

thread_local HostCall under_way;

/// "app + 0x1a2b", or "main in app + 0x1a2b".
std::string place_of_caller(const void* caller) {
  Dl_info info{};
  if (!caller || !dladdr(caller, &info) || !info.dli_fname) return {};
  std::string_view file = info.dli_fname;
  if (const size_t slash = file.rfind('/'); slash != file.npos) file.remove_prefix(slash + 1);
  const uint64_t offset = reinterpret_cast<uint64_t>(caller) - reinterpret_cast<uint64_t>(info.dli_fbase);
  const std::string place = fmt::format("{} + {:#x}", file, offset);
  return info.dli_sname ? isa::function_name(info.dli_sname) + " in " + place : place;
}

}  // namespace

const HostCall& host_call() { return under_way; }

HostCallScope::HostCallScope(const HostCall& call) : outermost_(under_way.name.empty()) {
  if (outermost_) under_way = call;
}

HostCallScope::~HostCallScope() {
  if (outermost_) under_way = {};
}

std::string text_of(const HostCall& call) {
  if (call.name.empty()) return "a call of the program's";
  const std::string place = place_of_caller(call.caller);
  return place.empty() ? std::string(call.name) : fmt::format("{}, called from {}", call.name, place);
}

}  // namespace wavesmith::check
