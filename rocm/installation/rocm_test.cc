#include "rocm/installation/rocm.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/scratch.h"

namespace wavesmith::rocm {
namespace {

namespace fs = std::filesystem;

// A computer with nothing to compile with; the command and the libraries lie as a build has them.
class RocmFolder : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(scratch_.made());
    folder_ = fs::canonical(scratch_.folder());
    fs::create_directories(folder_ / "lib");
    fs::create_directories(folder_ / "bin");
    std::ofstream(folder_ / "bin/wavesmith");
    tools_.runtime = folder_ / "lib";
  }
  void TearDown() override { unsetenv("WAVESMITH_HIP_VERSION"); }
  Tree shown(const std::set<std::string>& left_alone = {}) {
    Tree tree;
    add_rocm(tree, "rocm", tools_, left_alone, {});
    return tree;
  }

  const Scratch scratch_{"rocm"};
  fs::path folder_;
  toolchain::Toolchain tools_;
};

TEST_F(RocmFolder, CommandsLeadToWavesmithButThoseOfTheUser) {
  Tree tree = shown();
  for (const std::string name : kCommands)
    EXPECT_EQ(tree.links["rocm/bin/" + name], (folder_ / "bin/wavesmith").string()) << name;
  tree = shown({"rocminfo", "amd-smi"});
  for (const std::string name : kCommands)
    EXPECT_EQ(tree.links.contains("rocm/bin/" + name), name != "rocminfo" && name != "amd-smi") << name;
}

TEST_F(RocmFolder, TellsOneRelease) {
  setenv("WAVESMITH_HIP_VERSION", "6.2", 1);
  const Tree tree = shown();
  EXPECT_EQ(tree.files.at("rocm/.info/version"), "6.2.0\n");
  EXPECT_EQ(tree.files.at("rocm/share/hip/version"),
            "HIP_VERSION_MAJOR=6\nHIP_VERSION_MINOR=2\nHIP_VERSION_PATCH=0\n");
  const std::string& header = tree.files.at("rocm/include/rocm-core/rocm_version.h");
  EXPECT_NE(header.find("#define ROCM_VERSION_MAJOR 6\n#define ROCM_VERSION_MINOR 2\n"), std::string::npos);
  EXPECT_NE(tree.files.at("rocm/bin/hipconfig").find("printf %s 6.2.0 ;;"), std::string::npos);
}

}  // namespace
}  // namespace wavesmith::rocm
