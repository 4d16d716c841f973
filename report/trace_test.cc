#include "report/trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace wavesmith::report {
namespace {

TEST(Trace, HasWhatPerfettoAsksFor) {
  const Trace trace{
      {{1, 2, "SIMD 0", "wave 2"}},
      {{1, 2, 0.5, 0.25, "v_add_f32", "VALU", {{"stall", "12"}}}, {1, 2, 1, 0, std::string("\xff"), "", {}}}};
  const std::string text = chrome_trace(trace);
  EXPECT_EQ(text, chrome_trace(trace));
  const auto json = nlohmann::json::parse(text);
  ASSERT_EQ(json["traceEvents"].size(), 4);
  EXPECT_EQ(json["traceEvents"][0]["name"], "process_name");
  EXPECT_EQ(json["traceEvents"][1]["args"]["name"], "wave 2");
  const auto& event = json["traceEvents"][2];
  EXPECT_EQ(event["ph"], "X");
  EXPECT_EQ(event["ts"], 0.5);
  EXPECT_EQ(event["dur"], 0.25);
  EXPECT_EQ(event["tid"], 2);
  EXPECT_EQ(event["args"]["stall"], "12");
}

}  // namespace
}  // namespace wavesmith::report
