#include "object/bundle.h"

#include <zlib.h>

#include <map>
#include <string>
#include <utility>

#include "object/code_object.h"
#include "object/testing.h"

namespace wavesmith::object {
namespace {

TargetId gpu(std::string_view text) { return *TargetId::parse(text); }

TEST(Bundle, TakesAPlainCodeObject) {
  const auto bytes = sample("xnack.co");
  const auto bundle = Bundle::parse(bytes);
  ASSERT_TRUE(bundle) << bundle.error().text();
  EXPECT_EQ(bundle->targets(), "gfx90a:sramecc+:xnack-");
  EXPECT_TRUE(bundle->choose(gpu("gfx90a:sramecc+:xnack-")));
  EXPECT_FALSE(bundle->choose(gpu("gfx90a:sramecc+:xnack+")));
}

TEST(Bundle, ChoosesTheCodeForTheGpuAndItsSettings) {
  const auto bytes = sample("bundle.hipfb");
  const auto bundle = Bundle::parse(bytes);
  ASSERT_TRUE(bundle) << bundle.error().text();
  EXPECT_EQ(bundle->choose(gpu("gfx90a:sramecc+:xnack-"))->target.text(), "gfx90a:xnack-");
  EXPECT_EQ(bundle->choose(gpu("gfx90a:sramecc+:xnack+"))->target.text(), "gfx90a:xnack+");
  EXPECT_EQ(bundle->choose(gpu("gfx942:sramecc+:xnack-"))->target.text(), "gfx942");
  const auto chosen = bundle->choose(gpu("gfx1100"));
  ASSERT_TRUE(chosen);
  EXPECT_EQ(CodeObject::parse(chosen->bytes)->target().text(), "gfx1100");
}

TEST(Bundle, SaysWhichTargetsAreThereWhenNoneSuits) {
  const auto bytes = sample("bundle.hipfb");
  const auto chosen = Bundle::parse(bytes)->choose(gpu("gfx950:sramecc+:xnack-"));
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().kind, ErrorKind::WrongTarget);
  EXPECT_NE(chosen.error().what.find("gfx90a:xnack-"), std::string::npos) << chosen.error().what;
  EXPECT_NE(chosen.error().what.find("gfx1100"), std::string::npos) << chosen.error().what;
}

TEST(Bundle, ChoosesCodeForTheFamilyOnlyWithoutABetterOne) {
  const auto bytes = sample("generic.co");
  EXPECT_TRUE(Bundle::parse(bytes)->choose(gpu("gfx1100")));
  EXPECT_FALSE(Bundle::parse(bytes)->choose(gpu("gfx1201")));
  EXPECT_GT(suitability(gpu("gfx1100"), gpu("gfx1100")), suitability(gpu("gfx11-generic"), gpu("gfx1100")));
}

TEST(TargetId, EveryFamilysCodeRunsOnItsGpusAndOnNoOther) {
  const std::map<std::string, std::string> families = {{"gfx942", "gfx9-4-generic"},
                                                       {"gfx950", "gfx9-4-generic"},
                                                       {"gfx1030", "gfx10-3-generic"},
                                                       {"gfx1100", "gfx11-generic"},
                                                       {"gfx1151", "gfx11-generic"},
                                                       {"gfx1201", "gfx12-generic"},
                                                       {"gfx90a", ""},
                                                       {"gfx908", ""}};
  for (const auto& [processor, own] : families)
    for (const auto& [other, family] : families)
      if (!family.empty())
        EXPECT_EQ(suitability(gpu(family), gpu(processor)).has_value(), family == own)
            << family << " on " << processor;
  EXPECT_FALSE(suitability(gpu("gfx9-4-generic:sramecc-"), gpu("gfx942:sramecc+:xnack-")));
  EXPECT_TRUE(suitability(gpu("gfx9-4-generic:xnack-"), gpu("gfx942:sramecc+:xnack-")));
}

TEST(Bundle, FindsTheCodeInAHostProgram) {
  const auto bytes = sample("program.o");
  const auto bundle = Bundle::parse(bytes);
  ASSERT_TRUE(bundle) << bundle.error().text();
  EXPECT_EQ(bundle->targets(), "gfx1100, gfx942");
}

TEST(Bundle, TargetsAreToldOfEveryForm) {
  const auto told = [](const char* name) {
    const auto bytes = sample(name);
    std::string text;
    const auto targets = targets_of(bytes);
    if (!targets) return targets.error().what;
    for (const TargetId& target : *targets) text += target.text() + " ";
    return text;
  };
  EXPECT_EQ(told("xnack.co"), "gfx90a:sramecc+:xnack- ");
  EXPECT_EQ(told("generic.co"), "gfx11-generic ");
  EXPECT_EQ(told("bundle.hipfb"), "gfx1100 gfx90a:xnack+ gfx90a:xnack- gfx942 ");
  EXPECT_EQ(told("compressed.hipfb"), "gfx1201 gfx942 ");
  EXPECT_EQ(told("program.o"), "gfx1100 gfx942 ");
  // Two bundles, one behind the other: what ends the reading is found in the first one.
  std::vector<uint8_t> twice = sample("bundle.hipfb");
  const size_t once = twice.size();
  twice.insert(twice.end(), twice.begin(), twice.begin() + static_cast<ptrdiff_t>(once));
  int asked = 0;
  ASSERT_TRUE(
      targets_of(twice, [&](const TargetId& target) { return ++asked, target.processor == "gfx942"; }));
  const int first = std::exchange(asked, 0);
  EXPECT_LE(first, 4);
  ASSERT_TRUE(targets_of(twice, [&](const TargetId&) { return ++asked, false; }));
  EXPECT_EQ(asked, 8);
  const auto bytes = sample("compressed.hipfb");
  for (size_t size = 0; size < 80; ++size)
    EXPECT_FALSE(targets_of(std::span(bytes).first(size)).has_value()) << size;
}

TEST(Bundle, DecompressesWhatClangWrites) {
  const auto bytes = sample("compressed.hipfb");
  ASSERT_EQ(std::string(bytes.begin(), bytes.begin() + 4), "CCOB");
  const auto bundle = Bundle::parse(bytes);
  ASSERT_TRUE(bundle) << bundle.error().text();
  const auto chosen = bundle->choose(gpu("gfx1201"));
  ASSERT_TRUE(chosen);
  EXPECT_TRUE(CodeObject::parse(chosen->bytes)->kernel("scale"));
  EXPECT_EQ(*extent(bytes), bytes.size());
}

/// A compressed bundle of an older version, written here by the format's description.
std::vector<uint8_t> compress_by_zlib(const std::vector<uint8_t>& bundle, int version) {
  std::vector<uint8_t> body(compressBound(bundle.size()));
  uLongf size = body.size();
  EXPECT_EQ(compress(body.data(), &size, bundle.data(), bundle.size()), Z_OK);
  body.resize(size);
  std::vector<uint8_t> out;
  const auto put = [&](uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
  };
  for (const char c : std::string("CCOB")) out.push_back(static_cast<uint8_t>(c));
  put(static_cast<uint64_t>(version), 2);
  put(0, 2);
  const int width = version >= 3 ? 8 : 4;
  const size_t header = version == 1 ? 20 : version == 2 ? 24 : 32;
  if (version > 1) put(header + size, width);
  put(bundle.size(), width);
  put(0x1234, 8);
  EXPECT_EQ(out.size(), header);
  out.insert(out.end(), body.begin(), body.end());
  return out;
}

TEST(Bundle, DecompressesEveryVersionOfTheFormat) {
  const auto plain = sample("bundle.hipfb");
  for (const int version : {1, 2, 3}) {
    const auto bytes = compress_by_zlib(plain, version);
    const auto bundle = Bundle::parse(bytes);
    ASSERT_TRUE(bundle) << version << ": " << bundle.error().text();
    EXPECT_TRUE(bundle->choose(gpu("gfx942:sramecc+:xnack-")));
  }
  EXPECT_FALSE(Bundle::parse(compress_by_zlib(plain, 4)));
}

TEST(Bundle, KeepsOnlyWhatSuitsTheGpuThatIsGiven) {
  const TargetId mi300x = gpu("gfx942:sramecc+:xnack-");
  const auto all = Bundle::parse(sample("bundle.hipfb"))->targets();
  const auto compressed = sample("compressed.hipfb");
  for (const int version : {0, 1, 2, 3}) {
    const auto bytes = version ? compress_by_zlib(sample("bundle.hipfb"), version) : compressed;
    const auto bundle = Bundle::parse(bytes, &mi300x);
    ASSERT_TRUE(bundle) << version << ": " << bundle.error().text();
    if (version) EXPECT_EQ(bundle->targets(), all);
    const auto chosen = bundle->choose(mi300x), whole = Bundle::parse(bytes)->choose(mi300x);
    ASSERT_EQ(chosen.has_value(), whole.has_value());
    if (chosen) EXPECT_TRUE(CodeObject::parse(chosen->bytes)->kernel("scale"));
    for (const BundleEntry& entry : bundle->entries())
      EXPECT_EQ(entry.bytes.empty(), !suitability(entry.target, mi300x)) << entry.id;
  }
}

TEST(Bundle, ExtentIsTheLengthThatTheHeadersGive) {
  for (const char* name : {"v6.co", "bundle.hipfb"}) {
    auto bytes = sample(name);
    const size_t size = bytes.size();
    bytes.resize(size + 5000, 0xaa);
    const auto found = extent(bytes);
    ASSERT_TRUE(found) << name << ": " << found.error().text();
    EXPECT_LE(*found, size);
    EXPECT_TRUE(Bundle::parse(std::span(bytes).first(*found)));
  }
}

TEST(Bundle, SurvivesTruncation) {
  for (const char* name : {"bundle.hipfb", "compressed.hipfb", "program.o"})
    truncate_everywhere(sample(name), 7, [](auto cut) {
      (void)Bundle::parse(cut);
      (void)extent(cut);
    });
  const auto old = compress_by_zlib(sample("bundle.hipfb"), 1);
  truncate_everywhere(old, 3, [](auto cut) { EXPECT_FALSE(Bundle::parse(cut)); });
}

TEST(Bundle, SurvivesRandomChanges) {
  for (const char* name : {"bundle.hipfb", "compressed.hipfb", "program.o"})
    flip_at_random(sample(name), 3000, 3, [](auto changed) {
      const auto bundle = Bundle::parse(changed);
      (void)extent(changed);
      if (bundle) (void)bundle->choose(gpu("gfx942:sramecc+:xnack-"));
    });
}

TEST(TargetId, RefusesUnknownFeatures) {
  EXPECT_EQ(TargetId::parse("gfx90a:xnack-:sramecc+")->text(), "gfx90a:sramecc+:xnack-");
  for (const char* text :
       {"", ":xnack+", "gfx90a:xnack", "gfx90a::xnack+", "gfx90a:xnack+:xnack-", "gfx90a:cumode+"})
    EXPECT_FALSE(TargetId::parse(text)) << text;
}

}  // namespace
}  // namespace wavesmith::object
