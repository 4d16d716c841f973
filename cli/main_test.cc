// What a user or a script sees of the command as a whole.
#include <gtest/gtest.h>

#include "cli/testing.h"

namespace wavesmith::cli {
namespace {

TEST(Command, HelpNamesEveryCommandAndTheExitCodes) {
  const CommandResult help = run_wavesmith("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* word : {"gpus", "cc", "Exit codes", "wavesmith run"})
    EXPECT_NE(help.out.find(word), help.out.npos) << word;
  EXPECT_EQ(help.out.find('\033'), help.out.npos) << "colour where there is no terminal";
}

TEST(Command, EveryCommandTeachesByExample) {
  for (const char* command : {"gpus", "cc", "run", "isa", "disasm"}) {
    const CommandResult help = run_wavesmith(std::string(command) + " --help");
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_NE(help.out.find("Examples:"), help.out.npos) << command;
    EXPECT_NE(help.out.find(std::string("wavesmith ") + command), help.out.npos) << command;
  }
}

TEST(Command, AWrongCommandLineIsExit2) {
  EXPECT_EQ(run_wavesmith("").code, 2);
  EXPECT_EQ(run_wavesmith("frobnicate").code, 2);
  EXPECT_EQ(run_wavesmith("gpus --frobnicate").code, 2);
  const CommandResult unknown = run_wavesmith("gpus --frobnicate");
  EXPECT_NE(unknown.err.find("--frobnicate"), unknown.err.npos);
  EXPECT_EQ(run_wavesmith("cc").code, 2);
}

TEST(Command, VersionIsOneLine) {
  const CommandResult version = run_wavesmith("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(version.out.starts_with("wavesmith ")) << version.out;
}

}  // namespace
}  // namespace wavesmith::cli
