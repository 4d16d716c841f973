#include "gpus/gpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "isa/target.h"

namespace wavesmith::gpus {
namespace {

TEST(Gpus, TheElevenAndThoseForPredictionsAreThere) {
  std::vector<std::string> run, predicted;
  for (const Gpu* gpu : gpus()) (gpu->predict_only ? predicted : run).push_back(gpu->id);
  EXPECT_EQ(run, (std::vector<std::string>{"mi210", "mi250x", "mi300a", "mi300x", "mi308x", "mi325x",
                                           "mi350x", "mi355x", "radeon8060s", "rx7900xtx", "rx9070xt"}));
  EXPECT_EQ(predicted, (std::vector<std::string>{"h100", "h200", "mi100", "rx6900xt"}));
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
    ASSERT_TRUE(gpu->sustained_memory && gpu->sustained_read && gpu->sustained_matrix_mhz);
    EXPECT_LT(*gpu->sustained_memory, gpu->memory_gigabytes_per_second);
    EXPECT_LT(*gpu->sustained_read, gpu->memory_gigabytes_per_second);
    EXPECT_GT(*gpu->sustained_memory, gpu->memory_gigabytes_per_second * 0.5);
    EXPECT_LE(*gpu->sustained_matrix_mhz, gpu->engine_mhz);
    if (gpu->sustained_infinity_cache) EXPECT_GT(*gpu->sustained_infinity_cache, *gpu->sustained_memory);
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
    const bool hbm = gpu->memory_bus_bits >= 4096;
    const double bits_a_clock = !hbm ? (gpu->is_apu ? 8 : 16)
                                : gpu->architecture.starts_with("CDNA3") || gpu->architecture == "CDNA4" ? 4
                                                                                                         : 2;
    const double derived = gpu->memory_bus_bits / 8.0 * gpu->memory_mhz * bits_a_clock / 1000;
    EXPECT_NEAR(derived / gpu->memory_gigabytes_per_second, 1, 0.01);
    EXPECT_EQ(gpu->compute_units % gpu->xcds, 0u);
    EXPECT_EQ(gpu->shader_engines % gpu->xcds, 0u);
  }
  // AMD's published peaks, TFLOP/s dense (data sheets), from clock, units and rate.
  auto peak = [](const char* id, uint32_t Gpu::* rate) {
    const Gpu& gpu = **find_gpu(id);
    return gpu.compute_units * static_cast<double>(gpu.*rate) * gpu.engine_mhz * 1e-6;
  };
  EXPECT_NEAR(peak("mi100", &Gpu::matrix_f16), 184.6, 0.5);
  EXPECT_NEAR(peak("h100", &Gpu::matrix_bf16), 989.4, 0.5);
  EXPECT_NEAR(peak("h200", &Gpu::matrix_f8), 1978.9, 1);
  EXPECT_NEAR(peak("mi210", &Gpu::matrix_f16), 181.0, 0.5);
  EXPECT_NEAR(peak("mi250x", &Gpu::matrix_f16), 191.5, 0.5);
  EXPECT_NEAR(peak("mi300x", &Gpu::matrix_f16), 1307.4, 1);
  EXPECT_NEAR(peak("mi300x", &Gpu::matrix_f8), 2614.9, 1);
  EXPECT_NEAR(peak("mi300a", &Gpu::matrix_f16), 980.6, 1);
  EXPECT_NEAR(peak("mi355x", &Gpu::matrix_f16), 2516.6, 2);
  EXPECT_NEAR(peak("mi355x", &Gpu::matrix_f4), 10066.3, 5);
  EXPECT_NEAR(peak("rx7900xtx", &Gpu::matrix_f16), 122.8, 0.5);
  EXPECT_NEAR(peak("radeon8060s", &Gpu::matrix_f16), 59.4, 0.1);
  EXPECT_NEAR(peak("rx9070xt", &Gpu::matrix_f16), 194.6, 0.5);
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
      {"mi300x+compute.unit=8", "no field"},
      {"mi300x+compute.units=0", "impossible"},
      {"mi300x+compute.units=-4", "does not fit"},
      {"mi300x+compute.units=many", ""},
      {"mi300x+compute.units", "sets nothing"},
      {"mi300x+lds.bytes=99999999999", "does not fit"},
      {"mi300x+target=gfx90a", "arch_name"},
      {"mi300x+compute.wave_sizes=[16]", "16 lanes"},
  };
  for (const auto& [which, says] : cases) {
    Result<const Gpu*> got = find_gpu(which);
    ASSERT_FALSE(got) << which;
    EXPECT_NE(got.error().text().find(says), std::string::npos) << got.error().text();
  }
}

TEST(Gpus, AFileOfOnesOwn) {
  const auto path = std::filesystem::temp_directory_path() / "my-gpu.toml";
  std::ofstream(path)
      << "like = \"mi355x\"\nname = \"Mine\"\nsource = \"me\"\n[compute]\nunits = 16\nsource = \"me\"\n";
  Result<const Gpu*> mine = find_gpu(path.string());
  ASSERT_TRUE(mine) << mine.error().text();
  EXPECT_EQ((*mine)->id, "my-gpu");
  EXPECT_EQ((*mine)->compute_units, 16u);
  EXPECT_EQ((*mine)->target, "gfx950");
  std::filesystem::remove(path);

  for (const char* text : {"like = \"mi355x\"\n", "like = \"none\"\nsource = \"me\"\n", "source = \"me\"\n",
                           "[[[", "", "like = \"mi300x\"\nsource = \"me\"\nunits = 3\n",
                           "like = \"mi300x\"\nsource = \"me\"\n[compute]\nunits = 3\n",
                           "like = \"mi300x\"\nsource = \"me\"\nkind = \"guessed\"\n"})
    EXPECT_FALSE(parse_gpu(text, "bad.toml")) << text;
}

}  // namespace
}  // namespace wavesmith::gpus
