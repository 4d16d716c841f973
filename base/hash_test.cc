#include "base/hash.h"

#include <gtest/gtest.h>

namespace wavesmith {
namespace {

// Landon Curt Noll's published FNV-1a 64 test vectors.
TEST(Hash, IsFnv1a) {
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8u);
}

TEST(Hash, TakesTextInParts) {
  EXPECT_EQ(Hash().add("foo").add("bar").value(), hash_of("foobar"));
  EXPECT_EQ(Hash(hash_of("foo")).add("bar").value(), hash_of("foobar"));
  EXPECT_NE(Hash().add("foo").separate().add("bar").value(), hash_of("foobar"));
  EXPECT_EQ(Hash().add_value(uint8_t{'a'}).value(), hash_of("a"));
}

}  // namespace
}  // namespace wavesmith
