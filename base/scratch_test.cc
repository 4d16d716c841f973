#include "base/scratch.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace wavesmith {
namespace {

namespace fs = std::filesystem;

TEST(Scratch, IsAFolderOfItsOwnUntilTheEnd) {
  fs::path file;
  {
    const Scratch one("test"), other("test");
    ASSERT_TRUE(one.made() && other.made());
    EXPECT_NE(one.folder(), other.folder());
    EXPECT_EQ(fs::status(one.folder()).permissions(), fs::perms::owner_all) << "nobody else may look";
    file = one / "folder" / "file";
    ASSERT_TRUE(write_file(file, "text"));
    EXPECT_EQ(one.prefix() + "folder/file", file);
  }
  EXPECT_FALSE(fs::exists(file.parent_path().parent_path()));
}

TEST(Scratch, LiesWhereItIsWanted) {
  const Scratch outer("test");
  const fs::path parent = outer / "not" / "there";
  const Scratch inner("inner", parent);
  ASSERT_TRUE(inner.made());
  EXPECT_EQ(inner.folder().parent_path(), parent);
  EXPECT_FALSE(Scratch("test", "/proc/none").made());
}

TEST(Scratch, ARenamedFolderStays) {
  const Scratch outer("test");
  {
    const Scratch inner("inner", outer.folder());
    ASSERT_TRUE(write_file(inner / "made" / "file", "text"));
    fs::rename(inner / "made", outer / "kept");
  }
  EXPECT_TRUE(fs::exists(outer / "kept" / "file"));
}

TEST(TemporaryFile, HasAnotherNameEachTime) {
  const fs::path one = temporary_file("part", ".o"), other = temporary_file("part", ".o");
  EXPECT_NE(one, other);
  EXPECT_EQ(one.extension(), ".o");
  EXPECT_FALSE(fs::exists(one));
}

}  // namespace
}  // namespace wavesmith
