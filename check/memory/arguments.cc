#include "check/memory/arguments.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "check/memory/report.h"

namespace wavesmith::check {
namespace {

using emulate::Place;

/// What is wrong about a pointer that a kernel is passed; nullptr: nothing.
const char* stray_text(const Launch& launch, uint64_t pointer) {
  const Place place = launch.memory.place_of(pointer);
  const bool end = place.kind == Place::Kind::Past && place.distance == 0;  // where a range may end
  if (pointer == 0 || end || place.kind == Place::Kind::Held || place.kind == Place::Kind::Reserved)
    return nullptr;
  if (place.kind == Place::Kind::Freed) return "memory that was freed";
  if (launch.memory.in_arena(reinterpret_cast<const void*>(pointer)))
    return "device memory where nothing is allocated";
  return launch.memory.visible(pointer, 1) ? nullptr : "the host's memory, which the kernel cannot access";
}

}  // namespace

StrayArguments::StrayArguments(const Launch& launch, const Releases& releases)
    : launch_(launch),
      begin_(reinterpret_cast<uint64_t>(launch.kernarg.data())),
      end_(begin_ + launch.kernarg.size()) {
  const bool preloaded = launch.kernel.fields.kernarg_preload != 0;  // then waves find them in SGPRs
  for (const object::Argument& argument : launch.kernel.arguments) {
    uint64_t value = 0;
    if (argument.kind != object::Argument::Kind::GlobalBuffer || argument.hidden() ||
        argument.size != sizeof value || argument.offset + sizeof value > launch.kernarg.size())
      continue;
    std::memcpy(&value, launch.kernarg.data() + argument.offset, sizeof value);
    if (const char* const wrong = stray_text(launch, value))
      strays_.emplace_back(&argument, value, wrong, releases.find(value), preloaded);
  }
}

void StrayArguments::note_read(uint64_t low, uint64_t high) {
  for (Stray& stray : strays_) {
    const uint64_t at = begin_ + stray.argument->offset;
    if (low < at + sizeof stray.value && at < high) stray.read.store(true, std::memory_order_relaxed);
  }
}

void StrayArguments::tell(Findings& findings) const {
  for (const Stray& stray : strays_) {
    const object::Argument& argument = *stray.argument;
    const char* const rule = stray.read ? "stray-argument" : "unread-argument";
    findings.add(
        {.rule = rule, .first = launch_.entry, .about = argument.offset}, {.dispatch = launch_.id}, [&] {
          const std::string name =
              argument.name.empty() ? fmt::format("at {:#x}", argument.offset) : "'" + argument.name + "'";
          Finding made{.topic = Topic::Memory,
                       .rule = rule,
                       .severity = stray.read ? Severity::Warning : Severity::Hint,
                       .what = fmt::format("argument {}{} points to {}", name,
                                           stray.read ? "" : ", which no wave reads,", stray.wrong),
                       .parties = {{.role = "is launched",
                                    .kernel = launch_.name(),
                                    .instruction = "its first instruction",
                                    .dispatch = launch_.id}},
                       .address = place_of(launch_, stray.value),
                       .fix = "pass memory that lives until the kernel has ended, or null"};
          if (stray.release) made.parties.push_back(releasing_party(*stray.release));
          return made;
        });
  }
}

}  // namespace wavesmith::check
