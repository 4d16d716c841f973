// Programs that look at an emulated machine: C, C++, the shell's tools and Python, all with the preloaded
// library.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/scratch.h"
#include "gpus/slot.h"
#include "rocm/installation/tree.h"
#include "rocm/kernel_driver/topology.h"
#include "toolchain/process.h"

namespace wavesmith::rocm {
namespace {

namespace fs = std::filesystem;
constexpr const char* kNodes = "/sys/class/kfd/kfd/topology/nodes";

class MachineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(scratch_.made());
    machine_ = gpus::find_machine("mi300x:2,rx7900xtx").value();
    Tree tree;
    add_topology(tree, machine_, host_);
    add_devices(tree, machine_, host_);
    root_ = stored(tree, folder_).value();
  }

  /// A program's output when it is shown the machine.
  [[nodiscard]] std::string output(std::vector<std::string> command) const { return shown(root_, command); }
  static std::string shown(const std::string& root, std::vector<std::string> command) {
    const char* const before = std::getenv("LD_PRELOAD");  // a sanitizer's
    command.insert(command.begin(),
                   {"env", "WAVESMITH_MACHINE_ROOT=" + root,
                    "LD_PRELOAD=" + (before ? std::string(before) + ":" : "") + WAVESMITH_PRELOAD});
    const auto done = toolchain::run(command, true);
    return done ? done->output : done.error().text();
  }
  [[nodiscard]] std::string probe(const std::string& way, const std::string& path) const {
    return output({WAVESMITH_PROBE, way, path});
  }

  const Scratch scratch_{"machine"};
  const std::string folder_ = scratch_.folder();
  std::string root_;
  std::vector<const gpus::Gpu*> machine_;
  // A machine with a display adapter of its own.
  Host host_{
      .cores = 12, .memory_bytes = 1ull << 34, .drm = {"card0", "version"}, .dri = {"card0", "renderD128"}};
};

std::map<std::string, uint64_t> numbers(const std::string& text) {
  std::map<std::string, uint64_t> found;
  std::istringstream lines(text);
  std::string name;
  for (uint64_t value; lines >> name >> value;) found[name] = value;
  return found;
}

TEST_F(MachineTest, EveryWayOfReadingSeesTheTopology) {
  const std::string path = fmt::format("{}/1/properties", kNodes);
  const std::string expected = probe("open", path);
  EXPECT_EQ(numbers(expected)["simd_count"], 304 * 4);
  for (const char* way : {"fopen", "openat", "chdir", "ifstream", "fork", "threads"})
    EXPECT_EQ(probe(way, path), expected) << way;
}

TEST_F(MachineTest, EveryWayOfLookingSeesTheNodes) {
  for (const char* way : {"opendir", "scandir", "directory_iterator"})
    EXPECT_EQ(probe(way, kNodes), "0\n1\n2\n3\n") << way;
  std::string gpus;
  for (int node : {0, 1, 2, 3}) gpus += fmt::format("{}/{}/properties\n", kNodes, node);
  EXPECT_EQ(probe("glob", fmt::format("{}/*/properties", kNodes)), gpus);
  EXPECT_EQ(probe("exists", fmt::format("{}/2/gpu_id", kNodes)), "yes\n");
  EXPECT_EQ(probe("exists", fmt::format("{}/9/gpu_id", kNodes)), "no\n");
  EXPECT_EQ(probe("realpath", kNodes), "/sys/devices/virtual/kfd/kfd/topology/nodes\n");
  EXPECT_EQ(probe("readlink", "/sys/class/kfd/kfd"), "../../devices/virtual/kfd/kfd\n");
}

// The host's own programs are of another architecture than what was cross-compiled.
class MachineToolsTest : public MachineTest {
 protected:
  void SetUp() override {
    if (WAVESMITH_CROSS) GTEST_SKIP() << "the host's programs cannot load this library";
    MachineTest::SetUp();
  }
};

TEST_F(MachineToolsTest, ShellSeesTheTopology) {
  EXPECT_EQ(output({"ls", kNodes}), "0\n1\n2\n3\n");
  std::string gpus;
  for (int node : {0, 1, 2, 3}) gpus += fmt::format("{}/{}/properties\n", kNodes, node);
  EXPECT_EQ(output({"sh", "-c", fmt::format("ls {}/*/properties", kNodes)}), gpus);
  const std::string path = fmt::format("{}/1/properties", kNodes);
  const std::string expected = probe("open", path);
  EXPECT_EQ(output({"cat", path}), expected);
  EXPECT_EQ(
      output({"sh", "-c",
              "cd " + std::string(kNodes) + "/1 && while read line; do echo \"$line\"; done < properties"}),
      expected);
}

TEST_F(MachineToolsTest, PythonSeesTheTopology) {
  const std::string python = toolchain::find_program({"python3"});
  if (python.empty()) GTEST_SKIP() << "no python3";
  EXPECT_EQ(
      output({python, "-c",
              "import glob, os, pathlib\n"
              "top = '/sys/class/kfd/kfd/topology/nodes'\n"
              "print(sorted(os.listdir(top)), len(glob.glob(top + '/*/properties')), os.path.isdir(top + "
              "'/3'))\n"
              "print(open(top + '/3/properties').read().split()[2:4], pathlib.Path('/dev/kfd').exists())\n"}),
      "['0', '1', '2', '3'] 4 True\n['simd_count', '192'] True\n");
}

TEST_F(MachineToolsTest, RunningPythonIsShownTheMachineWhenItAsks) {
  const std::string python = toolchain::find_program({"python3"});
  if (python.empty()) GTEST_SKIP() << "no python3";
  const auto done = toolchain::run({python, "-c",
                                    "import ctypes, os, sys\n"
                                    "library = ctypes.CDLL(sys.argv[1])\n"
                                    "print(library.wavesmith_machine_attach(b'/nowhere'), "
                                    "library.wavesmith_machine_attach(sys.argv[2].encode()))\n"
                                    "print(sorted(os.listdir('/sys/class/kfd/kfd/topology/nodes')), "
                                    "open('/sys/class/kfd/kfd/topology/nodes/0/gpu_id').read())\n",
                                    WAVESMITH_PRELOAD, root_},
                                   true);
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->output, "-1 0\n['0', '1', '2', '3'] 0\n\n");
}

TEST_F(MachineTest, OtherPathsAndProgramsWithoutAMachineAreLeftAlone) {
  const std::string there =
      std::filesystem::exists("/sys/class") ? "yes\n" : "no\n";  // containers may lack it
  EXPECT_EQ(probe("exists", "/sys/class"), there);
  EXPECT_EQ(probe("exists", "/dev/null"), "yes\n");
  const std::string file = folder_ + "/file";
  std::ofstream(file) << "text";
  EXPECT_EQ(probe("ifstream", file), "text");
  EXPECT_EQ(shown("/nowhere", {WAVESMITH_PROBE, "exists", "/sys/class"}), there);
}

TEST_F(MachineTest, FilesOfOurOwnStandAmongAFolderThatIsLinked) {
  const std::string headers = folder_ + "/headers";
  fs::create_directories(headers + "/core");
  for (const char* name : {"/one.h", "/core/version.h", "/core/other.h", "/core-more.h"})
    std::ofstream(headers + name) << name;
  Tree tree;
  tree.files["include/core/version.h"] = "ours";
  link_all(tree, "include", headers);
  const std::string root = stored(tree, folder_).value() + "/include";
  const auto text = [&](const std::string& name) {
    std::ifstream file(root + name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(text("/core/version.h"), "ours");
  for (const char* name : {"/one.h", "/core/other.h", "/core-more.h"}) EXPECT_EQ(text(name), name);
}

TEST_F(MachineTest, ALibraryThatAProgramLooksForAndDoesNotFindIsSaid) {
  const std::string said =
      probe("dlopen",
            "librocrand.so.99,librocrand.so.98,librccl-profiler.so,librccl-net.so,libnowhere.so,"
            "/tmp/librocfft.so");
  EXPECT_TRUE(said.starts_with("no\nno\nno\nno\nno\nno\n")) << said;
  EXPECT_NE(said.find("looked for librocrand.so.99, which is not here"), said.npos) << said;
  EXPECT_EQ(said.find("looked for", said.find("looked for") + 1), said.npos)
      << "plugins and paths are the program's affair: " << said;
  EXPECT_EQ(probe("loaded", "librocrand.so.99"), "no\n") << "only asked whether it is loaded";
  // Here, but not to be loaded, which the linker says itself; or loaded and closed again.
  std::ofstream(folder_ + "/librocrand.so.99") << "nothing";
  const std::string found =
      shown(root_, {"LD_LIBRARY_PATH=" + folder_, WAVESMITH_PROBE, "dlopen", "librocrand.so.99"});
  EXPECT_EQ(found, "no\n");
}

TEST_F(MachineTest, LibrariesAreFoundWhereTheCallersFileSays) {
  // Only the probe's own RUNPATH leads there; one version is enough.
  EXPECT_EQ(probe("dlopen", "libamdhip64.so.99,libamdhip64.so"), "no\nyes\n");
}

TEST_F(MachineTest, TheHostsOwnDisplayStays) {
  EXPECT_EQ(probe("opendir", "/dev/dri"),
            "card0\ncard1\ncard2\ncard3\nrenderD128\nrenderD129\nrenderD130\nrenderD131\n");
  EXPECT_EQ(probe("readlink", "/dev/dri/card0"), "/dev/dri/card0\n");
  EXPECT_EQ(numbers(probe("open", fmt::format("{}/1/properties", kNodes)))["drm_render_minor"], 129);
}

TEST_F(MachineTest, DevicesCanBeOpenedAndFound) {
  EXPECT_EQ(probe("device", "/dev/kfd"), "yes\n");
  EXPECT_EQ(probe("device", "/dev/dri/renderD129"), "yes\n");
  EXPECT_EQ(probe("open", "/sys/bus/pci/devices/0000:05:00.0/vendor"), "0x1002\n");
  EXPECT_EQ(probe("open", "/sys/class/drm/renderD129/device/device"), "0x74a1\n");
  EXPECT_EQ(probe("realpath", "/sys/class/drm/renderD130/device"), "/sys/devices/pci0000:00/0000:15:00.0\n");
}

TEST_F(MachineTest, NodesSayWhatTheGpusAre) {
  auto cores = numbers(probe("open", fmt::format("{}/0/properties", kNodes)));
  EXPECT_EQ(cores["cpu_cores_count"], 12);
  EXPECT_EQ(cores["simd_count"], 0);
  EXPECT_EQ(cores["io_links_count"], 3);
  std::set<std::string> ids;
  for (size_t i = 0; i < machine_.size(); ++i) {
    ids.insert(probe("open", fmt::format("{}/{}/gpu_id", kNodes, i + 1)));
    auto gpu = numbers(probe("open", fmt::format("{}/{}/properties", kNodes, i + 1)));
    const gpus::Slot slot = gpus::slot_of(static_cast<int>(i));
    EXPECT_EQ(gpu["vendor_id"], 0x1002);
    EXPECT_EQ(gpu["location_id"], slot.bus << 8);
    EXPECT_EQ(gpu["unique_id"], gpus::unique_id(*machine_[i], static_cast<int>(i)));
    EXPECT_EQ(gpu["wave_front_size"], machine_[i]->warp_size());
    EXPECT_EQ(gpu["num_xcc"], machine_[i]->xcds);
    EXPECT_NE(probe("open", fmt::format("{}/{}/gpu_id", kNodes, i + 1)), "0\n");
    auto bank = numbers(probe("open", fmt::format("{}/{}/mem_banks/0/properties", kNodes, i + 1)));
    EXPECT_EQ(bank["size_in_bytes"], machine_[i]->memory_bytes);
    auto link = numbers(probe("open", fmt::format("{}/{}/io_links/0/properties", kNodes, i + 1)));
    EXPECT_EQ(link["node_from"], i + 1);
    EXPECT_EQ(link["node_to"], 0);
  }
  for (int node : {0, 1, 2, 3})
    for (const char* folder : {"caches", "io_links", "mem_banks", "p2p_links"})
      EXPECT_EQ(probe("exists", fmt::format("{}/{}/{}", kNodes, node, folder)), "yes\n") << folder;
  EXPECT_EQ(ids.size(), machine_.size()) << "two GPUs have one number";
  EXPECT_EQ(numbers(probe("open", fmt::format("{}/1/properties", kNodes)))["gfx_target_version"], 90402);
  EXPECT_EQ(numbers(probe("open", fmt::format("{}/3/properties", kNodes)))["gfx_target_version"], 110000);
}

TEST_F(MachineTest, NodesAreJoinedAsTheDriverSays) {
  // Two MI300X by Infinity Fabric; the Radeon is reached over PCIe, as its slot allows.
  auto fabric = numbers(probe("open", fmt::format("{}/1/io_links/1/properties", kNodes)));
  EXPECT_EQ(fabric["type"], 11);
  EXPECT_EQ(fabric["node_from"], 1);
  EXPECT_EQ(fabric["node_to"], 2);
  EXPECT_EQ(fabric["weight"], 15);
  EXPECT_EQ(fabric["min_bandwidth"], 64000);
  EXPECT_EQ(fabric["max_bandwidth"], 64000);
  auto slot = numbers(probe("open", fmt::format("{}/1/p2p_links/0/properties", kNodes)));
  EXPECT_EQ(slot["type"], 2);
  EXPECT_EQ(slot["node_to"], 3);
  EXPECT_EQ(slot["weight"], 40);
  EXPECT_EQ(slot["max_bandwidth"], 32000);
  auto first = numbers(probe("open", fmt::format("{}/1/properties", kNodes)));
  auto second = numbers(probe("open", fmt::format("{}/2/properties", kNodes)));
  auto third = numbers(probe("open", fmt::format("{}/3/properties", kNodes)));
  EXPECT_EQ(first["io_links_count"], 2);
  EXPECT_EQ(first["p2p_links_count"], 1);
  EXPECT_EQ(third["io_links_count"], 1);
  EXPECT_EQ(third["p2p_links_count"], 2);
  EXPECT_NE(first["hive_id"], 0);
  EXPECT_EQ(first["hive_id"], second["hive_id"]);
  EXPECT_EQ(third["hive_id"], 0);
}

TEST_F(MachineTest, DevicesAreFoundBesideTheirBus) {
  EXPECT_EQ(probe("realpath", "/sys/class/pci_bus/0000:15/../../0000:15:00.0"),
            "/sys/devices/pci0000:00/0000:15:00.0\n");
  EXPECT_EQ(probe("open", "/sys/class/drm/renderD129/device/max_link_speed"), "32.0 GT/s PCIe\n");
  EXPECT_EQ(probe("open", "/sys/class/drm/renderD131/device/max_link_speed"), "16.0 GT/s PCIe\n");
  EXPECT_EQ(probe("open", "/sys/class/drm/renderD129/device/fw_version/mec_fw_version"), "0x000000b1\n");
  EXPECT_EQ(probe("exists", "/sys/class/drm/renderD131/device/fw_version"), "no\n");
}

TEST_F(MachineTest, TheSameMachineIsStoredOnce) {
  Tree tree;
  add_topology(tree, machine_, host_);
  add_devices(tree, machine_, host_);
  EXPECT_EQ(stored(tree, folder_).value(), root_);
  tree.files["more"] = "x";
  EXPECT_NE(stored(tree, folder_).value(), root_);
  const auto failed = stored(tree, "/proc/nowhere");
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().kind, ErrorKind::BadInput);
}

}  // namespace
}  // namespace wavesmith::rocm
