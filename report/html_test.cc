#include "report/html.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "report/testing.h"
#include "report/write.h"

namespace wavesmith::report {
namespace {

TEST(Html, IsWellFormedPointsOnlyAtItselfAndAsksForNothing) {
  const std::string page = html(sample_page());
  for (const std::string& fault : faults(page)) ADD_FAILURE() << fault;
  // To look at: WAVESMITH_SAMPLE_REPORT=page.html.
  if (const char* path = std::getenv("WAVESMITH_SAMPLE_REPORT")) std::ofstream(path) << page;
}

TEST(Html, TheCheckSeesWhatIsWrong) {
  const std::string page = html(sample_page());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = page;
    const size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    if (at != text.npos) text.replace(at, from.size(), to);
    return faults(text).size();
  };
  EXPECT_GT(changed("</h2>", ""), 0);
  EXPECT_GT(changed("&amp;", "&"), 0);
  EXPECT_GT(changed("<main", "<script src=\"x.js\"></script><main"), 0);
  EXPECT_GT(changed("id=\"k0-i1\"", "id=\"k0-i0\""), 0);
  EXPECT_GT(changed("id=\"k0-f0-l3\"", "id=\"other\""), 0);
  EXPECT_GT(changed("href=\"#main\"", "href=\"https://example.org\""), 0);
}

TEST(Html, TheSamePageGivesTheSameBytes) { EXPECT_EQ(html(sample_page()), html(sample_page())); }

TEST(Html, EveryFigureShowsHowItIsKnown) {
  const std::string page = html(sample_page());
  EXPECT_NE(page.find("5 of 8 waves <span class=\"tag derived\">derived</span>"), page.npos);
  EXPECT_NE(page.find("up to 18 % of the loop <span class=\"tag modelled\">modelled</span>"), page.npos);
}

TEST(Html, PartsWithoutDataAreLeftOut) {
  const std::string page = html({"empty", "", {}, {{"kernel", "", {}, {}, "", {}, {}, {}, {}, {}}}});
  EXPECT_TRUE(faults(page).empty());
  for (const char* part : {"<svg", "<table", "Findings", "Roofline", "class=\"panes", "<nav"})
    EXPECT_EQ(page.find(part, page.find("<body>")), page.npos) << part;
}

TEST(Html, AnyBytesAsTextStayWellFormed) {
  const uint32_t seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 200; ++i) {
    std::string text;
    for (int j = 0; j < 40; ++j) text += static_cast<char>(random());
    Page page = sample_page();
    page.title = page.sections[0].title = page.sections[0].findings[0].title = text;
    page.sections[0].listing->files[0].lines[1].text = page.sections[0].timelines[0].rows[0].label = text;
    ASSERT_TRUE(faults(html(page)).empty());
  }
}

TEST(Html, EscapeKeepsTextAndReplacesWhatXmlForbids) {
  EXPECT_EQ(escape("a<b && \"c\">"), "a&lt;b &amp;&amp; &quot;c&quot;&gt;");
  EXPECT_EQ(escape("größer ∞ 😀"), "größer ∞ 😀");
  EXPECT_EQ(escape(std::string("\x01\xff\xc0\x80", 4)), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escape("\xed\xa0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "a surrogate";
}

TEST(Html, NumbersThatAreNoneDoNotSpoilPictures) {
  Page page = sample_page();
  page.sections[0].roofline->points.push_back({"nothing", 0, 0});
  page.sections[0].roofline->points.push_back({"infinite", HUGE_VAL, NAN});
  page.sections[0].timelines[0].rows[0].spans.push_back({5, 5, "empty"});
  page.sections[0].charts[0].bars[0].parts.push_back({"none", 0});
  const std::string text = html(page);
  EXPECT_TRUE(faults(text).empty());
  EXPECT_EQ(text.find("nan"), text.npos);
  EXPECT_EQ(text.find("inf\""), text.npos);
}

}  // namespace
}  // namespace wavesmith::report
