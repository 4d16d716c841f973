#include "tests/fuzz/instruction_fuzzer.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "emulate/engine/handlers.h"
#include "emulate/memory/memory.h"
#include "emulate/run/dispatch.h"
#include "emulate/run/fault.h"
#include "emulate/run/turn.h"
#include "emulate/run/wave.h"
#include "emulate/run/workgroup.h"
#include "emulate/translate/fidelity.h"
#include "emulate/translate/program.h"
#include "isa/llvm/assembler.h"
#include "isa/llvm/decoder.h"
#include "tests/fuzz/effects.h"

namespace wavesmith::fuzz {
namespace {

using emulate::Program;
using emulate::Status;
using emulate::Wave;

constexpr size_t kSlot = 64;  // an input and the ends of program after it
constexpr int64_t kBudget = 2'000;
constexpr uint32_t kLds = 16384, kScratch = 1024;
constexpr size_t kBuffer = size_t{1} << 16;

/// Pages between pages that fault, so that a write next to them does not go unseen. They lie far from all
/// that addresses of the buffer with an instruction's offset (24 bits at most) can name.
class Guarded {
 public:
  explicit Guarded(size_t bytes) : bytes_((bytes + kGuard - 1) / kGuard * kGuard) {
    void* const at =
        mmap(nullptr, bytes_ + 2 * kFar, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) std::abort();
    begin_ = static_cast<uint8_t*>(at);
    if (mprotect(data(), bytes_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  ~Guarded() { munmap(begin_, bytes_ + 2 * kFar); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  [[nodiscard]] uint8_t* data() const { return begin_ + kFar; }
  [[nodiscard]] bool near(uint64_t address) const {
    const auto begin = reinterpret_cast<uint64_t>(data());
    return address >= begin - kGuard && address < begin + bytes_ + kGuard;
  }

 private:
  static constexpr size_t kGuard = size_t{1} << 16, kFar = size_t{1} << 26;
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

  std::set<std::string> proved;
  std::vector<uint8_t> image, data, lds_image;  ///< of the wave's registers and of memory, before a run
  std::vector<uint8_t> after;

  Wave& wave() { return *reinterpret_cast<Wave*>(wave_pages.data()); }
  void draw_registers();
  void start(Program& program);
  bool execute(const emulate::Uop* entry);
  std::string effects(Program& program, uint64_t pc, const std::vector<uint8_t>& input);
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

size_t InstructionFuzzer::proved() const { return state_->proved.size(); }

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
  start(program);
  Wave& w = wave();
  const bool done = execute(*entry);
  if (w.s[emulate::scalar_index::kScc] > 1) outcome.defect = "SCC is neither 0 nor 1";
  if (done) {
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

void InstructionFuzzer::State::start(Program& program) {
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
}

/// Runs to the end or until the budget is spent; false after a fault.
bool InstructionFuzzer::State::execute(const emulate::Uop* entry) {
  Wave& w = wave();
  w.resume = entry;
  int64_t left = kBudget;
  for (int turns = 0; turns < 64 && left > 0; ++turns) {
    w.status = Status::Ready;
    grant(group, kBudget);
    take_up(w);
    run_slice(w);
    left -= kBudget - w.budget;
    if (w.status != Status::Ready && w.status != Status::Barrier) break;
  }
  return w.status != Status::Fault;
}

/// Empty, or what the first instruction did that its row does not say.
std::string InstructionFuzzer::State::effects(Program& program, uint64_t pc,
                                              const std::vector<uint8_t>& input) {
  constexpr size_t kScalars = 4 * (emulate::scalar_index::kScc + 1);
  constexpr int kFirst = emulate::kTemporaryRows, kEnd = kFirst + emulate::kVgprRows + 256;
  const auto first = decoder->decode(std::span(input), pc);
  if (!first || !first->second.empty()) return {};
  const emulate::Implementation* const implementation = emulate::find_implementation(first->mnemonic, target);
  if (!implementation) return {};
  const auto effects = effects_of(*first, implementation->row, lanes);
  const auto entry = program.entry(pc);
  if (!effects || !entry) return {};
  hits.resize(std::max(hits.size(), program.block_count() + 4096));
  Wave& w = wave();
  const auto every = [&](auto each) {
    for (int row = kFirst; row < kEnd; ++row) each(w.row[row]);
  };
  draw_registers();
  // Few rows matter, but any may be named.
  every([&](uint32_t* row) {
    for (int lane = 0; lane < emulate::kRowLanes; ++lane)
      if (row >= w.vgpr(24)) row[lane] = static_cast<uint32_t>(lane * 4) ^ (row - w.vgpr(0)) * 8 % 2048;
  });
  image.resize(sizeof w.s + sizeof w.row);
  std::memcpy(image.data(), w.s, sizeof w.s);
  std::memcpy(image.data() + sizeof w.s, w.row, sizeof w.row);
  data.assign(buffer, buffer + kBuffer);
  lds_image.assign(lds.data(), lds.data() + kLds);
  const std::vector<uint8_t> scratch_image(scratch.data(), scratch.data() + size_t{kScratch} * 64);
  const auto reset_memory = [&] {
    std::memcpy(buffer, data.data(), kBuffer);
    std::memcpy(lds.data(), lds_image.data(), kLds);
    std::memcpy(scratch.data(), scratch_image.data(), scratch_image.size());
  };
  start(program);
  const bool done = execute(*entry);
  if (!done) {
    reset_memory();
    return {};
  }
  const auto in = [&](const std::vector<RegisterRange>& ranges, bool scalar, int i) {
    return std::any_of(ranges.begin(), ranges.end(), [&](const RegisterRange& range) {
      return range.scalar == scalar && i >= range.first && i < range.first + range.count;
    });
  };
  const auto* const before_s = reinterpret_cast<const uint32_t*>(image.data());
  const auto* const before_rows =
      reinterpret_cast<const uint32_t (*)[emulate::kRowLanes]>(image.data() + sizeof w.s);
  const uint64_t exec =
      before_s[emulate::scalar_index::kExec] | uint64_t{before_s[emulate::scalar_index::kExec + 1]} << 32;
  std::string wrong;
  for (size_t i = 0; i < kScalars / 4; ++i)
    if (w.s[i] != before_s[i] && !in(effects->writes, true, static_cast<int>(i)))
      wrong = fmt::format("writes scalar {}", i);
  for (int row = kFirst; row < kEnd; ++row) {
    if (std::memcmp(w.row[row], before_rows[row], 4 * static_cast<size_t>(lanes)) == 0) continue;
    if (!in(effects->writes, false, row - kFirst)) wrong = fmt::format("writes row {}", row - kFirst);
    for (int lane = 0; effects->keeps_inactive_lanes && lane < lanes; ++lane)
      if ((exec >> lane & 1) == 0 && w.row[row][lane] != before_rows[row][lane])
        wrong = fmt::format("writes lane {} of row {}, which is off", lane, row - kFirst);
  }
  after.resize(image.size());
  std::memcpy(after.data(), w.s, sizeof w.s);
  std::memcpy(after.data() + sizeof w.s, w.row, sizeof w.row);
  // Again, with everything changed that is not named as read.
  std::memcpy(w.s, image.data(), sizeof w.s);
  std::memcpy(w.row, image.data() + sizeof w.s, sizeof w.row);
  for (int i = 0; i < emulate::scalar_index::kExec; ++i)
    if (!in(effects->reads, true, i)) w.s[i] ^= 0x5a5a5a5au;
  if (!in(effects->reads, true, emulate::scalar_index::kScc)) w.s[emulate::scalar_index::kScc] ^= 1;
  for (int row = kFirst; row < kEnd; ++row)
    if (!in(effects->reads, false, row - kFirst))
      for (int lane = 0; lane < lanes; ++lane) w.row[row][lane] ^= 0x5a5a5a5au;
  reset_memory();
  start(program);
  const bool again = execute(*entry);
  const auto* const after_s = reinterpret_cast<const uint32_t*>(after.data());
  const auto* const after_rows =
      reinterpret_cast<const uint32_t (*)[emulate::kRowLanes]>(after.data() + sizeof w.s);
  if (!again) wrong = "faults when what it does not read changes";
  // A clock and the numbers of a workgroup are no registers.
  for (const RegisterRange& range : effects->writes)
    for (int i = range.first; again && i < range.first + range.count; ++i) {
      const bool same = range.scalar ? w.s[i] == after_s[i] : [&] {
        for (int lane = 0; lane < lanes; ++lane)
          if ((!effects->keeps_inactive_lanes || (exec >> lane & 1) != 0) &&
              w.row[kFirst + i][lane] != after_rows[kFirst + i][lane])
            return false;
        return true;
      }();
      if (!same)
        wrong = fmt::format("{} {} depends on what it does not read", range.scalar ? "scalar" : "row", i);
    }
  reset_memory();
  if (wrong.empty()) proved.insert(first->mnemonic);
  return wrong;
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
  std::vector<uint8_t> alone(code);
  auto single = Program::create(state.target, state.lanes, alone);
  if (!single) std::abort();
  std::vector<Outcome> outcomes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const uint64_t pc = reinterpret_cast<uint64_t>(code.data() + kSlot * i);
    outcomes.push_back(state.run_one(**program, pc, inputs[i]));
    if (!check_effects_ || outcomes.back().first.empty()) continue;
    // The first instruction alone: what follows it becomes the end.
    const auto first = state.decoder->decode(std::span(inputs[i]), pc);
    if (!first || first->size > kSlot / 2) continue;
    for (size_t at = first->size; at + state.end.size() <= kSlot; at += state.end.size())
      std::copy(state.end.begin(), state.end.end(), alone.begin() + static_cast<ptrdiff_t>(kSlot * i + at));
    std::copy_n(inputs[i].begin(), first->size, alone.begin() + static_cast<ptrdiff_t>(kSlot * i));
    const std::string wrong =
        state.effects(**single, reinterpret_cast<uint64_t>(alone.data() + kSlot * i), inputs[i]);
    if (!wrong.empty()) outcomes.back().defect = "effects: " + wrong;
  }
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
