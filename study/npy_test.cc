#include "study/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "cli/testing.h"

namespace wavesmith::study {
namespace {

using cli::Scratch;

// Made by numpy 1.24: numpy.save of numpy.arange(6, dtype='<i4').reshape(2, 3).
std::string numpys_own() {
  std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
  std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }";
  header.append(117 - header.size(), ' ');
  file += header + "\n";
  for (int32_t i = 0; i < 6; ++i) file.append(reinterpret_cast<const char*>(&i), 4);
  return file;
}

TEST(Npy, ReadsWhatNumpyWrites) {
  const Result<Npy> array = parse_npy(numpys_own(), "a.npy");
  ASSERT_TRUE(array) << array.error().text();
  EXPECT_EQ(array->type, "i4");
  EXPECT_EQ(array->shape, (std::vector<uint64_t>{2, 3}));
  int32_t last = 0;
  std::memcpy(&last, array->bytes.data() + 20, 4);
  EXPECT_EQ(last, 5);
}

TEST(Npy, WritesItByteForByteAsNumpyDoes) {
  EXPECT_EQ(format_npy(*parse_npy(numpys_own(), "")), numpys_own());
}

TEST(Npy, ReadsBackWhatItWrites) {
  for (const Npy& array :
       {Npy{"f4", {3}, std::vector<uint8_t>(12, 7)}, Npy{"f8", {}, std::vector<uint8_t>(8, 1)},
        Npy{"u1", {0, 4}, {}}, Npy{"V2", {2, 2, 1}, std::vector<uint8_t>(8, 9)}}) {
    const Result<Npy> back = parse_npy(format_npy(array), "");
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(back->type, array.type);
    EXPECT_EQ(back->shape, array.shape);
    EXPECT_EQ(back->bytes, array.bytes);
  }
}

TEST(Npy, DamagedFilesAreErrors) {
  const std::string good = numpys_own();
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(parse_npy(good.substr(0, length), "")) << length;
  auto with = [&](const std::string& what, const std::string& by) {
    std::string text = good;
    const size_t at = text.find(what);
    text.replace(at, what.size(), by);
    return text;
  };
  EXPECT_FALSE(parse_npy(with("'<i4'", "'>i4'"), ""));
  EXPECT_FALSE(parse_npy(with("'<i4'", "'|O8'"), ""));
  EXPECT_FALSE(parse_npy(with("False", "True "), ""));
  EXPECT_FALSE(parse_npy(with("(2, 3)", "(99999999999, 99999999999)"), ""));
  EXPECT_FALSE(parse_npy(with("(2, 3)", "(x, 3)"), ""));
  EXPECT_FALSE(read_npy("/no/such.npy"));
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 2000; ++i) {
    std::string text = good;
    for (int k = 0; k < 4; ++k) text[random() % text.size()] = static_cast<char>(random());
    (void)parse_npy(text, "");  // must return
  }
}

}  // namespace
}  // namespace wavesmith::study
