// Thread-trace statistics: read, matched, and judged against figures worked out by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/file.h"
#include "base/scratch.h"
#include "validate/families/family.h"
#include "validate/programs/thread_statistics.h"

namespace wavesmith::validate {
namespace {

constexpr std::string_view kHead = "CodeObj,Vaddr,Instruction,Hitcount,Latency,Stall,Idle,Source\n";

// Rows of a thread trace of an attention kernel on an MI355X (jhinpan/flydsl-rocprof-cli,
// examples/flash_attn_fwd), in rocprofv3's form: a kernel begins with a row of its name.
constexpr std::string_view kMeasured =
    "4,6144,\"; flash_attn\",0,0,0,0,\"\"\n"
    "4,6144,\"s_mov_b32 s20, s3\",16,68,4,496,\"attention.py:192\"\n"
    "4,6172,\"s_waitcnt lgkmcnt(0)\",16,11812,11812,0,\"\"\n"
    "4,6328,\"v_mul_lo_u32 v3, v3, s18\",16,112,48,0,\"\"\n"
    "4,6356,\"s_nop 0\",16,64,64,0,\"\"\n"
    "4,6360,\"buffer_load_dwordx4 v211, s[12:15], 0 offen lds\",16,80,16,0,\"\"\n"
    "4,6516,\"v_mad_u64_u32 v[208:209], s[16:17], v58, s17, v[2:3]\",16,180,116,0,\"\"\n"
    "4,6708,\"ds_read_b128 v[10:13], v214\",16,112,48,116,\"\"\n"
    "4,6880,\"v_rsq_f32_e32 v1, v1\",16,168,40,0,\"\"\n"
    "4,12596,\"v_mfma_f32_32x32x16_bf16 v[0:15], v[204:207], v[96:99], v[0:15]\",80,320,0,0,\"\"\n"
    "4,12752,\"v_permlane32_swap_b32_e64 v196, v197 bound_ctrl:1\",80,640,0,0,\"\"\n"
    "4,12784,\"s_cbranch_scc0 239\",80,320,0,0,\"\"\n"
    "4,12788,\"s_endpgm\",0,0,0,0,\"\"\n";

class Tables {
 public:
  [[nodiscard]] std::string write(const char* name, std::string_view rows) const {
    EXPECT_TRUE(write_file(folder_ / name, std::string(kHead) + std::string(rows)));
    return (folder_ / name).string();
  }

 private:
  const Scratch folder_{"statistics"};
};

Result<FamilyReport> judged(const std::string& path, const std::string& against = {}) {
  Result<Data> data = Data::from_files({path});
  if (!data) return tl::unexpected(data.error());
  if (!against.empty())
    if (const Result<void> read = data->compare_with(against); !read) return tl::unexpected(read.error());
  return judge_statistics(*data);
}

Summary figure(const FamilyReport& report, std::string_view name) {
  for (const Summary& each : report.summary)
    if (each.name == name) return each;
  ADD_FAILURE() << "no " << name;
  return {};
}

TEST(Statistics, HardwaresIssueCyclesAreThoseOfTheCosts) {
  const Tables scratch;
  const Result<FamilyReport> report = judged(scratch.write("hw.csv", kMeasured));
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(figure(*report, "statistics_issue_exact").n, 11u);  // those that were executed
  EXPECT_EQ(figure(*report, "statistics_issue_exact").value, 1);
  EXPECT_TRUE(report->worst.empty());
}

TEST(Statistics, IssueCyclesThatDifferAreNamed) {
  const Tables scratch;
  std::string rows(kMeasured);
  const size_t at = rows.find(",80,640,0,");
  ASSERT_NE(at, std::string::npos);
  rows.replace(at, 10, ",80,960,0,");  // 12 cycles where the trace has 8
  const Result<FamilyReport> report = judged(scratch.write("hw.csv", rows));
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_NEAR(figure(*report, "statistics_issue_exact").value, 10.0 / 11, 1e-12);
  ASSERT_EQ(report->worst.size(), 1u);
  EXPECT_EQ(report->worst[0].measured, 12);
  EXPECT_TRUE(report->worst[0].label.starts_with("v_permlane32_swap"));
  EXPECT_EQ(report->worst[0].gpu, "gfx950");  // no other target knows all of them
}

TEST(Statistics, ATableAgainstItselfHasNoError) {
  const Tables scratch;
  const std::string path = scratch.write("hw.csv", kMeasured);
  const Result<FamilyReport> report = judged(path, path);
  ASSERT_TRUE(report) << report.error().text();
  for (const char* name : {"statistics_latency_median", "statistics_stall_median"})
    EXPECT_EQ(figure(*report, name).value, 0) << name;
  for (const char* name : {"statistics_time_on_right_instruction", "statistics_top_ten",
                           "statistics_rank_correlation", "statistics_matched_time"})
    EXPECT_NEAR(figure(*report, name).value, 1, 1e-12) << name;
  EXPECT_TRUE(report->worst.empty());
}

// Two kernels of one code object in the trace, two objects that count from 0 in ours, whose order is another
// and which ran other numbers of waves.
TEST(Statistics, KernelsAreFoundAtTheirDistance) {
  std::string trace, ours;
  const auto row = [](int object, int address, const char* text, int hits, int latency, int stall) {
    return fmt::format("{},{},\"{}\",{},{},{},0,\"\"\n", object, address, text, hits, latency, stall);
  };
  trace += row(7, 4096, "v_add_f32_e32 v1, v2, v3", 10, 40, 0);
  trace += row(7, 4100, "v_mul_f32_e32 v1, v2, v3", 10, 80, 40);
  trace += row(7, 4104, "s_nop 0", 10, 40, 40);
  trace += row(7, 8192, "v_sub_f32_e32 v1, v2, v3", 4, 16, 0);
  trace += row(7, 8196, "v_max_f32_e32 v1, v2, v3", 4, 16, 0);
  trace += row(7, 8200, "s_nop 0", 4, 16, 16);
  ours += row(1, 0, "v_sub_f32_e32 v1, v2, v3", 1, 4, 0);
  ours += row(1, 4, "v_max_f32_e32 v1, v2, v3", 1, 8, 4);
  ours += row(1, 8, "s_nop 0", 1, 4, 4);
  ours += row(2, 0, "v_add_f32_e32 v1, v2, v3", 5, 20, 0);
  ours += row(2, 4, "v_mul_f32_e32 v1, v2, v3", 5, 20, 0);
  ours += row(2, 8, "s_nop 0", 5, 20, 20);
  const Csv first = *Csv::parse(std::string(kHead) + trace, "a"),
            second = *Csv::parse(std::string(kHead) + ours, "b");
  const auto a = read_thread_statistics(first), b = read_thread_statistics(second);
  ASSERT_TRUE(a && b);
  const auto pairs = same_instructions(*a, *b);
  EXPECT_EQ(pairs, (std::vector<std::pair<size_t, size_t>>{{0, 3}, {1, 4}, {2, 5}, {3, 0}, {4, 1}, {5, 2}}));
  const Tables scratch;
  const Result<FamilyReport> report = judged(scratch.write("a.csv", trace), scratch.write("b.csv", ours));
  ASSERT_TRUE(report) << report.error().text();
  // v_mul 4 instead of 8, v_max 8 instead of 4, the others right: errors 0.5, 1 and four times 0.
  const Stratum& all = report->strata.front();
  EXPECT_EQ(all.name, "latency");
  EXPECT_EQ(all.n, 6u);
  EXPECT_NEAR(all.mean, 1.5 / 6, 1e-12);
  EXPECT_EQ(all.median, 0);
  // 40 of the trace's 208 cycles stand with v_mul where ours say 20 of 76, and so on.
  const double right = 2 * std::min(40 / 208.0, 20 / 76.0) + std::min(80 / 208.0, 20 / 76.0) +
                       2 * std::min(16 / 208.0, 4 / 76.0) + std::min(16 / 208.0, 8 / 76.0);
  EXPECT_NEAR(figure(*report, "statistics_time_on_right_instruction").value, right, 1e-12);
  // The most cycles first: 4 of 10 hits before 4 of 4.
  ASSERT_EQ(report->worst.size(), 2u);
  EXPECT_TRUE(report->worst[0].label.starts_with("v_mul"));
}

TEST(Statistics, PerturbedLatenciesGiveTheirErrors) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::string trace, ours;
  std::vector<double> errors, stalls, before, after;
  for (int i = 0; i < 101; ++i) {
    const int hits = static_cast<int>(random() % 20) + 1, issue = 4 * hits,
              stall = static_cast<int>(random() % 5000), other = static_cast<int>(random() % 5000);
    const std::string text = fmt::format("v_add_f32_e32 v{}, v1, v2", i);
    trace += fmt::format("1,{},\"{}\",{},{},{},0,\"\"\n", 4 * i, text, hits, stall + issue, stall);
    ours += fmt::format("1,{},\"{}\",{},{},{},0,\"\"\n", 4 * i, text, hits, other + issue, other);
    errors.push_back(std::abs(other - stall) / static_cast<double>(stall + issue));
    before.push_back(stall + issue);
    after.push_back(other + issue);
  }
  const Tables scratch;
  const Result<FamilyReport> report = judged(scratch.write("a.csv", trace), scratch.write("b.csv", ours));
  ASSERT_TRUE(report) << report.error().text();
  std::sort(errors.begin(), errors.end());
  EXPECT_NEAR(figure(*report, "statistics_latency_median").value, errors[50], 1e-9);
  EXPECT_NEAR(figure(*report, "statistics_stall_median").value, errors[50], 1e-9);  // issue is the same
  EXPECT_NEAR(report->strata.front().p90, errors[90], 1e-9);
  // Spearman's by its definition: places counted, not sorted.
  double xy = 0, xx = 0, yy = 0;
  const auto place = [](const std::vector<double>& all, size_t i) {
    double less = 0, same = 0;
    for (const double each : all) less += each < all[i], same += each == all[i];
    return less + (same - 1) / 2 - 50;
  };
  for (size_t i = 0; i < 101; ++i) {
    const double x = place(before, i), y = place(after, i);
    xy += x * y, xx += x * x, yy += y * y;
  }
  EXPECT_NEAR(figure(*report, "statistics_rank_correlation").value, xy / std::sqrt(xx * yy), 1e-9);
}

TEST(Statistics, BadInputIsAnsweredWithItsLine) {
  const Tables scratch;
  for (const auto& [rows, words] :
       {std::pair{"1,0,\"s_nop 0\",many,4,4,0,\"\"\n", "'many' is not a number of column 'Hitcount'"},
        {"1,0,\"s_nop 0\",1,-4,4,0,\"\"\n", "'-4' is not a number of column 'Latency'"},
        {"1,0x,\"s_nop 0\",1,4,4,0,\"\"\n", "'0x' is no address"},
        {"1,0,\"\",1,4,4,0,\"\"\n", ":2"},
        {"1,0,\"s_nop 0\",0,0,0,0,\"\"\n", "no instruction was executed"},
        {"", "a table without a row"}}) {
    const Result<FamilyReport> report = judged(scratch.write("bad.csv", rows));
    ASSERT_FALSE(report) << rows;
    EXPECT_EQ(report.error().kind, ErrorKind::BadInput);
    EXPECT_NE(report.error().text().find(words), std::string::npos) << report.error().text();
  }
  // More stall than latency happens in traces that lost packets: left out, and said.
  const Result<FamilyReport> odd = judged(
      scratch.write("odd.csv", "1,0,\"s_nop 0\",1,4,9,0,\"\"\n1,4,\"s_mov_b32 s0, 0\",1,4,0,0,\"\"\n"));
  ASSERT_TRUE(odd) << odd.error().text();
  EXPECT_NE(odd->notes.front().find("1 left out"), std::string::npos) << odd->notes.front();
  // Compared are statistics with statistics.
  Data ours;
  EXPECT_FALSE(ours.compare_with(scratch.write("hw.csv", kMeasured)));
}

}  // namespace
}  // namespace wavesmith::validate
