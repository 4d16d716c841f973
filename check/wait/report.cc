// How the wait checker tells what it found.
#include <bit>
#include <string_view>

#include <fmt/format.h>

#include "check/wait/workgroup.h"
#include "isa/cost/cost.h"

namespace wavesmith::check::wait {
namespace {

/// Why a wait proves nothing though it counts the instruction.
struct Why {
  std::string_view rule, text;
};
Why why(const InFlight& flight, bool reads) {
  if (flight.overtaken && flight.facts->flat)
    return {"flat-out-of-order",
            ": lanes of LDS overtake those of memory, so that only a wait for 0 proves a flat access done"};
  const auto& instruction = flight.facts->site->instruction;
  if (flight.overtaken && isa::pipe_of(instruction, flight.facts->site->row) != isa::Pipe::Vmem)
    return {"scalar-out-of-order",
            ": scalar loads come back in any order, so that only a wait for 0 proves one"};
  if (flight.overtaken)
    return {"flat-out-of-order", ": flat accesses issued since may have come back before it"};
  return {reads ? "raw" : "waw", ""};
}

}  // namespace

void Workgroup::tell_use(const emulate::WaveView& view, Wave& wave, const SiteFacts& facts, const Use& use) {
  const InFlight& flight = wave.board.flight(use.number);
  const Why because = why(flight, use.reads);
  const auto& instruction = facts.site->instruction;
  const auto& load = flight.facts->site->instruction;
  shared_.findings.add(
      {.rule = because.rule, .first = instruction.pc, .second = load.pc, .about = use.reads}, now(), [&] {
        const std::string name = name_of(use.registers);
        const auto need = wave.board.need_of(use.number);
        const uint32_t index = view.index();
        return Finding{
            .topic = Topic::Wait,
            .rule = std::string(because.rule),
            .what =
                use.reads
                    ? fmt::format("reads {} before what is loaded into it has arrived{}", name, because.text)
                    : fmt::format("overwrites {} before what is loaded into it has arrived, which then takes "
                                  "its place{}",
                                  name, because.text),
            .parties = {party(shared_.launch, use.reads ? "reads" : "overwrites", instruction, id_, index,
                              use.lanes),
                        party(shared_.launch, "loads", load, id_, index,
                              use.registers.first < isa::reg::kSgpr ? flight.exec : 0)},
            .fix = fmt::format("put {} between them", wait_text(need.counter, need.limit))};
      });
}

void Workgroup::tell_locked(const emulate::WaveView& view, Wave& wave, const SiteFacts& facts) {
  const InFlight& flight = wave.board.flight(wave.reader);
  const auto& instruction = facts.site->instruction;
  const auto& reader = flight.facts->site->instruction;
  shared_.findings.add({.rule = "war", .first = instruction.pc, .second = reader.pc}, now(), [&] {
    return Finding{
        .topic = Topic::Wait,
        .rule = "war",
        .what = fmt::format("overwrites {} before an instruction under way has read it",
                            name_of(flight.facts->locked)),
        .parties = {party(shared_.launch, "overwrites", instruction, id_, view.index(), view.exec()),
                    party(shared_.launch, "reads", reader, id_, view.index(), 0)},
        .fix = fmt::format("put {} between them", wait_text(isa::Counter::Exp, 0))};
  });
}

void Workgroup::tell_grid_barrier(const emulate::WaveView& view, const emulate::Site& barrier,
                                  const emulate::Site& next) {
  shared_.findings.add(
      {.rule = "grid-barrier", .first = next.instruction.pc, .second = barrier.instruction.pc}, now(), [&] {
        return Finding{
            .topic = Topic::Wait,
            .rule = "grid-barrier",
            .what =
                "goes on before the grid's barrier has answered: the wait has to be the next instruction, "
                "to which the hardware comes back where it makes the barrier again",
            .parties = {party(shared_.launch, "goes on", next.instruction, id_, view.index(), 0),
                        party(shared_.launch, "meets", barrier.instruction, id_, view.index(), 0)},
            .fix = "put s_waitcnt 0 directly behind the barrier"};
      });
}

void Workgroup::tell_lds(const emulate::WaveView& view, const SiteFacts& facts, const LdsPlace& place,
                         uint32_t wave, const InFlight& flight, Scoreboard::Need need) {
  const bool own = wave == view.index(), reads = place.direction == isa::Direction::Load;
  const std::string_view rule = own                    ? "lds-direct"
                                : flight.facts->to_lds ? "lds-direct-barrier"
                                                       : "lds-barrier";
  const auto& instruction = facts.site->instruction;
  const auto& other = flight.facts->site->instruction;
  shared_.findings.add({.rule = rule, .first = instruction.pc, .second = other.pc}, now(), [&] {
    uint64_t lanes = 0;
    uint32_t address = 0;
    bool fills = false;
    for (const LdsPlace& its : flight.places) {
      const uint64_t both = shared_lanes(place, its);
      if (!both || (reads && its.direction == isa::Direction::Load)) continue;
      if (!lanes) address = place.address[std::countr_zero(both)];
      lanes |= both;
      fills |= its.direction != isa::Direction::Load;
    }
    const std::string wait = wait_text(need.counter, need.limit);
    return Finding{
        .topic = Topic::Wait,
        .rule = std::string(rule),
        .what =
            own ? fmt::format("{} LDS before a load has filled it", reads ? "reads" : "overwrites")
                : fmt::format("{} LDS that another wave may still be {}: it arrived at the barrier without "
                              "a wait",
                              reads ? "reads" : "overwrites", fills ? "filling" : "reading"),
        .parties = {party(shared_.launch, reads ? "reads" : "writes", instruction, id_, view.index(), lanes),
                    party(shared_.launch,
                          flight.facts->to_lds ? "loads to LDS"
                          : fills              ? "writes"
                                               : "reads",
                          other, id_, wave, flight.exec)},
        .address = fmt::format("LDS + {:#x}", address),
        .fix = own ? fmt::format("put {} between them", wait)
                   : fmt::format("put {} before the barrier of the second one", wait)};
  });
}

}  // namespace wavesmith::check::wait
