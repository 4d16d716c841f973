#include "tests/fuzz/instruction_fuzzer.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "emulate/dispatch.h"
#include "emulate/fault.h"
#include "emulate/fidelity.h"
#include "emulate/memory.h"
#include "emulate/program.h"
#include "emulate/wave.h"
#include "emulate/workgroup.h"
#include "isa/llvm/assembler.h"
#include "isa/llvm/decoder.h"

namespace wavesmith::fuzz {
namespace {

using emulate::Program;
using emulate::Status;
using emulate::Wave;

constexpr size_t kSlot = 64;  // an input and the ends of program after it
constexpr int64_t kBudget = 2'000;
constexpr uint32_t kLds = 16384, kScratch = 1024;
constexpr size_t kBuffer = size_t{1} << 16;

/// Pages between pages that fault, so that a write next to them does not go unseen.
class Guarded {
 public:
  explicit Guarded(size_t bytes) : bytes_((bytes + kGuard - 1) / kGuard * kGuard) {
    void* const at = mmap(nullptr, bytes_ + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) std::abort();
    begin_ = static_cast<uint8_t*>(at);
    if (mprotect(begin_ + kGuard, bytes_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  ~Guarded() { munmap(begin_, bytes_ + 2 * kGuard); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  [[nodiscard]] uint8_t* data() const { return begin_ + kGuard; }
  [[nodiscard]] bool near(uint64_t address) const {
    const auto begin = reinterpret_cast<uint64_t>(begin_);
    return address >= begin && address < begin + bytes_ + 2 * kGuard;
  }

 private:
  static constexpr size_t kGuard = size_t{1} << 16;
  size_t bytes_;
  uint8_t* begin_ = nullptr;
};

/// The first hexadecimal number in a text.
uint64_t address_in(const std::string& text) {
  const size_t at = text.find("0x");
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at, nullptr, 16);
}

}  // namespace

struct InstructionFuzzer::State {
  State(const isa::Target& t, int l, uint64_t seed) : target(t), lanes(l), random(seed) {}

  const isa::Target& target;
  int lanes;
  std::mt19937_64 random;
  Guarded wave_pages{sizeof(Wave)}, lds{kLds + 64}, scratch{size_t{kScratch} * 64 + 64};
  std::vector<uint64_t> hits;
  emulate::Memory* memory = nullptr;
  uint8_t* buffer = nullptr;
  emulate::Workgroup group;
  emulate::Dispatch dispatch;
  object::Kernel kernel;
  std::vector<uint8_t> end;  ///< s_endpgm
  std::unique_ptr<isa::Decoder> decoder;

  Wave& wave() { return *reinterpret_cast<Wave*>(wave_pages.data()); }
  void draw_registers();
  Outcome run_one(Program& program, uint64_t pc, const std::vector<uint8_t>& input);
};

InstructionFuzzer::InstructionFuzzer(const isa::Target& target, int lanes, uint64_t seed)
    : state_(std::make_unique<State>(target, lanes, seed)) {
  static const auto memory = emulate::Memory::create(uint64_t{1} << 30);
  auto end = isa::assemble(target, lanes, "s_endpgm");
  auto decoder = isa::Decoder::create(target, lanes);
  if (!memory || !end || !decoder) std::abort();
  state_->memory = *memory;
  const auto buffer = state_->memory->allocate(kBuffer);
  if (!buffer) std::abort();
  state_->buffer = static_cast<uint8_t*>(*buffer);
  state_->end = *end;
  state_->decoder = std::make_unique<isa::Decoder>(std::move(*decoder));
  state_->kernel.name = "fuzz";
  state_->dispatch.kernel = &state_->kernel;
  state_->group.dispatch = &state_->dispatch;
  state_->group.waves = {&state_->wave()};
}

InstructionFuzzer::~InstructionFuzzer() { (void)state_->memory->release(state_->buffer); }

void InstructionFuzzer::State::draw_registers() {
  Wave& w = wave();
  // Half of the runs have addresses of the buffer in scalar pairs and small offsets in lanes, so that
  // accesses succeed.
  const bool tame = random() & 1;
  const auto at = reinterpret_cast<uint64_t>(buffer);
  for (int i = 0; i < emulate::scalar_index::kScc; i += 2)
    w.scalar64(i) = tame ? at + (random() & 0xff8) : random();
  w.s[emulate::scalar_index::kM0] = static_cast<uint32_t>(random() & (tame ? 0xff : ~0u));
  w.exec() = random() % 4 == 0 ? random() : ~uint64_t{0};
  if (lanes == 32) w.exec() &= 0xffffffffu;
  w.s[emulate::scalar_index::kScc] = random() & 1;
  w.set_apertures();
  w.s[emulate::scalar_index::kMode] = 0xf0;
  w.s[emulate::scalar_index::kSkip] = 0;
  for (int row = 0; row < 24; ++row)
    for (int lane = 0; lane < lanes; ++lane)
      w.vgpr(row)[lane] = static_cast<uint32_t>(tame ? (random() & 0xffc) : random());
}

Outcome InstructionFuzzer::State::run_one(Program& program, uint64_t pc, const std::vector<uint8_t>& input) {
  Outcome outcome;
  if (const auto first = decoder->decode(std::span(input), pc)) {
    outcome.first = first->text;
    outcome.claimed =
        emulate::fidelity_of(first->mnemonic, first->encoding, target).fidelity != isa::Fidelity::Unsupported;
    for (const isa::Instruction& second : first->second)
      outcome.claimed =
          outcome.claimed && emulate::fidelity_of(second.mnemonic, second.encoding, target).fidelity !=
                                 isa::Fidelity::Unsupported;
  }
  const auto entry = program.entry(pc);
  if (!entry) {
    outcome.error = entry.error();
    return outcome;
  }
  hits.resize(std::max(hits.size(), program.block_count() + 4096));
  draw_registers();
  Wave& w = wave();
  group.program = &program;
  group.lds = lds.data();
  group.fault.reset();
  group.barrier_signals = 0;
  w.lanes = static_cast<uint32_t>(lanes);
  w.hits = hits.data();
  w.group = &group;
  w.memory = &memory->map();
  w.lds = lds.data();
  w.lds_size = kLds;
  w.scratch = scratch.data();
  w.scratch_size = kScratch;
  w.constants_loaded = 0;
  w.barrier_complete = 0;
  program.load_constants(w);
  w.resume = *entry;
  int64_t left = kBudget;
  for (int turns = 0; turns < 64 && left > 0; ++turns) {
    w.status = Status::Ready;
    w.budget = kBudget;
    run_slice(w);
    left -= kBudget - w.budget;
    if (w.status != Status::Ready && w.status != Status::Barrier) break;
  }
  if (w.s[emulate::scalar_index::kScc] > 1) outcome.defect = "SCC is neither 0 nor 1";
  if (w.status != Status::Fault) {
    outcome.ended = true;
    return outcome;
  }
  outcome.error =
      group.fault ? group.fault->error : static_cast<const emulate::Stop*>(w.resume->pointer)->error;
  if (outcome.error.kind == ErrorKind::Internal) outcome.defect = "internal error: " + outcome.error.text();
  if (outcome.error.kind == ErrorKind::MemoryFault &&
      outcome.error.what.find("unaligned") == std::string::npos) {
    const uint64_t address = address_in(outcome.error.what);
    if (wave_pages.near(address) || lds.near(address) || scratch.near(address))
      outcome.defect = "left the wave's own state: " + outcome.error.text();
  }
  return outcome;
}

std::vector<Outcome> InstructionFuzzer::run(std::span<const std::vector<uint8_t>> inputs) {
  State& state = *state_;
  std::vector<uint8_t> code(kSlot * (inputs.size() + 1));
  for (size_t i = 0; i + state.end.size() <= code.size(); i += state.end.size())
    std::copy(state.end.begin(), state.end.end(), code.begin() + static_cast<ptrdiff_t>(i));
  for (size_t i = 0; i < inputs.size(); ++i)
    std::copy_n(inputs[i].begin(), std::min(inputs[i].size(), kMostBytes),
                code.begin() + static_cast<ptrdiff_t>(kSlot * i));
  auto program = Program::create(state.target, state.lanes, code);
  if (!program) std::abort();
  state.dispatch.program = program->get();
  std::vector<Outcome> outcomes;
  for (size_t i = 0; i < inputs.size(); ++i)
    outcomes.push_back(
        state.run_one(**program, reinterpret_cast<uint64_t>(code.data() + kSlot * i), inputs[i]));
  return outcomes;
}

std::vector<uint8_t> InputSource::next() {
  std::vector<uint8_t> input;
  const auto word = [&](uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) input.push_back(static_cast<uint8_t>(value >> (8 * i)));
  };
  const uint64_t kind = seen_.empty() ? 0 : random_() % 4;
  if (kind == 0) {
    word(random_(), 8), word(random_(), 8);
    return input;
  }
  for (uint64_t pieces = 1 + random_() % 3; pieces > 0 && input.size() + 16 <= InstructionFuzzer::kMostBytes;
       --pieces) {
    std::vector<uint8_t> piece = seen_[random_() % seen_.size()];
    piece.resize(kind == 3 ? 12 : 8);
    for (uint64_t flips = random_() % (kind == 1 ? 3 : 8); flips > 0; --flips)
      piece[random_() % piece.size()] ^= static_cast<uint8_t>(1u << random_() % 8);
    if (random_() % 4 == 0) piece[random_() % piece.size()] = static_cast<uint8_t>(random_());
    input.insert(input.end(), piece.begin(), piece.end());
  }
  return input;
}

void InputSource::keep(const std::vector<uint8_t>& input, const std::string& mnemonic) {
  if (mnemonic.empty() || seen_.size() >= 20'000) return;
  const auto at = std::lower_bound(names_.begin(), names_.end(), mnemonic);
  if (at != names_.end() && *at == mnemonic) return;
  names_.insert(at, mnemonic);
  seen_.push_back(input);
}

}  // namespace wavesmith::fuzz
