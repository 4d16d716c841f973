#include "base/result.h"

#include <gtest/gtest.h>

namespace wavesmith {
namespace {

TEST(Error, TextNamesWhatWhereAndHint) {
  const Error error{ErrorKind::NotFound, "no kernel 'x'", "a.co", "it has: 'y'"};
  EXPECT_EQ(error.text(), "no kernel 'x' (a.co); it has: 'y'");
}

TEST(Error, TextLeavesOutWhatIsEmpty) { EXPECT_EQ((Error{ErrorKind::Trap, "trap"}).text(), "trap"); }

TEST(Result, FailConvertsToAnyResult) {
  const Result<int> result = fail(ErrorKind::BadInput, "bad");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::BadInput);
}

}  // namespace
}  // namespace wavesmith
