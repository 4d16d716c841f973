#include "emulate/translate/survey.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "emulate/translate/program.h"
#include "isa/control/row.h"
#include "isa/llvm/decoder.h"
#include "isa/llvm/mnemonics.h"

namespace wavesmith::emulate {
namespace {

/// A program keeps what it translates. Past so many blocks the survey goes on with a new one.
constexpr size_t kMostBlocksAtOnce = 20'000;

std::string printed(const isa::Instruction& instruction) {
  return instruction.mnemonic + std::string(isa::encoding_suffix(instruction.encoding));
}

class Surveyor {
 public:
  Surveyor(const isa::Target& target, int wave_lanes, std::span<const uint8_t> code, uint64_t address)
      : target_(target),
        wave_lanes_(wave_lanes),
        code_(code),
        address_(address),
        seen_(code.size() / 4 + 1) {}

  Result<void> stretch(const Stretch& stretch) {
    stretch_ = &stretch;
    const uint64_t end = std::min<uint64_t>(stretch.end, code_.size());
    if (stretch.begin < end)
      if (const auto done = from(stretch.begin); !done) return done;
    // What only an indirect jump reaches, and data.
    for (uint64_t at = stretch.begin; at + 4 <= end;) {
      if (const uint8_t size = seen_[at / 4]; size != 0) {
        at += size;
        continue;
      }
      auto decoder = this->decoder();
      if (!decoder) return tl::unexpected(decoder.error());
      const auto decoded = (*decoder)->decode(code_.subspan(at, end - at), address_ + at);
      if (!decoded || is_zero(at)) {
        survey_.data += 4;
        at += 4;
      } else if (isa::is_padding(decoded->mnemonic)) {
        at += decoded->size;
      } else if (const auto done = from(at); !done) {
        return done;
      } else if (seen_[at / 4] == 0) {
        return fail(ErrorKind::Internal, "an instruction was not translated",
                    fmt::format("pc {:#x}", address_ + at));
      }
    }
    return {};
  }
  Survey take() { return std::move(survey_); }

 private:
  [[nodiscard]] bool is_zero(uint64_t at) const {
    return std::all_of(code_.begin() + static_cast<ptrdiff_t>(at),
                       code_.begin() + static_cast<ptrdiff_t>(at) + 4,
                       [](uint8_t byte) { return byte == 0; });
  }

  Result<isa::Decoder*> decoder() {
    if (!decoder_) {
      auto created = isa::Decoder::create(target_, wave_lanes_);
      if (!created) return tl::unexpected(created.error());
      decoder_ = std::make_unique<isa::Decoder>(std::move(*created));
    }
    return decoder_.get();
  }

  /// Translates what can be reached from an offset.
  Result<void> from(uint64_t offset) {
    if (!program_ || program_->block_count() > kMostBlocksAtOnce) {
      auto program = Program::create(target_, wave_lanes_, code_);
      if (!program) return tl::unexpected(program.error());
      program_ = std::move(*program);
      program_->on_translation(
          [this](const isa::Instruction& instruction, const Error* refusal) { note(instruction, refusal); });
    }
    const auto entry = program_->entry(reinterpret_cast<uint64_t>(code_.data()) + offset);
    if (!entry) return tl::unexpected(entry.error());
    return {};
  }

  void note(const isa::Instruction& instruction, const Error* refusal) {
    const uint64_t offset = instruction.pc - reinterpret_cast<uint64_t>(code_.data());
    if (offset >= code_.size()) {  // a branch to outside of the code
      refuse(offset, instruction, *refusal);
      return;
    }
    uint8_t& seen = seen_[offset / 4];
    if (seen != 0) return;
    seen = static_cast<uint8_t>(instruction.size != 0 ? instruction.size : 4);
    ++survey_.instructions;
    if (instruction.size != 0) count(instruction, refusal != nullptr);
    if (refusal) refuse(offset, instruction, *refusal);
  }

  void count(const isa::Instruction& instruction, bool refused) {
    Survey::Count& of = survey_.mnemonics[printed(instruction)];
    ++of.all;
    of.refused += refused;
    for (const isa::Instruction& second : instruction.second) count(second, refused);
  }

  void refuse(uint64_t offset, const isa::Instruction& instruction, const Error& error) {
    ++survey_.refused;
    if (survey_.refusals.size() < Survey::kMostRefusals)
      survey_.refusals.push_back({stretch_->name, address_ + offset, instruction.text, error});
  }

  const isa::Target& target_;
  int wave_lanes_;
  std::span<const uint8_t> code_;
  uint64_t address_;
  const Stretch* stretch_ = nullptr;
  std::vector<uint8_t> seen_;  ///< of each dword, the bytes of the instruction that begins there
  std::unique_ptr<isa::Decoder> decoder_;
  std::unique_ptr<Program> program_;
  Survey survey_;
};

/// The routines in a segment, each to its end: by its size where the symbol has one, to the next one
/// elsewhere.
std::vector<Stretch> stretches_in(const object::Segment& segment,
                                  const std::map<uint64_t, std::pair<std::string, uint64_t>>& routines) {
  std::vector<Stretch> stretches;
  for (auto each = routines.begin(); each != routines.end(); ++each) {
    const auto& [begin, named] = *each;
    if (begin < segment.address || begin - segment.address >= segment.file_size) continue;
    uint64_t end = segment.address + segment.file_size;
    if (const auto next = std::next(each); next != routines.end()) end = std::min(end, next->first);
    if (named.second != 0) end = std::min(end, begin + named.second);
    stretches.push_back({named.first, begin - segment.address, end - segment.address});
  }
  return stretches;
}

}  // namespace

Survey& Survey::operator+=(const Survey& other) {
  instructions += other.instructions;
  refused += other.refused;
  data += other.data;
  for (const auto& [mnemonic, count] : other.mnemonics) {
    mnemonics[mnemonic].all += count.all;
    mnemonics[mnemonic].refused += count.refused;
  }
  for (const Refusal& refusal : other.refusals)
    if (refusals.size() < kMostRefusals) refusals.push_back(refusal);
  return *this;
}

Result<Survey> survey(const isa::Target& target, int wave_lanes, std::span<const uint8_t> code,
                      uint64_t address, std::span<const Stretch> stretches) {
  Surveyor surveyor(target, wave_lanes, code, address);
  for (const Stretch& stretch : stretches)
    if (const auto done = surveyor.stretch(stretch); !done) return tl::unexpected(done.error());
  return surveyor.take();
}

Result<Survey> survey(const object::CodeObject& object) {
  const isa::Target* const target = isa::find_target(object.target().processor);
  if (!target)
    return fail(ErrorKind::WrongTarget, fmt::format("{} is not emulated", object.target().processor));
  // Kernels of both wave sizes may stand in one object. A function belongs to the kernels before it.
  std::map<uint64_t, std::pair<std::string, uint64_t>> routines;
  for (const object::Routine& routine : object.routines())
    routines.try_emplace(routine.address, routine.name, routine.size);
  std::map<uint64_t, int> lanes;
  for (const object::Kernel& kernel : object.kernels()) {
    routines.try_emplace(kernel.entry(), kernel.name, 0);
    lanes.emplace(kernel.entry(), static_cast<int>(kernel.wavefront_size));
  }
  const int usual = lanes.empty() ? (target->wave64_only ? 64 : 32) : lanes.begin()->second;
  Survey all;
  for (const object::Segment& segment : object.segments()) {
    if (!segment.executable) continue;
    const std::span<const uint8_t> code = object.at(segment.address, segment.file_size);
    std::map<int, std::vector<Stretch>> by_lanes;
    int current = usual;
    for (Stretch& stretch : stretches_in(segment, routines)) {
      if (const auto kernel = lanes.find(segment.address + stretch.begin); kernel != lanes.end())
        current = kernel->second;
      by_lanes[current].push_back(std::move(stretch));
    }
    for (const auto& [wave_lanes, stretches] : by_lanes) {
      auto one = survey(*target, wave_lanes, code, segment.address, stretches);
      if (!one) return tl::unexpected(one.error());
      all += *one;
    }
  }
  return all;
}

}  // namespace wavesmith::emulate
