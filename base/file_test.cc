#include "base/file.h"

#include <gtest/gtest.h>

#include "base/scratch.h"

namespace wavesmith {
namespace {

TEST(File, WhatIsWrittenIsRead) {
  const Scratch scratch("file");
  const auto file = scratch / "folder" / "file";
  ASSERT_TRUE(write_file(file, std::string_view("a\0b", 3)));
  const auto bytes = read_file(file);
  ASSERT_TRUE(bytes) << bytes.error().text();
  EXPECT_EQ(*bytes, (std::vector<uint8_t>{'a', 0, 'b'}));
  ASSERT_TRUE(write_file(file, *bytes));
  EXPECT_EQ(read_file(file).value(), *bytes);
}

TEST(File, WhatIsNoFileIsAnError) {
  const Scratch scratch("file");
  EXPECT_EQ(read_file(scratch / "none").error().kind, ErrorKind::NotFound);
  EXPECT_EQ(read_file(scratch.folder()).error().kind, ErrorKind::NotFound) << "a folder";
  EXPECT_FALSE(write_file("/proc/none/file", "text"));
}

}  // namespace
}  // namespace wavesmith
