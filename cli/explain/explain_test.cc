#include "cli/explain/explain.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/testing.h"
#include "study/code_testing.h"

namespace wavesmith::cli {
namespace {

CommandResult explain(const std::string& arguments) {
  return run_wavesmith("explain " + arguments + " -- " + study::kSampleFlags,
                       study::CodeSamples::get().environment());
}

size_t lines_of(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Explain, TakesEveryFormThatGpuCodeComesIn) {
  for (const auto& [form, path] : study::sample_files()) {
    SCOPED_TRACE(form);
    const CommandResult ran = explain(path + " --kernel dot");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find(form), ran.out.npos);
    EXPECT_NE(ran.out.find("gfx942"), ran.out.npos);
    EXPECT_NE(ran.out.find("\ndot\n"), ran.out.npos);
    EXPECT_NE(ran.out.find("1 KiB of 64 KiB"), ran.out.npos) << "LDS";
    EXPECT_NE(ran.out.find("of 8 waves per SIMD"), ran.out.npos);
    EXPECT_NE(ran.out.find("hot loop"), ran.out.npos);
    EXPECT_EQ(ran.out.find('\033'), ran.out.npos) << "colour belongs to terminals";
  }
}

TEST(Explain, AllFormsOfTheSameCodeSayTheSame) {
  const auto kernel_of = [](const std::string& path) {
    const CommandResult ran = explain(path + " --kernel dot --json");
    auto json = nlohmann::json::parse(ran.out)["kernels"][0];
    for (auto& instruction : json["instructions"]) instruction.erase("pc"), instruction.erase("source");
    return nlohmann::json{json["resources"], json["occupancy"], json["mix"], json["instructions"]};
  };
  const auto files = study::sample_files();
  const auto expected = kernel_of(study::CodeSamples::get() / "sample.co");
  for (const auto& [form, path] : files)
    if (form != "HIP source" && !form.starts_with("LLVM")) {  // those are compiled anew
      EXPECT_EQ(kernel_of(path), expected) << form;
    }
}

TEST(Explain, TheSummaryFitsAScreenAndEveryFigureIsTagged) {
  for (const char* which : {"--kernel dot", "--kernel square", ""}) {
    const CommandResult ran = explain(study::CodeSamples::get() / "sample.hip" + std::string(" ") + which);
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_LT(lines_of(ran.out), 25) << ran.out;
    for (const char* tag : {"[read]", "[derived]"}) {
      if (*which) {
        EXPECT_NE(ran.out.find(tag), ran.out.npos) << which;
      }
    }
  }
}

TEST(Explain, VerboseShowsSourceBesideInstructions) {
  const CommandResult ran =
      explain(study::CodeSamples::get() / "sample.hip" + std::string(" --kernel square -v"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const size_t source = ran.out.find("p[__builtin_amdgcn_workitem_id_x()] *=");
  ASSERT_NE(source, ran.out.npos);
  EXPECT_NE(ran.out.find("v_mul_f32", source), ran.out.npos);
  EXPECT_NE(ran.out.find("\nBlocks"), ran.out.npos);
}

TEST(Explain, JsonHasEverything) {
  const CommandResult ran = explain(study::CodeSamples::get() / "sample.hip" + std::string(" --json"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["gpu"], "mi300x");
  EXPECT_EQ(json["form"], "HIP source");
  ASSERT_EQ(json["kernels"].size(), 2);
  for (const auto& kernel : json["kernels"]) {
    EXPECT_EQ(kernel["target"], "gfx942");
    EXPECT_EQ(kernel["resources"]["tag"], "read");
    EXPECT_EQ(kernel["occupancy"]["tag"], "derived");
    EXPECT_EQ(kernel["bound"]["tag"], "modelled");
    EXPECT_GT(kernel["bound"]["cycles"], 0);
    for (const auto& finding : kernel["findings"])
      for (const auto& where : finding["where"])
        EXPECT_TRUE(where["place"].get<std::string>().starts_with("sample.hip:")) << where;
    EXPECT_EQ(kernel["instructions"].size(), kernel["mix"]["total"]);
    EXPECT_EQ(kernel["instructions"].back()["text"], "s_endpgm");
    EXPECT_TRUE(kernel["instructions"][0]["source"]["file"].get<std::string>().ends_with("sample.hip"));
  }
  EXPECT_FALSE(json["kernels"][1]["loops"].empty());
}

TEST(Explain, TheBoundIsThatOfTheSummary) {
  for (const char* const kernel : {"dot", "square"}) {  // with a loop and without
    const std::string asked = study::CodeSamples::get() / "sample.hip" + std::string(" --kernel ") + kernel;
    const auto json = nlohmann::json::parse(explain(asked + " --json").out);
    const std::string text = json["kernels"][0]["bound"]["text"];
    EXPECT_NE(explain(asked).out.find("bound by " + text), std::string::npos) << text;
  }
}

TEST(Explain, ThePageIsSoundAndItsBytesAreTheSameEachTime) {
  std::string pages[2];
  for (std::string& page : pages) {
    const std::string path = study::CodeSamples::get() / "page.html";
    const CommandResult ran =
        explain(study::CodeSamples::get() / "sample.hip" + std::string(" --html ") + path);
    ASSERT_EQ(ran.code, 0) << ran.err;
    page = slurp(path);
  }
  EXPECT_EQ(pages[0], pages[1]);
  for (const std::string& fault : report::faults(pages[0])) ADD_FAILURE() << fault;
  for (const char* part :
       {">square</h2>", ">dot</h2>", "class=\"tag derived\"", "What if", "class=\"pane source\"", "s_endpgm"})
    EXPECT_NE(pages[0].find(part), std::string::npos) << part;
}

TEST(Explain, TheGpuChangesWhatIsSaid) {
  const CommandResult cdna = explain(study::CodeSamples::get() / "sample.hip" +
                                     std::string(" --kernel dot --gpu mi355x --json")),
                      rdna = explain(study::CodeSamples::get() / "sample.hip" +
                                     std::string(" --kernel dot --gpu rx7900xtx --json"));
  ASSERT_EQ(cdna.code, 0) << cdna.err;
  ASSERT_EQ(rdna.code, 0) << rdna.err;
  EXPECT_EQ(nlohmann::json::parse(cdna.out)["kernels"][0]["resources"]["wave_size"], 64);
  EXPECT_EQ(nlohmann::json::parse(rdna.out)["kernels"][0]["resources"]["wave_size"], 32);
}

TEST(Explain, WhatIsNotThereIsNamed) {
  const study::CodeSamples& samples = study::CodeSamples::get();
  study::sample_files();
  const CommandResult kernel = explain(samples / "sample.co" + std::string(" --kernel cube"));
  EXPECT_EQ(kernel.code, 4);
  EXPECT_NE(kernel.err.find("'square'"), kernel.err.npos) << kernel.err;
  const CommandResult target = explain(samples / "sample.co" + std::string(" --gpu mi210"));
  EXPECT_EQ(target.code, 5);
  EXPECT_NE(target.err.find("gfx942"), target.err.npos) << target.err;
  EXPECT_EQ(explain(samples / "sample.co" + std::string(" --gpu mi9000")).code, 4);
  EXPECT_EQ(explain("/no/such/file").code, 4);
  EXPECT_EQ(explain(samples / "sample.co" + std::string(" --html /no/such/folder/page.html")).code, 3);
  EXPECT_EQ(explain("").code, 2);
  EXPECT_EQ(run_wavesmith("explain --help").code, 0);
}

}  // namespace
}  // namespace wavesmith::cli
