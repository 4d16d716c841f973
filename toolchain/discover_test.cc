#include "toolchain/discover.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "base/scratch.h"

namespace wavesmith::toolchain {
namespace {

/// What is found in a folder with this header and device libraries at this place.
Toolchain discovered(const Scratch& scratch, const std::string& version, const std::string& place) {
  const std::string header = "#define HIP_VERSION_MAJOR 7\n#define HIP_VERSION_MINOR " + version + "\n";
  EXPECT_TRUE(write_file(scratch / "include/hip/hip_version.h", header));
  for (const char* library : {"ocml.bc", "ockl.bc"})
    EXPECT_TRUE(write_file(scratch / place / library, std::string_view("BC")));
  setenv("WAVESMITH_HIP_PATH", (scratch / "").c_str(), 1);
  Toolchain found = discover();
  unsetenv("WAVESMITH_HIP_PATH");
  return found;
}

TEST(Discover, DeviceLibrariesAreFoundWhereEachReleaseHasThem) {
  for (const char* place : {"amdgcn/bitcode", "lib/amdgcn/bitcode", "lib/x86_64-linux-gnu/amdgcn/bitcode",
                            "lib/llvm-21/lib/clang/21/amdgcn/bitcode"}) {
    const Scratch scratch("discover");
    ASSERT_TRUE(scratch.made());
    const Toolchain found = discovered(scratch, "1", place);
    ASSERT_FALSE(found.headers.empty()) << place;
    EXPECT_EQ(found.headers[0].origin, Headers::Origin::Given) << place;
    EXPECT_EQ(found.headers[0].major, 7) << place;
    EXPECT_EQ(found.headers[0].minor, 1) << place;
    ASSERT_FALSE(found.libraries.empty()) << place;
    EXPECT_EQ(found.libraries[0].folder, scratch / place);
  }
}

TEST(Discover, WhatWasInstalledIsFoundInTheFolderThatARunWasTold) {
  const Scratch scratch("discover");
  ASSERT_TRUE(write_file(scratch / "amd/usr/include/hip/hip_version.h", "#define HIP_VERSION_MAJOR 7\n"));
  const std::string place = scratch / "amd/usr/lib/llvm-22/lib/clang/22/amdgcn/bitcode";
  for (const char* library : {"/ocml.bc", "/ockl.bc"})
    ASSERT_TRUE(write_file(place + library, std::string_view("BC")));
  setenv("WAVESMITH_LIBRARIES", (scratch / "").c_str(), 1);
  const Toolchain found = discover();
  unsetenv("WAVESMITH_LIBRARIES");
  const auto installed = [](const auto& each) { return each.origin == Headers::Origin::Installed; };
  const auto headers = std::find_if(found.headers.begin(), found.headers.end(), installed);
  ASSERT_NE(headers, found.headers.end());
  EXPECT_EQ(headers->include, scratch / "amd/usr/include");
  const auto libraries = std::find_if(found.libraries.begin(), found.libraries.end(), installed);
  ASSERT_NE(libraries, found.libraries.end());
  EXPECT_EQ(libraries->folder, place);
}

TEST(Discover, AFolderWithHalfOfTheDeviceLibrariesIsNone) {
  const Scratch scratch("discover");
  ASSERT_TRUE(
      write_file(scratch / "lib/llvm-21/lib/clang/21/amdgcn/bitcode/ocml.bc", std::string_view("BC")));
  setenv("WAVESMITH_HIP_PATH", (scratch / "").c_str(), 1);
  for (const DeviceLibraries& libraries : discover().libraries)
    EXPECT_NE(libraries.origin, Headers::Origin::Given) << libraries.folder;
  unsetenv("WAVESMITH_HIP_PATH");
}

TEST(Discover, BuiltinsAreFoundBelowTheCompilersFolder) {
  for (const char* place :
       {"linux/libclang_rt.builtins-x86_64.a", "x86_64-pc-linux-gnu/libclang_rt.builtins.a"}) {
    const Scratch scratch("discover");
    const std::string clang = (scratch / "bin/clang++").string();
    const std::string builtins = (scratch / "lib/clang/22/lib" / place).string();
    ASSERT_TRUE(write_file(clang, std::string_view("#!/bin/sh\n")));
    ASSERT_EQ(chmod(clang.c_str(), 0755), 0);
    setenv("WAVESMITH_CLANG", clang.c_str(), 1);
    EXPECT_EQ(discover().builtins, "") << place;
    EXPECT_TRUE(write_file(builtins, std::string_view("!<arch>\n")));
    EXPECT_EQ(discover().builtins, builtins);
    unsetenv("WAVESMITH_CLANG");
  }
}

TEST(Discover, OpenMpIsFoundBelowTheCompilersFolderOrItsPackageIsNamed) {
  const Scratch scratch("discover");
  const std::string clang = (scratch / "llvm-22/bin/clang++").string();
  const std::string openmp = (scratch / "llvm-22/lib/libomp.so").string();
  ASSERT_TRUE(write_file(clang, std::string_view("#!/bin/sh\n")));
  ASSERT_EQ(chmod(clang.c_str(), 0755), 0);
  setenv("WAVESMITH_CLANG", clang.c_str(), 1);
  const auto without = require_openmp(discover());
  ASSERT_FALSE(without);
  EXPECT_NE(without.error().hint.find("libomp-22-dev"), std::string::npos);
  EXPECT_TRUE(write_file(openmp, std::string_view("")));
  EXPECT_TRUE(require_openmp(discover()));
  unsetenv("WAVESMITH_CLANG");
}

}  // namespace
}  // namespace wavesmith::toolchain
