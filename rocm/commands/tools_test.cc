// The commands as scripts use them: the parsing is theirs.
#include "rocm/commands/tools.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "gpus/slot.h"
#include "rocm/commands/card.h"
#include "rocm/installation/rocm.h"

namespace wavesmith::rocm {
namespace {

using nlohmann::json;

class RocmTools : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"WAVESMITH_MACHINE_ROOT", "ROCR_VISIBLE_DEVICES", "WAVESMITH_HIP_VERSION"})
      unsetenv(name);
    setenv("WAVESMITH_GPU", "mi300x:2,rx7900xtx", 1);
  }
  static CommandOutput ask(const std::string& name, const std::vector<std::string>& arguments = {}) {
    return run_command(name, arguments).value_or(CommandOutput{.code = -1});
  }
  static json parsed(const std::string& name, const std::vector<std::string>& arguments) {
    return json::parse(ask(name, arguments).out, nullptr, false);
  }
};

std::vector<std::string> found(const std::string& text, const std::string& pattern) {
  std::vector<std::string> all;
  const std::regex expression(pattern, std::regex::multiline);
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at)
    all.push_back((*at)[1]);
  return all;
}

using Words = std::vector<std::string>;

TEST_F(RocmTools, EveryShownCommandThatIsNoCompilerAnswers) {
  for (const std::string name : rocm::kCommands)
    if (!name.starts_with("amdclang")) EXPECT_EQ(ask(name).code, 0) << name;
  EXPECT_FALSE(run_command("wavesmith", {}));
}

TEST_F(RocmTools, WrongGpusAreAnError) {
  setenv("WAVESMITH_GPU", "mi999", 1);
  const CommandOutput wrong = ask("rocminfo");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find("mi999"), std::string::npos) << wrong.err;
}

TEST_F(RocmTools, RocminfoNamesTargetsAsBuildScriptsLookForThem) {
  const std::string text = ask("rocminfo").out;
  // rocminfo | grep -o 'gfx[0-9a-f]*' (vLLM, TileLang), and the first of "Name:" (PyTorch).
  EXPECT_EQ(found(text, "^  Name: +(gfx[0-9a-f]+) *$"), (Words{"gfx942", "gfx942", "gfx1100"}));
  EXPECT_EQ(found(text, "amdgcn-amd-amdhsa--(\\S+)"),
            (Words{"gfx942:sramecc+:xnack-", "gfx9-4-generic:sramecc+:xnack-", "gfx942:sramecc+:xnack-",
                   "gfx9-4-generic:sramecc+:xnack-", "gfx1100", "gfx11-generic"}));
  EXPECT_EQ(found(text, "^  Compute Unit: +(\\d+)").size(), 4);
  EXPECT_EQ(found(text, "^  Wavefront Size: +(\\d+)"), (Words{"64", "64", "32"}));
  EXPECT_EQ(found(text, "^  Node: +(\\d+)"), (Words{"0", "1", "2", "3"}));
  EXPECT_EQ(found(text, "^  Uuid: +(GPU-[0-9a-f]{16}) ").size(), 3);
  EXPECT_NE(text.find("\n*** Done ***"), std::string::npos);
}

TEST_F(RocmTools, RocminfoHeedsWhichGpusAreVisible) {
  const auto targets = [&](const std::string& visible) {
    setenv("ROCR_VISIBLE_DEVICES", visible.c_str(), 1);
    return found(ask("rocminfo").out, "^  Name: +(gfx\\S+)");
  };
  EXPECT_EQ(targets("2,0"), (Words{"gfx1100", "gfx942"}));
  EXPECT_EQ(targets("0,7,1"), Words{"gfx942"});
  EXPECT_EQ(targets(""), Words{});
  const uint64_t second = gpus::unique_id(**gpus::find_gpu("mi300x"), 1);
  EXPECT_EQ(targets(fmt::format("GPU-{:016x}", second)), Words{"gfx942"});
}

TEST_F(RocmTools, AgentsAreEnumerated) {
  EXPECT_EQ(ask("rocm_agent_enumerator").out, "gfx942\ngfx942\ngfx1100\n");
  setenv("WAVESMITH_GPU", "rx7900xtx", 1);
  EXPECT_EQ(ask("rocm_agent_enumerator", {"-name"}).out, "gfx1100\ngfx11-generic\n");
  EXPECT_EQ(ask("rocm_agent_enumerator", {"--all"}).code, 2);
}

TEST_F(RocmTools, RocmSmiAnswersInTextJsonAndCsv) {
  const json memory = parsed("rocm-smi", {"--showmeminfo", "vram", "--json"});
  EXPECT_EQ(memory.size(), 3);
  EXPECT_EQ(memory["card0"]["VRAM Total Memory (B)"], "206158430208");
  EXPECT_EQ(memory["card2"]["VRAM Total Used Memory (B)"], "0");
  const json product = parsed("rocm-smi", {"--showproductname", "--showdriverversion", "--json"});
  EXPECT_EQ(product["card2"]["Card Series"], "AMD Radeon RX 7900 XTX");
  EXPECT_EQ(product["card0"]["GFX Version"], "gfx942");
  EXPECT_TRUE(product["system"].contains("Driver version"));
  EXPECT_EQ(ask("rocm-smi", {"--showmeminfo", "VRAM", "--csv", "-d", "2"}).out,
            "device,VRAM Total Memory (B),VRAM Total Used Memory (B)\ncard2,25753026560,0\n\n");
  EXPECT_EQ(found(ask("rocm-smi", {"-i"}).out, "GPU\\[\\d\\]\t\t: Device ID: \t\t(0x\\S+)"),
            (Words{"0x74a1", "0x74a1", "0x744c"}));
  // One line per GPU: number, node, device and the driver's number, each GPU another.
  const Words guids = found(ask("rocm-smi").out, "^\\d +\\d +0x\\w+, +(\\d+) ");
  EXPECT_EQ(std::set<std::string>(guids.begin(), guids.end()).size(), 3);
}

TEST_F(RocmTools, RocmSmiSaysHowGpusAreConnected) {
  const json links = parsed("rocm-smi", {"--showtopo", "--json"})["system"];
  const auto machine = emulated_machine();
  ASSERT_TRUE(machine);
  const Link& link = machine->links[0][1];
  EXPECT_EQ(links["(Topology) Link type between DRM devices 0 and 1"], link.xgmi ? "XGMI" : "PCIE");
  EXPECT_EQ(links["(Topology) Hops between DRM devices 0 and 1"], link.xgmi ? "1" : "2");
  EXPECT_EQ(links["(Topology) Link type between DRM devices 0 and 2"], "PCIE");
  EXPECT_EQ(links["(Topology) Weight between DRM devices 0 and 2"],
            fmt::to_string(machine->links[0][2].weight));
  EXPECT_GT(machine->links[0][2].weight, 0);
}

TEST_F(RocmTools, RocmSmiRefusesWhatItCannotDo) {
  for (const char* wrong : {"--bogus", "--setsclk", "--gpureset"}) {
    const CommandOutput refused = ask("rocm-smi", {wrong});
    EXPECT_EQ(refused.code, 2) << wrong;
    EXPECT_NE(refused.err.find(wrong), std::string::npos) << refused.err;
  }
  EXPECT_EQ(ask("rocm-smi", {"--showmeminfo", "ram"}).code, 2);
  EXPECT_EQ(ask("rocm-smi", {"-d", "9", "-i"}).err, "WARNING: No such device card9\n");
  EXPECT_EQ(ask("rocm-smi", {"--json"}).code, 1);
  EXPECT_EQ(ask("rocm-smi", {"--showuse", "--json"}).err, "WARNING: No JSON data to report\n");
}

TEST_F(RocmTools, AmdSmiListsGpusByAddressAndUuid) {
  const json list = parsed("amd-smi", {"list", "--json"});
  ASSERT_EQ(list.size(), 3);
  EXPECT_EQ(list[0]["bdf"], "0000:05:00.0");
  EXPECT_EQ(list[1]["node_id"], 2);
  const std::string uuid = list[1]["uuid"];
  EXPECT_TRUE(std::regex_match(uuid, std::regex("[0-9a-f]{2}ff74a1-0000-1000-80[0-9a-f]{2}-[0-9a-f]{12}")))
      << uuid;
  for (const std::string& name : {std::string("1"), std::string("0000:15:00.0"), uuid}) {
    const json one = parsed("amd-smi", {"list", "--gpu", name, "--json"});
    ASSERT_EQ(one.size(), 1) << name;
    EXPECT_EQ(one[0]["gpu"], 1);
  }
  EXPECT_EQ(found(ask("amd-smi", {"list"}).out, "^GPU: (\\d)$"), (Words{"0", "1", "2"}));
  EXPECT_EQ(ask("amd-smi", {"list", "--csv"}).out.substr(0, 46),
            "gpu,gpu_bdf,gpu_uuid,kfd_id,node_id,partition_");
}

TEST_F(RocmTools, AmdSmiTellsWhatAGpuIs) {
  const json data = parsed("amd-smi", {"static", "--json"})["gpu_data"];
  ASSERT_EQ(data.size(), 3);
  EXPECT_EQ(data[0]["asic"]["market_name"], "AMD Instinct MI300X");
  EXPECT_EQ(data[2]["asic"]["target_graphics_version"], "gfx1100");
  EXPECT_EQ(data[0]["vram"]["size"]["value"], 196608);
  EXPECT_EQ(data[0]["limit"]["max_power"], "N/A");
  EXPECT_EQ(data[0]["cache_info"].back()["cache_level"], 3);
  const std::string asic = ask("amd-smi", {"static", "--asic", "-g", "0"}).out;
  EXPECT_NE(asic.find("GPU: 0\n    ASIC:\n        MARKET_NAME: AMD Instinct MI300X\n"), std::string::npos)
      << asic;
  EXPECT_EQ(asic.find("VRAM"), std::string::npos);
}

TEST_F(RocmTools, AmdSmiMonitorsInATable) {
  std::istringstream lines(ask("amd-smi", {"monitor"}).out);
  std::string heading, first;
  std::getline(lines, heading), std::getline(lines, first);
  EXPECT_EQ(heading.size(), first.size());
  EXPECT_TRUE(heading.starts_with("GPU  XCP  POWER")) << heading;
  EXPECT_TRUE(first.ends_with("0.0/192.0 GB")) << first;
  const json memory = parsed("amd-smi", {"monitor", "--vram-usage", "--json"});
  EXPECT_EQ(memory[0]["vram_total"]["value"], 196608);
  EXPECT_FALSE(memory[0].contains("power_usage"));
}

TEST_F(RocmTools, AmdSmiDrawsTheTopology) {
  const json topology = parsed("amd-smi", {"topology", "--json"});
  EXPECT_EQ(topology[0]["links"][0]["link_type"], "SELF");
  EXPECT_EQ(topology[0]["links"][2]["link_type"], "PCIE");
  EXPECT_EQ(topology[2]["links"][0]["num_hops"], 2);
  const std::string hops = ask("amd-smi", {"topology", "--hops"}).out;
  EXPECT_NE(hops.find("HOPS TABLE:\n"), std::string::npos) << hops;
  EXPECT_EQ(hops.find("WEIGHT"), std::string::npos);
}

TEST_F(RocmTools, AmdSmiTellsTheRelease) {
  EXPECT_NE(ask("amd-smi", {"version"}).out.find("| ROCm version: 7."), std::string::npos);
  setenv("WAVESMITH_HIP_VERSION", "6.4", 1);
  EXPECT_EQ(parsed("amd-smi", {"version", "--json"})[0]["rocm_version"], "6.4.0");
}

TEST_F(RocmTools, AmdSmiRefusesWhatItCannotAnswer) {
  for (const Words& wrong : {Words{"metric"}, Words{"set", "--fan", "3"}, Words{"list", "--bogus"},
                             Words{"list", "--json", "--csv"}, Words{"static", "-g", "9"}}) {
    const CommandOutput refused = ask("amd-smi", wrong);
    EXPECT_EQ(refused.code, 2) << wrong[0];
    EXPECT_FALSE(refused.err.empty());
  }
  EXPECT_EQ(ask("amd-smi", {"list", "--file", "/proc/nowhere"}).code, 1);
}

}  // namespace
}  // namespace wavesmith::rocm
