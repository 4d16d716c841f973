// What says that every call tells its work: nothing but what asks for it puts work into streams.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace {

// enqueue() (stream.h) takes only requests that tell what a GPU would do. Batches of exchanges and random
// numbers, which are kept for graphs, tell it themselves.
TEST(Work, NothingGetsIntoAStreamWithoutTellingWhatAGpuWouldDo) {
  std::set<std::string> callers;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(WAVESMITH_TABLES)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".cc") && !name.ends_with(".h")) continue;
    if (name.find("_test.") != name.npos || name.find("testing.") != name.npos) continue;
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    for (const char* call :
         {"= hipLaunchHostFunc(", "(hipLaunchHostFunc(", "hipStreamAddCallback", "hipLaunchKernel"})
      if (text.find(call) != text.npos) callers.insert(name);
    if (callers.contains(name)) EXPECT_NE(text.find("WorkReporter("), text.npos) << name;
  }
  EXPECT_EQ(callers, (std::set<std::string>{"group.cc", "hiprand.cc", "stream.h"}));
}

}  // namespace
