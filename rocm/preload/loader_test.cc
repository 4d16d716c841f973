// Programs under a C library of another folder: a copy of this machine's.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/scratch.h"
#include "rocm/libraries/shared_object.h"
#include "toolchain/process.h"

namespace wavesmith::rocm {
namespace {

namespace fs = std::filesystem;

class LoaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (WAVESMITH_CROSS) GTEST_SKIP() << "the host's programs have another loader";
    if (const char* const preloaded = std::getenv("LD_PRELOAD"); preloaded && *preloaded)
      GTEST_SKIP() << "a sanitizer wants to be loaded first";
    ASSERT_TRUE(scratch_.made());
    // The loader and the C library that this test runs with.
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      const size_t at = line.find('/');
      if (at == line.npos) continue;
      const fs::path file = line.substr(at);
      const std::string name = file.filename();
      std::error_code ignored;
      if (name.starts_with("ld-linux") || name.starts_with("libc.so") || name.starts_with("libc-"))
        fs::copy_file(file, folder_ / fs::path(name), fs::copy_options::skip_existing, ignored);
      if (name.starts_with("ld-linux")) loader_ = folder_ + "/" + name;
    }
    ASSERT_FALSE(loader_.empty());
  }
  [[nodiscard]] std::string output(std::vector<std::string> command) const {
    command.insert(command.begin(), {"env", "WAVESMITH_LOADER=" + loader_, "WAVESMITH_LOADER_PATH=" + folder_,
                                     "LD_PRELOAD=" + std::string(WAVESMITH_PRELOAD)});
    const auto done = toolchain::run(command, true);
    return done ? done->output : done.error().text();
  }

  const Scratch scratch_{"loader"};
  const std::string folder_ = scratch_.folder();
  std::string loader_;
};

TEST_F(LoaderTest, AProgramAndItsChildrenHaveTheOtherCLibrary) {
  EXPECT_NE(output({"cat", "/proc/self/maps"}).find(folder_ + "/libc"), std::string::npos);
  EXPECT_NE(output({"sh", "-c", "sh -c 'cat /proc/self/maps'; true"}).find(folder_ + "/libc"),
            std::string::npos);
}

TEST_F(LoaderTest, ArgumentsEnvironmentAndExitCodesStay) {
  EXPECT_EQ(output({"sh", "-c", "echo $0 $1 \"$2\" $# $KEPT", "name", "one", "two words"}),
            "name one two words 2\n");
  const auto done = toolchain::run({"env", "WAVESMITH_LOADER=" + loader_, "WAVESMITH_LOADER_PATH=" + folder_,
                                    "LD_PRELOAD=" + std::string(WAVESMITH_PRELOAD), "sh", "-c", "exit 7"},
                                   true);
  EXPECT_EQ(done->code, 7);
}

TEST_F(LoaderTest, AProgramIsItselfToItsOwnEyes) {
  std::error_code failed;
  const std::string link = fs::canonical(toolchain::find_program({"readlink"}), failed);
  EXPECT_EQ(output({"readlink", "/proc/self/exe"}), link + "\n");
  EXPECT_EQ(output({"sh", "-c", "env | grep -c LOADER_PROGRAM"}), "0\n")
      << "nothing is left for its children";
}

TEST_F(LoaderTest, AScriptsInterpreterIsReached) {
  const std::string script = folder_ + "/script";
  std::ofstream(script) << "#!/bin/sh\necho \"$@\"; cat /proc/self/maps\n";
  fs::permissions(script, fs::perms(0755));
  const std::string text = output({script, "a", "b c"});
  EXPECT_TRUE(text.starts_with("a b c\n")) << text.substr(0, 200);
  EXPECT_NE(text.find(folder_ + "/libc"), std::string::npos);
}

TEST_F(LoaderTest, WithoutThatLoaderProgramsRunAsTheyAre) {
  fs::remove(loader_);
  EXPECT_EQ(output({"sh", "-c", "echo there"}), "there\n");
}

}  // namespace
}  // namespace wavesmith::rocm
