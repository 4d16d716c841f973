// What reports say of library calls.
#include "cli/run/report.h"

#include <gtest/gtest.h>

namespace wavesmith::cli {
namespace {

std::string said(const std::string& json) {
  testing::internal::CaptureStderr();
  print_report(json, {});
  return testing::internal::GetCapturedStderr();
}

TEST(Report, LibraryCallsThatStandInsServedAreSaidToBePredicted) {
  const std::string text = said(R"({"gpus": ["mi300x"], "kernels": [], "library_calls": [
    {"library": "hipblas", "function": "hipblasHgemm", "calls": 3, "seconds": 0.5, "modelled": "predicted",
     "modelled_seconds": 112.8e-6, "operations": ["gemm"], "confidence": "medium"},
    {"library": "hipfft", "function": "hipfftExecC2C", "calls": 1, "seconds": 0.25, "modelled": "predicted",
     "modelled_seconds": 10e-6, "operations": ["fft"], "confidence": "low"}]})");
  EXPECT_NE(text.find("4 of 2 functions"), text.npos) << text;
  EXPECT_NE(text.find("modelled: predicted, 122.8 us"), text.npos) << text;
  EXPECT_NE(text.find("hipblasHgemm"), text.npos) << text;
  EXPECT_NE(text.find("libhipblas, 112.8 us predicted as gemm\n"), text.npos) << text;
  EXPECT_NE(text.find("libhipfft, 10 us predicted as fft, low confidence\n"), text.npos) << text;
  EXPECT_EQ(text.find("launches"), text.npos) << text;
}

TEST(Report, WithoutModelledTimeCallsAreCountedAlone) {
  const std::string text = said(R"({"gpus": ["mi300x"], "kernels": [], "library_calls": [
    {"library": "hipblas", "function": "hipblasHgemm", "calls": 1, "seconds": 0.5}]})");
  EXPECT_NE(text.find("1 of 1 function, by stand-ins on the host: 0.5 s\n"), text.npos) << text;
  EXPECT_EQ(text.find("predicted"), text.npos) << text;
}

TEST(Report, ModelledTimeIsToldByKernelTheLongestFirst) {
  const std::string text = said(R"({"gpus": ["mi300x"], "library_calls": [], "kernels": [
    {"name": "small", "launches": 7, "waves": 7, "workgroups": 7, "instructions": 70, "seconds": 0.1,
     "modelled_seconds": 10e-6},
    {"name": "large", "launches": 1, "waves": 1, "workgroups": 1, "instructions": 10, "seconds": 0.1,
     "modelled_seconds": 30e-6}]})");
  EXPECT_NE(text.find("modelled      40 us in kernels\n"), text.npos) << text;
  const size_t large = text.find("75.0 %  1 x large\n"), small = text.find("25.0 %  7 x small\n");
  EXPECT_NE(large, text.npos) << text;
  EXPECT_NE(small, text.npos) << text;
  EXPECT_LT(large, small);
}

TEST(Report, WithoutModelledTimeNoneIsTold) {
  const std::string text = said(R"({"gpus": ["mi300x"], "library_calls": [], "kernels": [
    {"name": "small", "launches": 7, "waves": 7, "workgroups": 7, "instructions": 70, "seconds": 0.1}]})");
  EXPECT_EQ(text.find("modelled"), text.npos) << text;
}

TEST(Report, AProgramThatDidNothingIsSaidToHaveDoneNothing) {
  EXPECT_NE(said("").find("no kernel ran to its end"), std::string::npos);
}

}  // namespace
}  // namespace wavesmith::cli
