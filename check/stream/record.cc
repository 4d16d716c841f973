#include "check/stream/record.h"

#include <fmt/format.h>

namespace wavesmith::check {

Party party(const StreamRecord& record, std::string role, uint32_t site) {
  role += record.work.at.graph ? ", in a graph's run" : "";
  role += record.on_default_stream ? ", in the default stream"
                                   : fmt::format(", in stream {}", record.work.at.stream);
  if (record.kernel.empty()) {
    std::string what = record.frees || record.call.name.empty() ? std::string() : record.access + " by ";
    return {.role = std::move(role), .instruction = what + text_of(record.call)};
  }
  const TouchingSites::Instruction instruction = record.sites->instruction(site);
  return {.role = std::move(role),
          .kernel = record.kernel,
          .offset = instruction.pc - record.entry,
          .instruction = instruction.text,
          .source = record.locate ? record.locate(instruction.pc) : std::string(),
          .dispatch = record.dispatch,
          .wave = Party::kAllWaves};
}

uint64_t identity(const StreamRecord& record, uint32_t site) {
  return record.kernel.empty() ? reinterpret_cast<uint64_t>(record.call.caller)
                               : record.sites->instruction(site).pc;
}

}  // namespace wavesmith::check
