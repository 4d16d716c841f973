#include "study/sweep/knobs.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "report/testing.h"
#include "study/code_testing.h"

namespace wavesmith::study {
namespace {

constexpr const char* kIr = R"(define amdgpu_kernel void @k(ptr %p) #0 !dbg !4 {
  ret void
}
define void @f() #1 {
  ret void
}
attributes #0 = { nounwind "amdgpu-flat-work-group-size"="1,256" "target-cpu"="gfx942" }
attributes #1 = { nounwind }
)";

TEST(Knobs, AnAttributeOfTheKernelsIsReplacedOrAdded) {
  const std::string replaced = with_attribute(kIr, "amdgpu-flat-work-group-size", "1,64");
  EXPECT_NE(
      replaced.find("#0 = { nounwind \"amdgpu-flat-work-group-size\"=\"1,64\" \"target-cpu\"=\"gfx942\" }"),
      replaced.npos)
      << replaced;
  const std::string added = with_attribute(kIr, "amdgpu-waves-per-eu", "2,2");
  EXPECT_NE(added.find("\"target-cpu\"=\"gfx942\" \"amdgpu-waves-per-eu\"=\"2,2\" }"), added.npos) << added;
  EXPECT_NE(added.find("#1 = { nounwind }"), added.npos) << "only kernels";
  EXPECT_EQ(with_attribute("", "a", "b"), "");
}

TEST(Knobs, NamesAreUniqueAndEachSaysHowItIsAskedFor) {
  const std::vector<Knob> all = knobs({8, true, true, 1024});
  std::set<std::string> names;
  for (const Knob& knob : all) {
    EXPECT_TRUE(names.insert(knob.name).second) << knob.name;
    EXPECT_FALSE(knob.how().empty());
    EXPECT_FALSE(knob.what.empty());
  }
}

TEST(KnobSweep, FindsWhatHelpsWhatDoesNothingAndWhatTheCompilerDoesNotKnow) {
  const CodeSamples& samples = CodeSamples::get();
  const CommandResult ran = run_wavesmith(
      "sweep " + (samples / "sample.hip") +
          " --kernel dot --json --try=-fno-unroll-loops --try=-O3 --try=\"-mllvm -no-such-option\" -- " +
          kSampleFlags,
      samples.environment());
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["kernel"], "dot");
  ASSERT_EQ(json["trials"].size(), 4);
  EXPECT_EQ(json["trials"][0]["name"], "baseline");
  EXPECT_EQ(json["trials"][0]["time"]["value"], 1.0);
  EXPECT_EQ(json["idle"], nlohmann::json::array({"-O3"}));
  EXPECT_EQ(json["failed"], nlohmann::json::array({"-mllvm -no-such-option"}));
  EXPECT_NE(json["trials"][3]["failure"].get<std::string>().find("no-such-option"), std::string::npos);
  EXPECT_EQ(json["ranked"].size(), 2);
  for (const auto& trial : json["trials"])
    if (!trial.contains("failure")) {
      EXPECT_GT(trial["compile_seconds"].get<double>(), 0);
    }
}

TEST(KnobSweep, EveryKnobIsKnownToThisCompiler) {
  const CodeSamples& samples = CodeSamples::get();
  const std::string page = samples / "sweep.html",
                    sweep = "sweep " + (samples / "sample.hip") + " --kernel square --json ";
  const auto json_of = [&](const std::string& options) {
    const CommandResult ran = run_wavesmith(sweep + options + " -- " + kSampleFlags, samples.environment());
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.code == 0 ? nlohmann::json::parse(ran.out) : nlohmann::json{};
  };
  const auto cdna = json_of("--knobs --html " + page);
  EXPECT_GT(cdna["trials"].size(), 45);
  EXPECT_TRUE(cdna["failed"].empty()) << cdna["failed"];
  EXPECT_GT(cdna["idle"].size(), 20) << "most do nothing to so small a kernel";
  for (const std::string& fault : report::faults(slurp(page))) ADD_FAILURE() << fault;

  // What only RDNA has, for the sake of time.
  std::string only;
  for (const Knob& knob : knobs({0, false, true, 0}))
    if (knob.group == "vopd" || knob.group == "delay" || knob.group == "expert" || knob.group == "mode")
      only += " --try=\"" + knob.how() + "\"";
  const auto rdna = json_of("--gpu rx9070xt" + only);
  EXPECT_EQ(rdna["trials"].size(), 5);
  EXPECT_TRUE(rdna["failed"].empty()) << rdna["failed"];
}

TEST(KnobSweep, TakesLlvmIrAndRefusesWhatIsCompiled) {
  sample_files();
  const CodeSamples& samples = CodeSamples::get();
  EXPECT_EQ(run_wavesmith("sweep " + (samples / "sample.ll") + " --try=-O1", samples.environment()).code, 0);
  EXPECT_EQ(run_wavesmith("sweep " + (samples / "sample.bc") + " --try=-O1", samples.environment()).code, 0);
  EXPECT_EQ(
      run_wavesmith("sweep " + (samples / "sample.ll") + " --gpu mi210 --try=-O1", samples.environment())
          .code,
      5);
  const CommandResult object = run_wavesmith("sweep " + (samples / "sample.co"), samples.environment());
  EXPECT_EQ(object.code, 6);
  EXPECT_NE(object.err.find("this is a code object, compiled already"), std::string::npos) << object.err;
  const Scratch scratch;
  const CommandResult text = run_wavesmith("sweep " + scratch.write("notes.txt", "milk and bread"));
  EXPECT_EQ(text.code, 6);
  EXPECT_NE(text.err.find("no form of GPU code that is known"), std::string::npos) << text.err;
  EXPECT_EQ(
      run_wavesmith("sweep " + (samples / "sample.ll") + " --kernel cube --try=-O1", samples.environment())
          .code,
      4);
  EXPECT_EQ(run_wavesmith("sweep /no/such/file", samples.environment()).code, 4);
  EXPECT_EQ(run_wavesmith("sweep").code, 2);
}

}  // namespace
}  // namespace wavesmith::study
