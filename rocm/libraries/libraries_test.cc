// Whose library a program gets. The stand-ins, copied elsewhere, are AMD's here: files with the same names.
#include "rocm/libraries/libraries.h"
#include "base/scratch.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "rocm/libraries/installation.h"
#include "rocm/libraries/library_paths.h"
#include "rocm/libraries/shared_object.h"

namespace wavesmith::rocm {
namespace {

namespace fs = std::filesystem;

class LibrariesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(scratch_.made());
    setenv("XDG_DATA_HOME", (folder_ + "/data").c_str(), 1);
    setenv("WAVESMITH_CACHE", (folder_ + "/cache").c_str(), 1);
    unsetenv("WAVESMITH_LIBRARIES");
    unsetenv("LD_LIBRARY_PATH");
  }

  /// A library of AMD's in a folder that the user names, with `from` in it become `to`.
  std::string give(const std::string& name, const std::string& from = {}, const std::string& to = {}) {
    const std::string amds = folder_ + "/amds";
    put(name, amds, from, to);
    setenv("LD_LIBRARY_PATH", amds.c_str(), 1);
    return amds + "/" + name;
  }
  static void put(const std::string& name, const std::string& into, const std::string& from = {},
                  const std::string& to = {}) {
    fs::create_directories(into);
    std::ifstream file(std::string(WAVESMITH_RUNTIME) + "/stand-ins/" + name, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    ASSERT_FALSE(bytes.empty()) << name;
    if (!from.empty()) {
      const size_t at = bytes.find(from + '\0');
      ASSERT_NE(at, bytes.npos) << from;
      bytes.replace(at, from.size(), to);
    }
    std::ofstream(into + "/" + name, std::ios::binary) << bytes;
  }
  /// The provider for a soname.
  static LibraryProvider provider(const Libraries& libraries, const std::string& soname) {
    for (const LibraryProvider& one : libraries.providers)
      if (one.soname == soname) return one;
    ADD_FAILURE() << "nothing known of " << soname;
    return {};
  }
  static Libraries found(const std::string& choice = {}) {
    return find_libraries(WAVESMITH_RUNTIME, LibraryChoice::parse(choice).value()).value();
  }
  /// The file that a name leads to along LD_LIBRARY_PATH.
  static std::string led_to(const Libraries& libraries, const std::string& name) {
    const std::string path = library_variables(libraries).value().at("LD_LIBRARY_PATH") + ":";
    for (size_t at = 0, colon; (colon = path.find(':', at)) != path.npos; at = colon + 1)
      if (const fs::path file = fs::path(path.substr(at, colon - at)) / name; fs::exists(file))
        return fs::canonical(file);
    return {};
  }

  const Scratch scratch_{"libraries"};
  const std::string folder_ = scratch_.folder();
};

TEST_F(LibrariesTest, TheLinkersFactsAreRead) {
  const auto object = SharedObject::read(std::string(WAVESMITH_RUNTIME) + "/stand-ins/librocsolver.so.0");
  ASSERT_TRUE(object.has_value()) << object.error().what;
  EXPECT_EQ(object->soname, "librocsolver.so.0");
  EXPECT_NE(std::find(object->needed.begin(), object->needed.end(), "librocblas.so.5"), object->needed.end());
  EXPECT_TRUE(object->wanted.contains("libc.so.6"));
  EXPECT_NE(std::find(object->folders.begin(), object->folders.end(),
                      std::string(WAVESMITH_RUNTIME) + "/stand-ins/.."),
            object->folders.end());
  EXPECT_TRUE(
      exported(std::string(WAVESMITH_RUNTIME) + "/stand-ins/librocsolver.so.0").contains("rocsolver_spotrf"));
  EXPECT_TRUE(
      SharedObject::read(std::string(WAVESMITH_RUNTIME) + "/libamdhip64.so.7")->versions.contains("hip_4.2"));
  EXPECT_FALSE(SharedObject::read("/nowhere").has_value());
  std::ofstream(folder_ + "/text") << "hello";
  EXPECT_FALSE(SharedObject::read(folder_ + "/text").has_value());
}

TEST_F(LibrariesTest, WithoutAmdsTheStandInsAnswer) {
  const Libraries libraries = found("stand-ins");
  EXPECT_FALSE(libraries.any_amd());
  EXPECT_EQ(led_to(libraries, "librocblas.so.5"),
            fs::canonical(std::string(WAVESMITH_RUNTIME) + "/stand-ins/librocblas.so.5"));
}

TEST_F(LibrariesTest, AmdsGoFirstAndTheStandInsServeTheRest) {
  const std::string amds = give("librocblas.so.5");
  const Libraries libraries = found();
  EXPECT_TRUE(provider(libraries, "librocblas.so.5").is_amd);
  EXPECT_FALSE(provider(libraries, "librocblas.so.4").is_amd);
  EXPECT_EQ(led_to(libraries, "librocblas.so.5"), fs::canonical(amds));
  EXPECT_EQ(led_to(libraries, "librocblas.so"), fs::canonical(amds)) << "without its number";
  EXPECT_NE(led_to(libraries, "librccl.so.1"), "");
  EXPECT_FALSE(provider(found("stand-ins"), "librocblas.so.5").is_amd);
  EXPECT_NE(led_to(found("stand-ins"), "librocblas.so.5"), fs::canonical(amds));
}

TEST_F(LibrariesTest, OneThatNeedsAnotherOfAmdsIsNotGivenAStandIn) {
  const std::string amds = give("librocsolver.so.0");
  const Libraries alone = found();
  EXPECT_FALSE(provider(alone, "librocsolver.so.0").is_amd);
  EXPECT_NE(provider(alone, "librocsolver.so.0").refused.find("librocblas.so.5"), std::string::npos);
  EXPECT_NE(led_to(alone, "librocsolver.so.0"), fs::canonical(amds));
  give("librocblas.so.5");
  const Libraries both = found();
  EXPECT_TRUE(provider(both, "librocsolver.so.0").is_amd);
  const auto at = [&](const char* name) {
    return std::find_if(both.order.begin(), both.order.end(),
                        [&](const std::string& file) { return file.ends_with(name); });
  };
  EXPECT_LT(at("/librocblas.so.5"), at("/librocsolver.so.0")) << "what is needed is loaded first";
}

// The loader takes what a library needs from the folders that the library itself names.
TEST_F(LibrariesTest, OneThatBringsWhatItNeedsIsTaken) {
  void* const handle = dlopen("libm.so.6", RTLD_LAZY);
  const link_map* map = nullptr;
  ASSERT_EQ(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
  give("librocblas.so.5", "libm.so.6", "libM.so.6");
  EXPECT_EQ(provider(found(), "librocblas.so.5").refused, "it needs libM.so.6, which is not here");
  fs::copy_file(map->l_name, folder_ + "/libM.so.6");  // $ORIGIN/..
  EXPECT_TRUE(provider(found(), "librocblas.so.5").is_amd);
}

TEST_F(LibrariesTest, OneThatWantsAnotherVersionOfTheCLibraryIsNotTaken) {
  // Which version that is depends on the processor and on what a sanitizer serves itself: GLIBC_2.34, say.
  const auto object = SharedObject::read(std::string(WAVESMITH_RUNTIME) + "/stand-ins/librocblas.so.5");
  const std::string version = object->wanted.at("libc.so.6").back();
  const std::string other = "GLIBC_9" + version.substr(std::string_view("GLIBC_2").size());
  give("librocblas.so.5", version, other);
  const LibraryProvider rocblas = provider(found(), "librocblas.so.5");
  EXPECT_FALSE(rocblas.is_amd);
  EXPECT_NE(rocblas.refused.find(other), std::string::npos) << rocblas.refused;
  if (found().any_amd()) GTEST_SKIP() << "this machine has libraries of AMD's";
  const auto required = find_libraries(WAVESMITH_RUNTIME, LibraryChoice::parse("amd").value());
  ASSERT_FALSE(required.has_value());
  EXPECT_EQ(required.error().kind, ErrorKind::NotFound);
  EXPECT_NE(required.error().text().find("rocBLAS"), std::string::npos);
}

TEST_F(LibrariesTest, OneWithoutKernelsForTheGpuIsNotTaken) {
  give("librocblas.so.5");
  const std::string beside = folder_ + "/amds/rocblas/library";
  fs::create_directories(beside);
  // Clang's offload bundle: magic, number of entries; of each its offset, size, the length of its name, the
  // name.
  std::string bundle = "__CLANG_OFFLOAD_BUNDLE__";
  const std::string name = "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-";
  for (const uint64_t word : {uint64_t{1}, uint64_t{4096}, uint64_t{4096}, uint64_t{name.size()}})
    bundle.append(reinterpret_cast<const char*>(&word), sizeof word);
  std::ofstream(beside + "/Kernels.so-000-gfx90a.hsaco", std::ios::binary)
      << bundle + name + std::string(8192, 0);
  EXPECT_TRUE(provider(found(), "librocblas.so.5").is_amd) << "no GPU is known";
  const auto on = [](LibraryChoice::Mode mode, const std::set<std::string>& gpus) {
    return provider(find_libraries(WAVESMITH_RUNTIME, {mode, {}, gpus}).value(), "librocblas.so.5");
  };
  using Mode = LibraryChoice::Mode;
  EXPECT_TRUE(on(Mode::Auto, {"gfx90a:sramecc+:xnack-"}).is_amd);
  EXPECT_FALSE(on(Mode::Auto, {"gfx90a:sramecc+:xnack+"}).is_amd);
  for (const std::set<std::string>& gpus : {std::set<std::string>{"gfx942:sramecc+:xnack-"},
                                            {"gfx90a:sramecc+:xnack-", "gfx942:sramecc+:xnack-"}}) {
    const LibraryProvider rocblas = on(Mode::Auto, gpus);
    EXPECT_FALSE(rocblas.is_amd);
    EXPECT_EQ(rocblas.refused, "it has no kernels for gfx942, only for gfx90a:xnack-");
    EXPECT_TRUE(on(Mode::Amd, gpus).is_amd) << "they are asked for";
  }
}

TEST_F(LibrariesTest, WhatSpeaksToTheDriverIsOursUnlessAmdsNeedIt) {
  give("libroctx64.so.4");
  EXPECT_FALSE(provider(found(), "libroctx64.so.4").is_amd);
  const Libraries libraries = found();
  EXPECT_EQ(led_to(libraries, "libroctx64.so.4"),
            fs::canonical(std::string(WAVESMITH_RUNTIME) + "/stand-ins/libroctx64.so.4"));
}

TEST_F(LibrariesTest, AnInstallationIsFound) {
  Installation made{.folder = folder_ + "/mine", .suite = "sid", .mirror = "m", .asked = {"rocblas"}};
  made.packages = {{"librocblas5", "7.2", "amd", 100}};
  fs::create_directories(made.folder);
  ASSERT_TRUE(write_installation(made));
  const std::string lib = made.folder + "/amd/usr/lib";
  put("librocblas.so.5", lib);
  EXPECT_EQ(read_installation(made.folder).packages.at(0).version, "7.2");
  EXPECT_NE(provider(found(), "librocblas.so.5").origin, LibraryProvider::Origin::Installed)
      << "it lies elsewhere";
  const Libraries libraries = found(made.folder);
  EXPECT_EQ(provider(libraries, "librocblas.so.5").origin, LibraryProvider::Origin::Installed);
  EXPECT_EQ(led_to(libraries, "librocblas.so.5"), fs::canonical(lib + "/librocblas.so.5"));
  ASSERT_NE(libraries.of_file(lib + "/../lib/librocblas.so.5"), nullptr);
}

TEST_F(LibrariesTest, ChoicesThatAreNoneAreErrors) {
  EXPECT_EQ(LibraryChoice::parse("nvidia").error().kind, ErrorKind::BadInput);
  EXPECT_EQ(LibraryChoice::parse(folder_).error().kind, ErrorKind::NotFound);
}

TEST_F(LibrariesTest, OfDebiansMIOpenTheAssemblyKernelsAreLeftOut) {
  unsetenv("MIOPEN_DEBUG_GCN_ASM_KERNELS");
  const auto told = [&](LibraryProvider::Origin origin) {
    Libraries libraries;
    libraries.runtime = WAVESMITH_RUNTIME;
    libraries.providers.push_back({.library = known_library("miopen"), .soname = "libMIOpen.so.1"});
    libraries.providers[0].is_amd = true;
    libraries.providers[0].origin = origin;
    libraries.providers[0].amd = folder_ + "/libMIOpen.so.1";
    libraries.order = {libraries.providers[0].amd};
    const auto variables = library_variables(libraries);
    return variables.has_value() && variables->contains("MIOPEN_DEBUG_GCN_ASM_KERNELS");
  };
  EXPECT_TRUE(told(LibraryProvider::Origin::Installed));
  EXPECT_TRUE(told(LibraryProvider::Origin::System));
  EXPECT_FALSE(told(LibraryProvider::Origin::Rocm));
  setenv("MIOPEN_DEBUG_GCN_ASM_KERNELS", "1", 1);
  EXPECT_FALSE(told(LibraryProvider::Origin::Installed)) << "the user's stays";
  unsetenv("MIOPEN_DEBUG_GCN_ASM_KERNELS");
}

TEST_F(LibrariesTest, RocblasWithoutHipblasIsSaid) {
  Libraries libraries;
  libraries.providers.push_back({.library = known_library("rocblas"), .soname = "librocblas.so.5"});
  libraries.providers.push_back({.library = known_library("hipblas"), .soname = "libhipblas.so.3"});
  EXPECT_EQ(libraries.warning(), "") << "both are stand-ins";
  libraries.providers[0].is_amd = true;
  EXPECT_NE(libraries.warning().find("install hipblas"), std::string::npos) << libraries.warning();
  libraries.providers[1].is_amd = true;
  EXPECT_EQ(libraries.warning(), "");
}

}  // namespace
}  // namespace wavesmith::rocm
