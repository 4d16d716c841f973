#include "toolchain/scratch.h"

#include <gtest/gtest.h>

namespace wavesmith::toolchain {
namespace {

TEST(Scratch, IsAFolderOfItsOwnUntilTheEnd) {
  std::filesystem::path file;
  {
    const Scratch one("test"), other("test");
    ASSERT_TRUE(one.made() && other.made());
    EXPECT_NE(one.prefix(), other.prefix());
    file = one / "folder" / "file";
    ASSERT_TRUE(write_file(file, std::string_view("a\0b", 3)));
    EXPECT_EQ(read_file(file), (std::vector<uint8_t>{'a', 0, 'b'}));
  }
  EXPECT_FALSE(std::filesystem::exists(file.parent_path().parent_path()));
  EXPECT_TRUE(read_file(file).empty());
  EXPECT_FALSE(write_file("/proc/none/file", "text"));
}

}  // namespace
}  // namespace wavesmith::toolchain
