#include "study/names.h"

#include <gtest/gtest.h>

namespace wavesmith::study {
namespace {

TEST(Names, AreReadAndMeantInSeveralWays) {
  EXPECT_EQ(readable("_Z4axpyPKfPf"), "axpy(float const*, float*)");
  EXPECT_EQ(readable("_Z1kPKDF16_"), "k(_Float16 const*)");
  EXPECT_EQ(readable("plain"), "plain");
  for (const char* asked : {"_Z4axpyPKfPf", "axpy(float const*, float*)", "axpy"})
    EXPECT_TRUE(means(asked, "_Z4axpyPKfPf")) << asked;
  for (const char* asked : {"_Z3sumIfEvPT_", "sum<float>", "void sum<float>(float*)"})
    EXPECT_TRUE(means(asked, "_Z3sumIfEvPT_")) << asked;
  for (const char* asked : {"", "ax", "axpy(", "sum"}) EXPECT_FALSE(means(asked, "_Z4axpyPKfPf")) << asked;
  EXPECT_TRUE(means("(anonymous namespace)::f", "_ZN12_GLOBAL__N_11fEv"));
}

}  // namespace
}  // namespace wavesmith::study
