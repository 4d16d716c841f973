// A fixture for tests of a library whose functions take a handle.
#pragma once

#include "libraries/shim/seeded_test.h"

namespace wavesmith::libraries {

class HandleTest : public SeededTest {
 protected:
  /// The library's name, and its functions that make a handle and end it.
  HandleTest(const char* library, const char* create, const char* destroy)
      : library_(open_library(library)), create_(create), destroy_(destroy) {}
  void SetUp() override {
    SeededTest::SetUp();
    ASSERT_TRUE(library_);
    ASSERT_EQ(call(library_, create_, &handle_), 0);
  }
  void TearDown() override { EXPECT_EQ(call(library_, destroy_, handle_), 0); }

  void* const library_;
  void* handle_ = nullptr;

 private:
  const char *const create_, *const destroy_;
};

}  // namespace wavesmith::libraries
