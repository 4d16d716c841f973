#include "check/init/origin.h"

#include <fmt/format.h>

namespace wavesmith::check::init {
namespace {

namespace reg = isa::reg;

std::string register_name(uint64_t r) {
  if (r < reg::kAgpr) return fmt::format("v{}", r);
  if (r < reg::kSgpr) return fmt::format("a{}", r - reg::kAgpr);
  if (r == reg::kScc) return "scc";
  if (r == reg::kM0) return "m0";
  if (r == reg::kVcc || r == reg::kVcc + 1) return "vcc";
  return fmt::format("s{}", r - reg::kSgpr);
}

std::string name_of(const Origin& origin, const Launch& launch) {
  switch (origin.kind) {
    case Origin::Kind::Register:
      return register_name(origin.where);
    case Origin::Kind::Lds:
      return fmt::format("LDS + {:#x}", origin.where);
    case Origin::Kind::Private:
      return fmt::format("private memory + {:#x}", origin.where);
    case Origin::Kind::Global:
      break;
  }
  return place_of(launch, origin.where);
}

struct Words {
  std::string_view rule, what, fix;
  Severity severity;
};

Words words_of(Use use) {
  switch (use) {
    case Use::Branch:
      return {"branch", "which way a wave or a lane goes depends on what nobody wrote",
              "write it on every path that leads here", Severity::Error};
    case Use::Address:
      return {"address", "an address depends on what nobody wrote", "write it on every path that leads here",
              Severity::Error};
    case Use::Output:
      return {"output", "the result in memory depends on what nobody wrote",
              "write it before it is used, or leave these lanes out of the store", Severity::Error};
    case Use::HandedOver:
      return {"output",
              "what is handed to other workgroups depends on what nobody wrote, and the host reads it",
              "write it before it is used, or leave these lanes out of the store", Severity::Error};
    case Use::PartOfOutput:
      break;
  }
  return {"output-part", "a part of what is stored is what nobody wrote: padding, or forgotten",
          "write it, or store less", Severity::Hint};
}

}  // namespace

uint32_t OriginTable::add(const Origin& origin) {
  const uint64_t of = origin.kind == Origin::Kind::Register ? origin.where : 0;
  const auto [found, added] =
      known_.try_emplace({origin.site, origin.kind, of}, static_cast<uint32_t>(origins_.size()));
  if (added) origins_.push_back(origin);
  return found->second;
}

void report(const Add& add, const Launch& launch, Use use, const User& user, const Origin& origin) {
  const Words words = words_of(use);
  const bool in_register = origin.kind == Origin::Kind::Register;
  add({.rule = words.rule,
       .first = user.site.instruction.pc,
       .second = origin.site ? origin.site->instruction.pc : 0,
       .about = in_register ? origin.where + 1 : 0},
      {launch.id, launch.number_of(user.workgroup), user.event}, [&] {
        Finding finding{
            .topic = Topic::Init,
            .rule = std::string(words.rule),
            .severity = words.severity,
            .what = std::string(words.what),
            .parties = {party(launch, "uses", user.site.instruction, user.workgroup, user.wave, user.lanes)},
            .address = name_of(origin, launch),
            .fix = std::string(words.fix)};
        if (origin.site)
          finding.parties.push_back(party(launch, in_register ? "first reads it" : "loads it",
                                          origin.site->instruction, user.workgroup, origin.wave,
                                          origin.lanes));
        return finding;
      });
}

}  // namespace wavesmith::check::init
