#include "object/target_id.h"

#include <fmt/format.h>

#include "isa/machines.h"

namespace wavesmith::object {

Result<TargetId> TargetId::parse(std::string_view text) {
  TargetId id;
  const size_t colon = text.find(':');
  id.processor = text.substr(0, colon);
  if (id.processor.empty()) return fail(ErrorKind::BadInput, "a target id without a processor");
  std::string_view rest = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  while (!rest.empty()) {
    const size_t next = rest.find(':');
    const std::string_view feature = rest.substr(0, next);
    rest = next == std::string_view::npos ? std::string_view{} : rest.substr(next + 1);
    Setting* const setting = feature.starts_with("sramecc") && feature.size() == 8 ? &id.sramecc
                             : feature.starts_with("xnack") && feature.size() == 6 ? &id.xnack
                                                                                   : nullptr;
    const char sign = feature.empty() ? ' ' : feature.back();
    if (!setting || *setting != Setting::Any || (sign != '+' && sign != '-'))
      return fail(ErrorKind::BadInput,
                  fmt::format("target id '{}' has an unknown feature '{}'", text, feature), {},
                  "features are sramecc+, sramecc-, xnack+ and xnack-, each once");
    *setting = sign == '+' ? Setting::On : Setting::Off;
  }
  return id;
}

std::optional<TargetId> TargetId::of_elf(uint32_t flags, uint8_t abi_version) {
  TargetId id;
  id.processor = isa::machine_name(static_cast<uint8_t>(flags));
  if (id.processor.empty()) return {};
  const auto setting = [&](uint32_t bits) {
    return bits == 2 ? Setting::Off : bits == 3 ? Setting::On : Setting::Any;
  };
  if (abi_version == 1) {  // code object version 3
    id.xnack = flags & 0x100 ? Setting::On : Setting::Any;
    id.sramecc = flags & 0x200 ? Setting::On : Setting::Any;
  } else {
    id.xnack = setting(flags >> 8 & 3);
    id.sramecc = setting(flags >> 10 & 3);
  }
  return id;
}

std::string TargetId::text() const {
  std::string text = processor;
  if (sramecc != Setting::Any) text += sramecc == Setting::On ? ":sramecc+" : ":sramecc-";
  if (xnack != Setting::Any) text += xnack == Setting::On ? ":xnack+" : ":xnack-";
  return text;
}

std::optional<int> suitability(const TargetId& code, const TargetId& gpu) {
  int score = 0;
  if (code.processor == gpu.processor)
    score += 4;
  else if (code.processor != isa::generic_family(gpu.processor))
    return std::nullopt;
  const auto feature = [&](Setting wanted, Setting there) {
    if (wanted == Setting::Any) return true;
    ++score;
    return there == Setting::Any || wanted == there;
  };
  if (!feature(code.sramecc, gpu.sramecc) || !feature(code.xnack, gpu.xnack)) return std::nullopt;
  return score;
}

}  // namespace wavesmith::object
