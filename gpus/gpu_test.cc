#include "gpus/gpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "base/scratch.h"
#include "isa/target.h"

namespace wavesmith::gpus {
namespace {

TEST(Gpus, ThereAreSomeOfEachLineAndSomeForPredictionsOnly) {
  EXPECT_TRUE(std::ranges::is_sorted(ids()));
  for (const std::string_view id : ids()) {
    const auto gpu = find_gpu(id);
    EXPECT_TRUE(gpu) << gpu.error().text();
  }
  std::set<std::string> lines, predicted;
  for (const Gpu* gpu : gpus()) (gpu->predict_only ? predicted : lines).insert(gpu->line);
  EXPECT_EQ(lines, (std::set<std::string>{"CDNA", "RDNA"}));
  EXPECT_TRUE(predicted.contains("NVIDIA"));
}

TEST(Gpus, AReferenceStandsForItsTarget) {
  const auto first_of = [](std::string_view target) {
    for (const Gpu* gpu : usual_first())
      if (gpu->target == target) return gpu->id;
    return std::string();
  };
  EXPECT_EQ(usual_first().size(), gpus().size());
  EXPECT_EQ(first_of("gfx942"), "mi300x");
  EXPECT_EQ(first_of("gfx950"), "mi350x");
  EXPECT_EQ(first_of("gfx1100"), "rx7900xtx");
}

TEST(Gpus, NothingRunsOnAGpuThatIsOnlyPredicted) {
  ASSERT_TRUE(find_gpu("h100"));
  const auto machine = find_machine("mi300x,h100");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(machine.error().text().find("NVIDIA H100"), std::string::npos) << machine.error().text();
  EXPECT_NE(machine.error().text().find("mi355x"), std::string::npos) << machine.error().text();
}

// What is kept up stays below the peak.
TEST(Gpus, SustainedRatesStayBelowThePeaks) {
  for (const Gpu* gpu : gpus()) {
    SCOPED_TRACE(gpu->id);
    for (const std::optional<double>& rate : {gpu->sustained_memory, gpu->sustained_read}) {
      if (!rate) continue;
      EXPECT_LT(*rate, gpu->memory_gigabytes_per_second);
      EXPECT_GT(*rate, gpu->memory_gigabytes_per_second * 0.5);
    }
    if (gpu->sustained_matrix_mhz) EXPECT_LE(*gpu->sustained_matrix_mhz, gpu->engine_mhz);
    if (gpu->sustained_infinity_cache && gpu->sustained_memory)
      EXPECT_GT(*gpu->sustained_infinity_cache, *gpu->sustained_memory);
  }
}

TEST(Gpus, EveryNumberHasASourceAndEveryTargetIsKnown) {
  for (const Gpu* gpu : gpus()) {
    SCOPED_TRACE(gpu->id);
    for (const Field& field : fields()) {
      ASSERT_TRUE(gpu->sources.contains(field.path)) << field.path;
      EXPECT_FALSE(gpu->sources.find(field.path)->second.text.empty()) << field.path;
    }
    if (gpu->predict_only) continue;
    const isa::Target* target = isa::find_target(gpu->target);
    ASSERT_NE(target, nullptr);
    EXPECT_EQ(gpu->has_wave_size(32), !target->wave64_only);
    EXPECT_EQ(gpu->unified_accumulation, target->has_accumulators());
  }
}

// Numbers that follow from others must agree with them.
TEST(Gpus, NumbersAgreeWithEachOther) {
  for (const Gpu* gpu : gpus()) {
    SCOPED_TRACE(gpu->id);
    const double derived = gpu->memory_bus_bits / 8.0 * gpu->memory_mhz * gpu->memory_bits_per_clock / 1000;
    EXPECT_NEAR(derived / gpu->memory_gigabytes_per_second, 1, 0.01);
    EXPECT_EQ(gpu->compute_units % gpu->xcds, 0u);
    EXPECT_EQ(gpu->shader_engines % gpu->xcds, 0u);
  }
}

/// A peak of the data sheet, and the rate that it follows from.
struct SheetRow {
  std::string_view name;
  std::optional<double> Gpu::* sheet;
  uint32_t Gpu::* rate;
  bool matrix = false;  ///< of a matrix instruction for operands of 32 bits and less
};
constexpr SheetRow kSheet[] = {
    {"vector f64", &Gpu::sheet_vector_f64, &Gpu::vector_f64},
    {"vector f32", &Gpu::sheet_vector_f32, &Gpu::vector_f32},
    {"vector f16", &Gpu::sheet_vector_f16, &Gpu::vector_f16},
    {"matrix f64", &Gpu::sheet_matrix_f64, &Gpu::matrix_f64},
    {"matrix f32", &Gpu::sheet_matrix_f32, &Gpu::matrix_f32, true},
    {"matrix xf32", &Gpu::sheet_matrix_xf32, &Gpu::matrix_xf32, true},
    {"matrix f16", &Gpu::sheet_matrix_f16, &Gpu::matrix_f16, true},
    {"matrix bf16", &Gpu::sheet_matrix_bf16, &Gpu::matrix_bf16, true},
    {"matrix i8", &Gpu::sheet_matrix_i8, &Gpu::matrix_i8, true},
    {"matrix f8", &Gpu::sheet_matrix_f8, &Gpu::matrix_f8, true},
    {"matrix f6", &Gpu::sheet_matrix_f6, &Gpu::matrix_f6, true},
    {"matrix f4", &Gpu::sheet_matrix_f4, &Gpu::matrix_f4, true},
};

/// Data sheets print three digits or more, and whole numbers below 100 rounded as the vendor likes.
double tolerance(double published) {
  return published < 100 && published == std::floor(published) ? 0.6 : std::max(0.003 * published, 0.05);
}

TEST(Gpus, UnitsRatesAndClocksGiveThePeaksOfTheDataSheet) {
  size_t compared = 0;
  for (const Gpu* gpu : gpus())
    for (const SheetRow& row : kSheet) {
      const std::optional<double> published = gpu->*row.sheet;
      if (!published) continue;
      SCOPED_TRACE(gpu->id + " " + std::string(row.name));
      const double mhz = row.matrix ? gpu->matrix_mhz.value_or(gpu->engine_mhz) : gpu->engine_mhz;
      const double peak = gpu->compute_units * static_cast<double>(gpu->*row.rate) * mhz * 1e-6;
      EXPECT_NEAR(peak, *published, tolerance(*published));
      ++compared;
    }
  EXPECT_GE(compared, 90u);
}

// A lane makes one multiply-add in a clock at the most, two where f32 is packed or dual-issued.
TEST(Gpus, VectorRatesAgreeWithTheLanes) {
  for (const Gpu* gpu : gpus()) {
    SCOPED_TRACE(gpu->id);
    EXPECT_TRUE(gpu->vector_f32 == 2 * gpu->vector_lanes || gpu->vector_f32 == 4 * gpu->vector_lanes);
    EXPECT_GE(gpu->vector_f16, gpu->vector_f32);
    EXPECT_LE(gpu->vector_f64, 2 * gpu->vector_lanes);
  }
}

TEST(Gpus, ADataSheetSpeaksOfOneGpuAlone) {
  EXPECT_TRUE((*find_gpu("mi300x"))->sheet_matrix_f16);
  EXPECT_FALSE((*find_gpu("mi308x"))->sheet_matrix_f16)
      << "it is like an MI300X, but for the units and the clock";
}

TEST(Gpus, AFileSaysWhatDiffersFromItsReference) {
  const Gpu& base = **find_gpu("mi300x");
  const Gpu& apu = **find_gpu("mi300a");
  EXPECT_EQ(apu.arch_name, "gfx942:sramecc+:xnack-");
  EXPECT_EQ(apu.compute_units, 228u);
  EXPECT_TRUE(apu.is_apu);
  EXPECT_EQ(apu.lds_bytes, base.lds_bytes);
  EXPECT_EQ(apu.memory_cycles, 813u);
  EXPECT_EQ(base.memory_cycles, 880u);
  EXPECT_EQ(base.l2_cycles, 213u);
  EXPECT_EQ(base.sources.at("latency.l2_cycles").kind, Kind::Measured);
  EXPECT_EQ((*find_gpu("rx7900xtx"))->multiprocessors(), 48u);
}

TEST(Gpus, FieldsCanBeChangedAndTheSameAnswerIsGivenTwice) {
  Result<const Gpu*> small = find_gpu("mi300x+compute.units=8+compute.xcds=1+memory.bytes=1073741824");
  ASSERT_TRUE(small) << small.error().text();
  EXPECT_EQ((*small)->compute_units, 8u);
  EXPECT_EQ((*small)->memory_bytes, 1u << 30);
  EXPECT_EQ((*small)->sources.at("compute.units").text, "set on the command line");
  EXPECT_EQ((*find_gpu("mi300x"))->compute_units, 304u);
  EXPECT_EQ(*find_gpu("mi300x+compute.units=8+compute.xcds=1+memory.bytes=1073741824"), *small);
}

TEST(Gpus, AMachineIsAListOfGpus) {
  Result<std::vector<const Gpu*>> machine = find_machine("mi300x:2,mi210");
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->size(), 3u);
  EXPECT_EQ((*machine)[1]->id, "mi300x");
  EXPECT_EQ((*machine)[2]->id, "mi210");
  for (const char* bad :
       {"mi300x:0", "mi300x:", "mi300x:x", "mi300x:99999999999", "mi300x,", "", ":2", "mi300x:65"})
    EXPECT_FALSE(find_machine(bad)) << bad;
}

TEST(Gpus, BadAnswersNameWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"mi999", "no GPU 'mi999'"},
      {"./nowhere.toml", "cannot read"},
      {"mi300x+compute.unit=8", "not a field"},
      {"mi300x+compute.units=0", "impossible"},
      {"mi300x+compute.units=-4", "does not fit"},
      {"mi300x+compute.units=many", ""},
      {"mi300x+compute.units", "sets nothing"},
      {"mi300x+lds.bytes=99999999999", "does not fit"},
      {"mi300x+target=gfx90a", "arch_name"},
      {"mi300x+compute.wave_sizes=[16]", "16 lanes"},
      {"mi300x+lds_phases.read_b64=32 banks, 0 lanes", "each lane into one phase"},
      {"mi300x+lds_phases.read_b64=32 banks, lanes 0-3 3-31", "each lane into one phase"},
      {"mi300x+lds_phases.read_b64=32 banks, lanes 0-30", "each lane into one phase"},
      {"mi300x+lds_phases.load_b128=as before", "each lane into one phase"},
      {"mi300x+links.over=PCIe", "do not agree"},
  };
  for (const auto& [which, says] : cases) {
    Result<const Gpu*> got = find_gpu(which);
    ASSERT_FALSE(got) << which;
    EXPECT_NE(got.error().text().find(says), std::string::npos) << got.error().text();
  }
}

TEST(Gpus, AFileOfOnesOwn) {
  const Scratch scratch("gpus");
  const auto path = scratch / "my-gpu.toml";
  std::ofstream(path)
      << "like = \"mi355x\"\nname = \"Mine\"\nsource = \"me\"\n[compute]\nunits = 16\nsource = \"me\"\n";
  Result<const Gpu*> mine = find_gpu(path.string());
  ASSERT_TRUE(mine) << mine.error().text();
  EXPECT_EQ((*mine)->id, "my-gpu");
  EXPECT_EQ((*mine)->compute_units, 16u);
  EXPECT_EQ((*mine)->target, "gfx950");

  for (const char* text : {"like = \"mi355x\"\n", "like = \"none\"\nsource = \"me\"\n", "source = \"me\"\n",
                           "[[[", "", "like = \"mi300x\"\nsource = \"me\"\nunits = 3\n",
                           "like = \"mi300x\"\nsource = \"me\"\n[compute]\nunits = 3\n",
                           "like = \"mi300x\"\nsource = \"me\"\nkind = \"guessed\"\n"})
    EXPECT_FALSE(parse_gpu(text, "bad.toml")) << text;
}

}  // namespace
}  // namespace wavesmith::gpus
