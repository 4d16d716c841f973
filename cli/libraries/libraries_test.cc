// `wavesmith libraries`, with a repository of Debian packages that is made here: the stand-ins are AMD's
// libraries.
#include "cli/libraries/install.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cli/testing.h"
#include "rocm/libraries/shared_object.h"
#include "toolchain/process.h"

namespace wavesmith::cli {
namespace {

// Packages as Debian's are, and the lists that apt reads. $1: the folder, $2: the stand-ins'.
constexpr const char* kRepository = R"sh(set -e
cd "$1"; arch=$(dpkg --print-architecture 2>/dev/null || echo amd64)
package() { # NAME VERSION DEPENDS FILE...
  name=$1 version=$2 depends=$3; shift 3
  mkdir -p tree/$name/DEBIAN tree/$name/usr/lib/x86_64-linux-gnu pool
  for file; do cp "$file" tree/$name/usr/lib/x86_64-linux-gnu/; done
  printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: nobody <n@example.org>\nDescription: a test\n' \
    $name $version $arch >tree/$name/DEBIAN/control
  [ -z "$depends" ] || echo "Depends: $depends" >>tree/$name/DEBIAN/control
  dpkg-deb --root-owner-group -b tree/$name pool/${name}_${version}_$arch.deb >/dev/null
}
package libamdhip64-7 7.2 '' "$2/librccl.so.1"
package librocblas5 7.2-1 'libamdhip64-7 (>= 7.2), libhelp1' "$2/librocblas.so.5"
package librocsolver0 7.2-1 librocblas5 "$2/librocsolver.so.0"
package libhipblas3 7.2-1 'librocsolver0, librocblas5' "$2/libhipblas.so.3"
package libamdhip64-dev 7.2 'libamdhip64-7 (= 7.2), libnowhere-dev' "$2/librccl.so.1"
package rocm-device-libs-22 7.2 '' "$2/librccl.so.1"
package libhelp1 1.0 '' /proc/self/status
for suite in unstable experimental; do
  lists=dists/$suite/main/binary-$arch; mkdir -p $lists
  for deb in pool/*.deb; do
    [ $suite = unstable ] || continue
    dpkg-deb -f $deb; echo "Filename: $deb"; echo "Size: $(stat -c %s $deb)"
    echo "SHA256: $(sha256sum <$deb | cut -d' ' -f1)"; echo
  done >$lists/Packages
  printf 'Suite: %s\nCodename: %s\nArchitectures: %s\nComponents: main\nDate: %s\nSHA256:\n %s %s %s\n' $suite $suite $arch \
    "$(date -Ru)" $(sha256sum <$lists/Packages | cut -d' ' -f1) $(stat -c %s $lists/Packages) main/binary-$arch/Packages \
    >dists/$suite/Release
done)sh";

class LibrariesCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (WAVESMITH_CROSS) GTEST_SKIP() << "the host's tools are of another architecture";
    for (const char* tool : {"apt-get", "apt-cache", "dpkg-deb"})
      if (toolchain::find_program({tool}).empty()) GTEST_SKIP() << "no " << tool;
  }
  void make_repository() const {
    std::filesystem::create_directories(scratch_ / "debian");
    const std::string stand_ins =
        (std::filesystem::path(WAVESMITH_BINARY).parent_path() / "../lib/stand-ins").string();
    const auto made = toolchain::run({"sh", "-c", kRepository, "sh", scratch_ / "debian", stand_ins}, true);
    ASSERT_EQ(made->code, 0) << made->output;
  }
  [[nodiscard]] CommandResult run(const std::string& arguments) const {
    return run_wavesmith(arguments, fmt::format("XDG_DATA_HOME={} WAVESMITH_CACHE={} LD_LIBRARY_PATH=",
                                                scratch_ / "data", scratch_ / "cache"));
  }
  [[nodiscard]] CommandResult install(const std::string& names) const {
    return run(fmt::format("libraries install {} --mirror file:{}", names, scratch_ / "debian"));
  }
  [[nodiscard]] nlohmann::json listed() const {
    const auto json = nlohmann::json::parse(run("libraries --json").out);
    nlohmann::json by_soname;
    for (const auto& one : json["libraries"]) by_soname[one["soname"]] = one;
    return by_soname;
  }
  Scratch scratch_;
};

TEST_F(LibrariesCommand, SaysWhoAnswers) {
  const nlohmann::json libraries = listed();
  EXPECT_EQ(libraries["librocblas.so.4"]["library"], "rocBLAS");
  EXPECT_NE(libraries["librocblas.so.5"]["stand_in"], nullptr);
  const CommandResult text = run("libraries --libraries stand-ins");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("stand-ins answer for: "), text.out.npos) << text.out;
  EXPECT_NE(text.out.find("librocblas.so.5"), text.out.npos) << text.out;
}

TEST_F(LibrariesCommand, InstallsWhatALibraryNeedsAndProgramsGetIt) {
  make_repository();
  const CommandResult dry = install("rocblas --dry-run");
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_NE(dry.err.find("librocblas5"), dry.err.npos) << dry.err;
  EXPECT_NE(listed()["librocblas.so.5"]["answers"], "amd");

  const CommandResult ran = install("rocblas");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("rocBLAS"), ran.out.npos) << ran.out;
  const nlohmann::json libraries = listed();
  for (const char* soname : {"librocblas.so.5", "librocsolver.so.0", "libhipblas.so.3"})
    EXPECT_EQ(libraries[soname]["answers"], "amd") << soname << libraries[soname].dump();
  EXPECT_EQ(libraries["librocblas.so.5"]["amd"]["version"], "Debian 7.2-1");
  EXPECT_EQ(libraries["librocblas.so.5"]["amd"]["from"], "installed");
  EXPECT_EQ(libraries["librccl.so.1"]["answers"], "stand-in") << "the runtime's package is not fetched";
  const std::string folder = scratch_ / "data/wavesmith/libraries";
  EXPECT_TRUE(std::filesystem::exists(folder + "/support/usr/lib/x86_64-linux-gnu/status"));
  const CommandResult env = run("env");
  EXPECT_NE(env.out.find(folder + "/amd/usr/lib"), env.out.npos) << env.out;

  const CommandResult again = install("hipblas");
  EXPECT_EQ(again.code, 0) << again.err;
  const auto list = nlohmann::json::parse(slurp(folder + "/installed.json"));
  EXPECT_EQ(list["packages"].size(), 4u) << list.dump(1);
  EXPECT_EQ(list["asked"], (nlohmann::json{"rocblas", "hipblas"}));
}

TEST_F(LibrariesCommand, WhatAnInterruptedDownloadHasFetchedIsInstalledToo) {
  make_repository();
  const std::string archives = scratch_ / "data/wavesmith/libraries/.apt/archives";
  std::filesystem::create_directories(archives);
  for (const auto& entry : std::filesystem::directory_iterator(scratch_ / "debian/pool"))
    if (entry.path().filename().string().starts_with("librocblas5"))
      std::filesystem::copy(entry.path(), archives);
  const CommandResult ran = install("rocblas");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(listed()["librocblas.so.5"]["answers"], "amd") << ran.err;
}

TEST_F(LibrariesCommand, HeadersComeAlone) {
  make_repository();
  const std::string folder = scratch_ / "headers";
  const CommandResult ran = install("hip --to " + folder);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("HIP headers in " + folder), ran.out.npos) << ran.out;
  const auto list = nlohmann::json::parse(slurp(folder + "/installed.json"));
  EXPECT_EQ(list["asked"], nlohmann::json{"hip"});
  std::set<std::string> names;
  for (const auto& one : list["packages"]) names.insert(one["name"]);
  EXPECT_EQ(names, (std::set<std::string>{"libamdhip64-dev", "rocm-device-libs-22"}));
  const CommandResult used = run("run --libraries " + folder + " -- sh -c 'echo $WAVESMITH_LIBRARIES'");
  EXPECT_EQ(used.code, 0) << used.err;
  EXPECT_EQ(used.out, folder + "\n") << "compilers below look there, too";
  EXPECT_EQ(install("hip --dry-run --to " + folder).err.find("libamdhip64-dev"), std::string::npos)
      << "it is there";
}

TEST_F(LibrariesCommand, ALoaderOfTheInstallationsIsNamed) {
  make_repository();
  ASSERT_EQ(install("rocblas").code, 0);
  EXPECT_EQ(run("libraries").out.find("Programs are started by"), std::string::npos);
  const std::string folder = scratch_ / "data/wavesmith/libraries";
  const std::string rocblas = folder + "/amd/usr/lib/x86_64-linux-gnu/librocblas.so.5";
  // A version of the C library that it wants: memcpy's GLIBC_2.14, but not where a sanitizer serves memcpy.
  const auto versions = rocm::SharedObject::read(rocblas)->wanted.at("libc.so.6");
  const auto version = std::ranges::find(versions, std::string_view("GLIBC_9.99").size(), &std::string::size);
  ASSERT_NE(version, versions.end());
  // From here on it wants one that only the installation has.
  const std::string newer = R"sh(set -e
sed -i "s/$3/GLIBC_9.99/" "$1"/amd/usr/lib/*/librocblas.so.5
lib=$(dirname "$1"/amd/usr/lib/*/librocblas.so.5); lib=$1/libc${lib#"$1/amd"}; mkdir -p "$lib"
cp "$(ldd "$2" | sed -n 's/.*=> \(.*libc[.]so[.]6\) .*/\1/p')" "$lib"
sed -i 's/GLIBC_2[.]13/GLIBC_9.99/' "$lib/libc.so.6"
cp "$(ldd "$2" | sed -n 's/^[[:space:]]*\(.*ld-linux[^ ]*\) .*/\1/p')" "$lib")sh";
  const auto made = toolchain::run({"sh", "-c", newer, "sh", folder, WAVESMITH_BINARY, *version}, true);
  ASSERT_EQ(made->code, 0) << made->output;
  const CommandResult ran = run("libraries");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("\nPrograms are started by " + folder + "/libc/"), ran.out.npos) << ran.out;
  EXPECT_NE(ran.out.find(": the libraries want a newer C library than this machine's.\n"), ran.out.npos)
      << ran.out;
  EXPECT_EQ(listed()["librocblas.so.5"]["answers"], "amd");
}

TEST_F(LibrariesCommand, WhatCannotBeInstalledIsSaid) {
  const CommandResult unknown = run("libraries install cublas");
  EXPECT_EQ(unknown.code, 4);
  EXPECT_NE(unknown.err.find("rocblas"), unknown.err.npos) << "the names that there are: " << unknown.err;
  const CommandResult nowhere = install("rocblas");
  EXPECT_EQ(nowhere.code, 4) << nowhere.err;
  EXPECT_NE(nowhere.err.find("--mirror"), nowhere.err.npos) << nowhere.err;
  make_repository();
  const CommandResult absent = install("miopen");
  EXPECT_EQ(absent.code, 4) << absent.err;
  EXPECT_NE(absent.err.find("libmiopen"), absent.err.npos) << absent.err;
  EXPECT_EQ(run("libraries install rocblas --suite stable").code, 3);
}

TEST_F(LibrariesCommand, AMDsAreRequiredWhereTheyAreAskedFor) {
  const CommandResult ran = run("run --libraries /nowhere -- true");
  EXPECT_EQ(ran.code, 4) << ran.err;
  EXPECT_NE(ran.err.find("libraries install"), ran.err.npos) << ran.err;
  EXPECT_EQ(run("run --libraries nvidia -- true").code, 3);
}

}  // namespace
}  // namespace wavesmith::cli
