#include "check/memory/report.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "isa/effects.h"

namespace wavesmith::check {
namespace {

using emulate::Place;
using isa::Direction;

/// Beyond this an allocation has nothing to do with an address.
constexpr uint64_t kNear = uint64_t{64} << 20;

std::string_view verb_of(Direction direction) {
  return direction == Direction::Load ? "reads" : direction == Direction::Store ? "writes" : "updates";
}
std::string_view noun_of(Direction direction) {
  return direction == Direction::Load ? "load" : direction == Direction::Store ? "store" : "atomic update";
}

uint64_t first_address(const FaultyAccess& faulty) {
  return faulty.access.address[std::countr_zero(faulty.lanes)];
}

/// "a load of 4 bytes".
std::string access_text(const FaultyAccess& faulty) {
  const Direction direction = faulty.access.direction;
  return fmt::format("{}{} of {} byte{}", direction == Direction::Atomic ? "an " : "a ", noun_of(direction),
                     faulty.access.bytes, faulty.access.bytes == 1 ? "" : "s");
}

bool is_buffer(const emulate::Site& site) {
  const isa::Space space = isa::space_of(site.instruction.mnemonic);
  return space == isa::Space::Buffer || space == isa::Space::Typed;
}

/// Whether code takes an address outside of LDS on purpose, for a 0 or to store nothing, as Tensile does with
/// 0xf00000: several lanes, none of them inside, at one round number that no index comes to by steps.
bool means_to_be_outside(const FaultyAccess& faulty) {
  constexpr uint64_t kMostLds = 160 << 10, kRound = 1 << 16;  // of a workgroup, on CDNA4
  const uint64_t lanes = faulty.lanes, first = first_address(faulty);
  if (faulty.access.lanes || std::popcount(lanes) < 2 || first < kMostLds || first >= uint64_t{1} << 31)
    return false;
  const isa::Modifier* const offset = faulty.site.instruction.find("offset");
  if ((first - (offset ? static_cast<uint64_t>(offset->values[0]) : 0)) % kRound) return false;
  for (uint64_t left = lanes; left; left &= left - 1)
    if (faulty.access.address[std::countr_zero(left)] != first) return false;
  return true;
}

/// What lies at an address, far neighbours apart.
Place place_at(const Launch& launch, uint64_t address) {
  const Place place = launch.memory.place_of(address);
  const bool neighbour = place.kind == Place::Kind::Past || place.kind == Place::Kind::Before;
  return neighbour && place.distance >= kNear ? Place{} : place;
}

}  // namespace

Party releasing_party(const Release& release) {
  return {.role = "freed it", .instruction = text_of(release.call)};
}

MemoryReporter::MemoryReporter(Findings& findings, const Launch& launch, const Releases& releases,
                               const emulate::WorkgroupView& view)
    : findings_(findings),
      launch_(launch),
      releases_(releases),
      id_(view.id),
      lds_bytes_(view.lds_size),
      private_bytes_(launch.kernel.uses_dynamic_stack || launch.kernel.fields.uses_dynamic_stack()
                         ? view.scratch_size
                         : launch.kernel.fields.private_segment_fixed_size) {}

void MemoryReporter::add(const FaultyAccess& faulty, std::string_view rule,
                         const std::function<Finding()>& make) {
  findings_.add({.rule = rule, .first = faulty.site.instruction.pc},
                {.dispatch = launch_.id, .workgroup = launch_.number_of(id_), .event = faulty.event}, make);
}

Finding MemoryReporter::finding(const FaultyAccess& faulty, std::string_view rule, std::string what,
                                std::string address, std::string fix) const {
  const uint64_t lanes = faulty.access.scalar ? 0 : faulty.lanes;
  return {.topic = Topic::Memory,
          .rule = std::string(rule),
          .severity = Severity::Error,
          .what = std::move(what),
          .parties = {party(launch_, std::string(verb_of(faulty.access.direction)), faulty.site.instruction,
                            id_, faulty.wave.index(), lanes)},
          .address = std::move(address),
          .fix = std::move(fix)};
}

void MemoryReporter::out_of_bounds(const FaultyAccess& faulty) {
  const uint64_t address = first_address(faulty);
  const Place place = place_at(launch_, address);
  const auto make = [&](const char* rule, const std::string& where, const char* fix) {
    add(faulty, rule,
        [&] { return finding(faulty, rule, access_text(faulty) + where, place_of(launch_, address), fix); });
  };
  switch (place.kind) {
    case Place::Kind::Freed:
      return add(faulty, "use-after-free", [&] { return use_after_free(faulty, address); });
    case Place::Kind::Held:
    case Place::Kind::Past:
    case Place::Kind::Before:
      return add(faulty, "out-of-bounds", [&] { return outside(faulty, address); });
    case Place::Kind::Null:
      return make("null-pointer", " through a null pointer",
                  "pass memory, or test the pointer before it is used");
    case Place::Kind::Reserved:
      return make("unmapped", " in a reserved range of addresses where nothing is mapped",
                  "hipMemMap and hipMemSetAccess the range before the launch");
    case Place::Kind::Nowhere:
      break;
  }
  make("wild-address", " at an address where nothing is allocated",
       "pass device memory: the host's own needs hipHostRegister or XNACK");
}

Finding MemoryReporter::use_after_free(const FaultyAccess& faulty, uint64_t address) const {
  Finding made = finding(faulty, "use-after-free", access_text(faulty) + " of memory that was freed before",
                         place_of(launch_, address), "free it when the kernel has ended");
  if (const auto release = releases_.find(address)) made.parties.push_back(releasing_party(*release));
  return made;
}

Finding MemoryReporter::outside(const FaultyAccess& faulty, uint64_t address) const {
  const Place place = launch_.memory.place_of(address);
  const emulate::Allocation& allocation = place.allocation;
  const uint64_t end = allocation.address + allocation.bytes, high = address + faulty.access.bytes;
  std::string where;
  if (place.kind == Place::Kind::Before)
    where = fmt::format(" begins {} bytes before an allocation", place.distance);
  else if (place.kind == Place::Kind::Past)
    where = fmt::format(" begins {} past the end of an allocation",
                        place.distance ? fmt::format("{} bytes", place.distance) : "just");
  else if (high > end)
    where = fmt::format(" runs {} bytes past the end of an allocation", high - end);
  else
    where = " is refused by an allocation";
  return finding(faulty, "out-of-bounds", access_text(faulty) + where, place_of(launch_, address),
                 is_buffer(faulty.site)
                     ? "make the resource's num_records what the allocation holds"
                     : "bound the index, or allocate what the kernel's last lanes and tail touch");
}

void MemoryReporter::read_only(const FaultyAccess& faulty, const char* what) {
  add(faulty, "read-only", [&] {
    return finding(faulty, "read-only", fmt::format("{} of {}", access_text(faulty), what),
                   place_of(launch_, first_address(faulty)),
                   "copy what has to change: kernels may not write there");
  });
}

void MemoryReporter::beyond_lds(const FaultyAccess& faulty) {
  if (means_to_be_outside(faulty)) return nowhere_in_lds(faulty);
  add(faulty, "lds-out-of-bounds", [&] {
    return finding(
        faulty, "lds-out-of-bounds",
        fmt::format("{} beyond the workgroup's {} bytes of LDS: {}", access_text(faulty), lds_bytes_,
                    faulty.access.direction == Direction::Load ? "it gives 0" : "it is dropped"),
        fmt::format("LDS + {:#x}", first_address(faulty)), "bound the index, or give the launch more LDS");
  });
}

void MemoryReporter::nowhere_in_lds(const FaultyAccess& faulty) {
  add(faulty, "lds-nowhere", [&] {
    Finding made = finding(
        faulty, "lds-nowhere",
        fmt::format("{} with one address in all lanes, where no workgroup has LDS: {}, which may be meant",
                    access_text(faulty),
                    faulty.access.direction == Direction::Load ? "it gives 0" : "it is dropped"),
        fmt::format("LDS + {:#x}", first_address(faulty)), "leave the lanes out by EXEC, if it is not meant");
    made.severity = Severity::Hint;
    return made;
  });
}

void MemoryReporter::beyond_private(const FaultyAccess& faulty) {
  add(faulty, "private-out-of-bounds", [&] {
    return finding(
        faulty, "private-out-of-bounds",
        fmt::format("{} beyond the lane's {} bytes of private memory", access_text(faulty), private_bytes_),
        fmt::format("private memory + {:#x}", first_address(faulty)),
        "bound the index of the local array; a kernel in assembly: raise private_segment_fixed_size");
  });
}

void MemoryReporter::misaligned_atomic(const FaultyAccess& faulty) {
  const bool lds = faulty.access.space == emulate::AddressSpace::Lds;
  add(faulty, "misaligned-atomic", [&] {
    const uint64_t address = first_address(faulty);
    return finding(faulty, "misaligned-atomic",
                   fmt::format("{} at an address that is no multiple of it", access_text(faulty)),
                   lds ? fmt::format("LDS + {:#x}", address) : place_of(launch_, address),
                   "align what is updated to its size");
  });
}

void MemoryReporter::misaligned_scalar(const FaultyAccess& faulty) {
  add(faulty, "misaligned-scalar", [&] {
    const uint64_t wanted = faulty.access.address[0] + faulty.access.ignored;
    return finding(
        faulty, "misaligned-scalar",
        fmt::format("{} at an address that is no multiple of 4: the hardware leaves out its low bits",
                    access_text(faulty)),
        place_of(launch_, wanted), "align the address, or use a vector load");
  });
}

void MemoryReporter::misaligned_lds(const FaultyAccess& faulty) {
  add(faulty, "misaligned-lds", [&] {
    Finding made =
        finding(faulty, "misaligned-lds",
                fmt::format("{} from LDS at an address that is no multiple of it", access_text(faulty)),
                fmt::format("LDS + {:#x}", first_address(faulty)),
                "align rows of LDS to the width of the access, or use ds_read2 and ds_write2");
    made.severity = Severity::Hint;
    return made;
  });
}

void MemoryReporter::resource(const FaultyAccess& access) {
  if (!access.site.row || !is_buffer(access.site)) return;
  const isa::Operand* const operand =
      isa::memory_operands(access.site.instruction, *access.site.row).resource;
  if (!operand || operand->kind != isa::Operand::Kind::Sgpr) return;
  const auto word = [&](int i) { return access.wave.sgpr(operand->index + i); };
  const uint64_t base = word(0) | uint64_t{word(1) & 0xffff} << 32, stride = word(1) >> 16 & 0x3fff;
  const uint64_t bytes = stride ? stride * word(2) : word(2);
  // So large a number means that there is no bound.
  constexpr uint64_t kNoBound = 0x7fff'0000;
  if (bytes >= kNoBound) return;
  const auto held = launch_.memory.find(reinterpret_cast<const void*>(base));
  if (!held || base + bytes <= held->address + held->bytes) return;
  add(access, "buffer-resource", [&] {
    Finding made = finding(access, "buffer-resource",
                           fmt::format("a buffer resource of {} bytes reaches {} bytes past its allocation",
                                       bytes, base + bytes - held->address - held->bytes),
                           place_of(launch_, base),
                           "make num_records what the allocation holds: lanes beyond it are then dropped");
    made.severity = Severity::Hint;
    return made;
  });
}

namespace {

void add_stop(Findings& findings, const Launch& launch, const Error& error, const char* rule,
              const std::string& fix) {
  findings.add({.rule = rule, .first = launch.entry}, {.dispatch = launch.id}, [&] {
    return Finding{.topic = Topic::Memory,
                   .rule = rule,
                   .severity = Severity::Error,
                   .what = error.what,
                   .parties = {{.role = "stops",
                                .kernel = launch.name(),
                                .instruction = error.where,
                                .dispatch = launch.id,
                                .wave = Party::kAllWaves}},
                   .fix = fix};
  });
}

}  // namespace

void add_fault(Findings& findings, const Launch& launch, const Error& error) {
  add_stop(findings, launch, error, "fault", error.hint);
}

void add_wild_jump(Findings& findings, const Launch& launch, const Error& error) {
  add_stop(findings, launch, error, "wild-jump",
           "set the pointer to a function of the device's code before it is called, and test it for null");
}

}  // namespace wavesmith::check
