#include "timing/grid/bound.h"

#include <gtest/gtest.h>

#include <array>

namespace wavesmith::timing {
namespace {

using isa::Pipe;
using PipeShare = BoundEvidence::PipeShare;
using CauseShare = BoundEvidence::CauseShare;

TEST(Bound, MemoryThatMovesAsFastAsACopyIsNamedBeforeEmptierPipes) {
  const std::array<PipeShare, 2> pipes = {PipeShare{Pipe::Valu, 0.5}, PipeShare{Pipe::Vmem, 0.8}};
  const std::array<CauseShare, 1> causes = {CauseShare{"wait for loads", 0.6}};
  const Verdict verdict = bound_of({.pipes = pipes,
                                    .causes = causes,
                                    .nothing_issued = 0.6,
                                    .memory = 0.93,
                                    .units = 304,
                                    .units_of_gpu = 304});
  EXPECT_EQ(verdict.bound, Bound::Memory);
  EXPECT_EQ(verdict.why, "the grid's bytes move at 93 % of what a long copy reaches");
}

TEST(Bound, BytesFasterThanMemoryComeFromCachesAndBoundNothing) {
  const std::array<CauseShare, 1> causes = {CauseShare{"wait for loads", 0.6}};
  const Verdict verdict = bound_of({.causes = causes, .nothing_issued = 0.6, .memory = 3});
  EXPECT_EQ(verdict.bound, Bound::Latency);
}

TEST(Bound, AWayToTheL2ThatIsTakenIsNamedBeforeEmptierPipesAndMemory) {
  const std::array<PipeShare, 1> pipes = {PipeShare{Pipe::Matrix, 0.8}};
  BoundEvidence evidence{.pipes = pipes, .nothing_issued = 0.6, .memory = 0.9, .way_to_l2 = 0.97};
  EXPECT_EQ(bound_of(evidence).bound, Bound::L2);
  EXPECT_EQ(bound_of(evidence).why, "the compute unit's way to the L2 is taken 97 % of the cycles");
  evidence.way_to_l2 = 0.85;
  EXPECT_EQ(bound_of(evidence).bound, Bound::Memory);
  evidence.memory = 0.1;
  EXPECT_EQ(bound_of(evidence).bound, Bound::L2);
  evidence.way_to_l2 = 0.75;
  EXPECT_EQ(bound_of(evidence).bound, Bound::Compute);
}

TEST(Bound, TheFullestPipeDecides) {
  for (const auto& [pipe, bound] : {std::pair{Pipe::Matrix, Bound::Compute},
                                    {Pipe::Valu, Bound::Compute},
                                    {Pipe::Transcendental, Bound::Compute},
                                    {Pipe::Lds, Bound::Lds},
                                    {Pipe::Vmem, Bound::VectorMemory},
                                    {Pipe::Salu, Bound::Issue}}) {
    const std::array<PipeShare, 2> pipes = {PipeShare{Pipe::Smem, 0.2}, PipeShare{pipe, 0.91}};
    const Verdict verdict = bound_of({.pipes = pipes, .nothing_issued = 0.6, .memory = 0.75});
    EXPECT_EQ(verdict.bound, bound) << name_of(pipe);
    EXPECT_NE(verdict.why.find(std::string(name_of(pipe)) + " pipe is taken 91 %"), std::string::npos)
        << verdict.why;
  }
}

TEST(Bound, SimdsThatIssueAlmostAlwaysAreBoundByIssue) {
  const std::array<PipeShare, 1> pipes = {PipeShare{Pipe::Valu, 0.6}};
  const Verdict verdict = bound_of({.pipes = pipes, .nothing_issued = 0.2, .memory = 0.1});
  EXPECT_EQ(verdict.bound, Bound::Issue);
  EXPECT_EQ(verdict.why, "the SIMDs issue in 80 % of their cycles, no pipe is taken more than 60 %");
}

TEST(Bound, WaitingIsNamedByItsLargestCauseAndAnUnfilledGpuSaid) {
  const std::array<PipeShare, 2> pipes = {PipeShare{Pipe::Valu, 0.14}, PipeShare{Pipe::Lds, 0.28}};
  const std::array<CauseShare, 2> causes = {CauseShare{"barrier", 0.06}, CauseShare{"wait for loads", 0.51}};
  const Verdict verdict = bound_of({.pipes = pipes,
                                    .causes = causes,
                                    .nothing_issued = 0.74,
                                    .memory = 0.02,
                                    .units = 64,
                                    .units_of_gpu = 304});
  EXPECT_EQ(verdict.bound, Bound::Latency);
  EXPECT_EQ(verdict.why,
            "wait for loads keeps the SIMDs idle 51 % of their cycles; the fullest pipe, LDS, is taken 28 %; "
            "64 of 304 "
            "compute units have work");
}

}  // namespace
}  // namespace wavesmith::timing
