#include "emulate/instructions/testing.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <tuple>

#include "emulate/instructions/rows_testing.h"
#include "emulate/run/host_mode.h"
#include "emulate/run/turn.h"
#include "emulate/run/workgroup.h"
#include "emulate/translate/hits.h"
#include "emulate/translate/program.h"
#include "isa/llvm/assembler.h"

namespace wavesmith::emulate {
namespace {
constexpr uint32_t kLdsBytes = 65536;

/// One for all tests of the process: each reserves terabytes of addresses.
Memory& shared_memory() {
  static const auto memory = Memory::create(uint64_t{1} << 32);
  if (!memory) std::abort();
  return **memory;
}

}  // namespace

struct WaveTest::State {
  const isa::Target* target;
  Workgroup group;
  std::vector<uint8_t> lds = std::vector<uint8_t>(kLdsBytes + 64);
  Hits hits;
  std::vector<uint8_t> scratch = std::vector<uint8_t>(65536);
  Memory* memory = nullptr;
  struct Loaded {
    std::vector<uint8_t> code;
    std::unique_ptr<Program> program;
  };
  /// By text, MODE and SRAM-ECC, for tests that run the same many times.
  std::map<std::tuple<std::string, uint32_t, bool>, Loaded> programs;
};

WaveTest::WaveTest(std::string_view target, int lanes) : state_(std::make_unique<State>()), lanes_(lanes) {
  state_->target = isa::find_target(target);
  void* const pages = mmap(nullptr, sizeof(Wave), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!state_->target || pages == MAP_FAILED) std::abort();
  sram_ecc = state_->target->may_have_sram_ecc();
  wave_ = static_cast<Wave*>(pages);
  state_->memory = &shared_memory();
  wave_->lanes = static_cast<uint32_t>(lanes);
  wave_->hits = state_->hits.data();
  wave_->group = &state_->group;
  wave_->memory = &state_->memory->map();
  wave_->lds = state_->lds.data();
  wave_->lds_size = kLdsBytes;
  wave_->scratch = state_->scratch.data();
  wave_->scratch_size = 256;
  wave_->exec() = lanes == 64 ? ~uint64_t{0} : 0xffffffffu;
  wave_->set_apertures();
  wave_->s[scalar_index::kMode] = 0xf0;  // round to nearest even, denormals kept: HIP's default
  state_->group.lds = wave_->lds;
  state_->group.waves = {wave_};
}

WaveTest::~WaveTest() { munmap(wave_, sizeof(Wave)); }

uint8_t* WaveTest::lds() { return state_->lds.data(); }
Memory& WaveTest::memory() { return *state_->memory; }

Result<void> WaveTest::run(std::string_view assembly) {
  State::Loaded& kept = state_->programs[{std::string(assembly), wave_->s[scalar_index::kMode], sram_ecc}];
  if (!kept.program) {
    auto code = isa::assemble(*state_->target, lanes_, std::string(assembly) + "\ns_endpgm\n");
    if (!code) return tl::unexpected(code.error());
    kept.code = std::move(*code);
    auto program = Program::create(*state_->target, lanes_, kept.code);
    if (!program) return tl::unexpected(program.error());
    kept.program = std::move(*program);
    kept.program->sram_ecc(sram_ecc);
    note_rows(*kept.program, *state_->target, lanes_);
  }
  Program& loaded = *kept.program;
  state_->group.program = &loaded;
  state_->group.fault.reset();
  loaded.expect_mode(wave_->s[scalar_index::kMode]);
  const auto entry = loaded.entry(reinterpret_cast<uint64_t>(kept.code.data()));
  if (!entry) return tl::unexpected(entry.error());
  wave_->constants_loaded = 0;
  wave_->barrier_complete = 0;
  state_->group.barrier_signals = 0;
  loaded.load_constants(*wave_);
  wave_->resume = *entry;
  int64_t left = most_instructions;
  do {
    wave_->status = Status::Ready;
    grant(state_->group, 10'000);
    take_up(*wave_);
    run_in_mode(*wave_);
    left -= 10'000 - wave_->budget;
    if (left < 0) return fail(ErrorKind::Budget, "the test's program did not end");
  } while (wave_->status == Status::Ready || wave_->status == Status::Barrier);
  if (wave_->status == Status::Done) return {};
  if (wave_->status == Status::SplitBarrier)
    return fail(ErrorKind::Trap, "the wave waits at a barrier that it has not signalled");
  if (state_->group.fault) return tl::unexpected(state_->group.fault->error);
  return tl::unexpected(static_cast<const Stop*>(wave_->resume->pointer)->error);
}

struct KernelTest::State {
  std::vector<uint8_t> code;
  std::unique_ptr<Program> program;
  object::Kernel kernel;
  Memory* memory = nullptr;
};

KernelTest::KernelTest(std::string_view target_name, std::string_view assembly, int lanes, uint32_t lds)
    : state_(std::make_unique<State>()) {
  const isa::Target* const target = isa::find_target(target_name);
  if (!target) std::abort();
  auto code = isa::assemble(*target, lanes, std::string(assembly) + "\ns_endpgm\n");
  if (!code) {
    std::fprintf(stderr, "%s\n", code.error().text().c_str());
    std::abort();
  }
  state_->code = std::move(*code);
  auto program = Program::create(*target, lanes, state_->code);
  if (!program) std::abort();
  state_->program = std::move(*program);
  note_rows(*state_->program, *target, lanes);
  state_->memory = &shared_memory();
  object::Kernel& kernel = state_->kernel;
  kernel.name = "test";
  kernel.vgpr_count = 32;
  kernel.fields.group_segment_fixed_size = lds;
  kernel.fields.kernel_code_properties = 1u << 3;       // kernarg segment pointer
  kernel.fields.compute_pgm_rsrc2 = 2u << 1 | 1u << 7;  // two user SGPRs, workgroup id x
  kernel.fields.compute_pgm_rsrc1 = 0xf0u << 12;        // denormals kept
}

KernelTest::~KernelTest() = default;

uint32_t* KernelTest::allocate(size_t count) {
  auto memory = state_->memory->allocate(count * 4);
  if (!memory) std::abort();
  std::memset(*memory, 0, count * 4);
  return static_cast<uint32_t*>(*memory);
}

Result<Statistics> KernelTest::launch(uint32_t workgroups, uint32_t workgroup_size,
                                      const std::vector<uint64_t>& arguments, const Limits& limits) {
  return launch(Extent3{workgroups * workgroup_size, 1, 1}, Extent3{workgroup_size, 1, 1}, arguments, limits);
}

Result<Statistics> KernelTest::launch(const Extent3& grid, const Extent3& workgroup,
                                      const std::vector<uint64_t>& arguments, const Limits& limits) {
  auto* const kernarg = reinterpret_cast<uint64_t*>(allocate(2 * arguments.size() + 2));
  std::copy(arguments.begin(), arguments.end(), kernarg);
  Dispatch dispatch;
  dispatch.program = state_->program.get();
  dispatch.kernel = &state_->kernel;
  dispatch.entry = reinterpret_cast<uint64_t>(state_->code.data());
  dispatch.grid = grid;
  dispatch.workgroup = workgroup;
  dispatch.kernarg = kernarg;
  dispatch.most_resident = most_resident;
  dispatch.listeners = listeners;
  dispatch.progress = progress;
  if (prepare) prepare(dispatch, *state_->memory);
  return emulate::run(dispatch, *state_->memory, limits);
}

std::vector<TargetLanes> all_targets() {
  std::vector<TargetLanes> all;
  for (const isa::Target& target : isa::kTargets) {
    all.push_back({target.name, 64});
    if (!target.wave64_only) all.push_back({target.name, 32});
  }
  return all;
}

}  // namespace wavesmith::emulate
