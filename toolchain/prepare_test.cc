#include "toolchain/prepare.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/scratch.h"

namespace wavesmith::toolchain {
namespace {

namespace fs = std::filesystem;

/// A cache of the test's own.
class PrepareTest : public ::testing::Test {
 protected:
  PrepareTest() { setenv("WAVESMITH_CACHE", (folder_ / "cache").c_str(), 1); }
  ~PrepareTest() override {
    if (kept_.empty())
      unsetenv("WAVESMITH_CACHE");
    else
      setenv("WAVESMITH_CACHE", kept_.c_str(), 1);
  }
  Scratch folder_{"prepare"};

 private:
  std::string kept_ = std::getenv("WAVESMITH_CACHE") ? std::getenv("WAVESMITH_CACHE") : "";
};

TEST_F(PrepareTest, ThreadsMayMakeTheSameAtOnce) {
  // All are in the middle of it together, as a library's threads that compile its first kernels are.
  constexpr int kThreads = 4;
  std::atomic<int> making = 0, whole = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      const auto made = cached("shared", [&](const fs::path& folder) -> Result<void> {
        const fs::path file = folder / "file";
        const bool written = !fs::exists(file) && write_file(file, "text");
        ++making;
        while (making < kThreads) std::this_thread::yield();
        if (written && fs::remove(file) && write_file(file, "whole")) return {};
        return fail(ErrorKind::BadInput, "another works in this folder");
      });
      whole += made && read_file(fs::path(*made) / "file").value().size() == 5;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(whole, kThreads);
  int left = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "cache"))
    left += entry.path().filename().string().starts_with("making-");
  EXPECT_EQ(left, 0) << "scratch folders are removed";
}

TEST_F(PrepareTest, ACompilerWithoutTheTargetIsNamedAndWhatToInstall) {
  // A clang that was built without AMD's GPUs says this.
  const std::string clang = folder_ / "clang++";
  ASSERT_TRUE(
      write_file(clang, "#!/bin/sh\necho 'error: unable to create target: no amdgcn here'\nexit 1\n"));
  fs::permissions(clang, fs::perms::owner_exec, fs::perm_options::add);
  fs::create_directories(folder_ / "bitcode");
  const DeviceLibraries libraries{.folder = folder_ / "bitcode"};
  Toolchain tools;
  tools.clang = clang;
  const auto prepared = prepare(tools, {.libraries = &libraries});
  ASSERT_FALSE(prepared.has_value());
  for (const std::string& word : {clang, std::string("exit code 1"), std::string("no amdgcn here"),
                                  std::string("apt install clang lld"), std::string("WAVESMITH_CLANG")})
    EXPECT_NE(prepared.error().text().find(word), std::string::npos) << prepared.error().text();
}

}  // namespace
}  // namespace wavesmith::toolchain
