// Loads and stores of every element in every address space, against a byte-wise model written here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include <fmt/format.h>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

/// One element: its names in the older and newer syntax, after "global_load_" and the like, and what it
/// means.
struct Form {
  const char* older;
  const char* newer;
  int bytes;
  bool sign;
  char part;  ///< 'w' whole, 'l' low half, 'h' high half
  const char* lds_older;
  const char* lds_newer;
};

constexpr Form kLoads[] = {
    {"ubyte", "u8", 1, false, 'w', "u8", "u8"},
    {"sbyte", "i8", 1, true, 'w', "i8", "i8"},
    {"ushort", "u16", 2, false, 'w', "u16", "u16"},
    {"sshort", "i16", 2, true, 'w', "i16", "i16"},
    {"ubyte_d16", "d16_u8", 1, false, 'l', "u8_d16", "u8_d16"},
    {"ubyte_d16_hi", "d16_hi_u8", 1, false, 'h', "u8_d16_hi", "u8_d16_hi"},
    {"sbyte_d16", "d16_i8", 1, true, 'l', "i8_d16", "i8_d16"},
    {"sbyte_d16_hi", "d16_hi_i8", 1, true, 'h', "i8_d16_hi", "i8_d16_hi"},
    {"short_d16", "d16_b16", 2, false, 'l', "u16_d16", "u16_d16"},
    {"short_d16_hi", "d16_hi_b16", 2, false, 'h', "u16_d16_hi", "u16_d16_hi"},
    {"dword", "b32", 4, false, 'w', "b32", "b32"},
    {"dwordx2", "b64", 8, false, 'w', "b64", "b64"},
    {"dwordx3", "b96", 12, false, 'w', "b96", "b96"},
    {"dwordx4", "b128", 16, false, 'w', "b128", "b128"},
};
constexpr Form kStores[] = {
    {"byte", "b8", 1, false, 'w', "b8", "b8"},
    {"byte_d16_hi", "d16_hi_b8", 1, false, 'h', "b8_d16_hi", "b8_d16_hi"},
    {"short", "b16", 2, false, 'w', "b16", "b16"},
    {"short_d16_hi", "d16_hi_b16", 2, false, 'h', "b16_d16_hi", "b16_d16_hi"},
    {"dword", "b32", 4, false, 'w', "b32", "b32"},
    {"dwordx2", "b64", 8, false, 'w', "b64", "b64"},
    {"dwordx3", "b96", 12, false, 'w', "b96", "b96"},
    {"dwordx4", "b128", 16, false, 'w', "b128", "b128"},
};

constexpr size_t kBuffer = 16384;

bool is_newer(std::string_view target) { return target.starts_with("gfx1"); }

std::string registers(char letter, int first, int count) {
  return count == 1 ? fmt::format("{}{}", letter, first)
                    : fmt::format("{}[{}:{}]", letter, first, first + count - 1);
}

/// How the lanes' offsets lie.
enum class Layout { SideBySide, Same, Reversed, Random, Unaligned };
constexpr Layout kLayouts[] = {Layout::SideBySide, Layout::Same, Layout::Reversed, Layout::Random,
                               Layout::Unaligned};

uint32_t offset_of(Layout layout, int lane, int lanes, int bytes, std::mt19937& random) {
  switch (layout) {
    case Layout::SideBySide:
      return static_cast<uint32_t>(256 + lane * bytes);
    case Layout::Same:
      return 512;
    case Layout::Reversed:
      return static_cast<uint32_t>(256 + (lanes - lane) * bytes);
    case Layout::Random:
      return 64 + static_cast<uint32_t>(random() % 600 * 16);
    case Layout::Unaligned:
      return 64 + random() % 9000;
  }
  return 0;
}

/// What registers hold after loading. With SRAM-ECC a half that the load does not fill becomes 0.
void model_load(const Form& form, bool sram_ecc, const uint8_t* from, uint32_t (&words)[4]) {
  if (form.bytes >= 4) {
    std::memcpy(words, from, static_cast<size_t>(form.bytes));
    return;
  }
  uint32_t value = from[0];
  if (form.bytes == 2) value |= uint32_t{from[1]} << 8;
  if (form.sign && (value >> (form.bytes * 8 - 1))) value |= ~((1u << (form.bytes * 8)) - 1);
  if (sram_ecc && form.part != 'w') words[0] = 0;
  if (form.part == 'w') words[0] = value;
  if (form.part == 'l') words[0] = (words[0] & 0xffff0000u) | (value & 0xffffu);
  if (form.part == 'h') words[0] = (words[0] & 0x0000ffffu) | value << 16;
}

void model_store(const Form& form, uint8_t* to, const uint32_t (&words)[4]) {
  for (int i = 0; i < form.bytes; ++i) {
    const uint32_t word = form.part == 'h' ? words[0] >> 16 : words[i / 4];
    to[i] = static_cast<uint8_t>(word >> (8 * (i % 4)));
  }
}

enum class Where { GlobalSaddr, GlobalVaddr, Flat, FlatLds, Lds, Buffer, ScratchVector, ScratchScalar };

struct Parameter {
  TargetLanes each;
  bool sram_ecc;
};
void PrintTo(const Parameter& parameter, std::ostream* out) {
  PrintTo(parameter.each, out);
  *out << (parameter.sram_ecc ? ", SRAM-ECC" : "");
}
/// Each target as its GPUs have it, and those with SRAM-ECC without it too.
std::vector<Parameter> parameters() {
  std::vector<Parameter> all;
  for (const TargetLanes& each : all_targets()) {
    const bool may = isa::find_target(each.target)->may_have_sram_ecc();
    all.push_back({each, may});
    if (may) all.push_back({each, false});
  }
  return all;
}

class LoadStore : public testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override {
    test.sram_ecc = GetParam().sram_ecc;
    random.seed(seed);
    auto allocated = test.memory().allocate(kBuffer);
    ASSERT_TRUE(allocated);
    buffer = static_cast<uint8_t*>(*allocated);
    noise.resize(kBuffer + 128);
    for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random());
    model.resize(kBuffer);
    lds_model.resize(kBuffer);
  }
  const uint32_t seed = 20250101;
  std::mt19937 random;
  const TargetLanes each = GetParam().each;
  WaveTest test{each.target, each.lanes};
  const int lanes = each.lanes;
  const bool newer = is_newer(each.target);
  uint8_t* buffer = nullptr;
  std::vector<uint8_t> noise, model, lds_model;

  struct Operands {
    std::string name, address, tail;
  };
  /// An instruction's name and what it addresses with, for the offsets in v2 less 8 or 12; sets scalar
  /// registers.
  Operands operands(Where where) {
    Operands o;
    auto& [name, address, tail] = o;
    switch (where) {
      case Where::GlobalSaddr:
        name = "global", address = "v2", tail = ", s[4:5] offset:-12";
        break;
      case Where::GlobalVaddr:
        name = "global", address = "v[2:3]", tail = ", off offset:-12";
        break;
      case Where::Flat:
      case Where::FlatLds:
        name = "flat", address = "v[2:3]";
        break;
      case Where::Lds:
        name = "ds", address = "v2", tail = " offset:8";
        break;
      case Where::Buffer:
        name = "buffer", address = "v2";
        tail = fmt::format(", s[8:11], {} offen offset:12", each.target.starts_with("gfx12") ? "null" : "0");
        test.s64(8) = reinterpret_cast<uint64_t>(buffer);
        test.s(10) = kBuffer;
        test.s(11) = newer ? 3u << 28 : 0;  // a raw buffer's OOB_SELECT
        break;
      case Where::ScratchVector:
        name = "scratch", address = "v2", tail = ", off offset:12";
        break;
      case Where::ScratchScalar:
        name = "scratch", address = "off", tail = ", s6 offset:12", test.s(6) = 52;
        break;
    }
    return o;
  }

  void one(Where where, Layout layout, const Form& form, bool store, uint64_t exec) {
    const bool lds = where == Where::Lds || where == Where::FlatLds;
    const bool scratch = where == Where::ScratchVector || where == Where::ScratchScalar;
    const std::string what = fmt::format("{} ecc {} {} {} exec {:#x} place {} layout {} seed {}", each.target,
                                         test.sram_ecc, store ? "store" : "load", form.older, exec,
                                         static_cast<int>(where), static_cast<int>(layout), seed);
    const size_t turn = random() % 64;
    std::memcpy(buffer, &noise[turn], kBuffer);
    std::memcpy(test.lds(), &noise[turn + 64], kBuffer);
    model.assign(buffer, buffer + kBuffer);
    lds_model.assign(test.lds(), test.lds() + kBuffer);
    const int scratch_bytes = static_cast<int>(test.wave().scratch_size);
    std::vector<uint8_t> scratch_model(static_cast<size_t>(scratch_bytes * lanes));
    const auto scratch_byte = [&](int lane, uint32_t i) -> uint8_t& {
      return test.wave()
          .scratch[(i / 4 * static_cast<uint32_t>(lanes) + static_cast<uint32_t>(lane)) * 4 + i % 4];
    };
    for (int lane = 0; lane < lanes; ++lane)
      for (int i = 0; i < scratch_bytes; ++i)
        scratch_model[static_cast<size_t>(lane) * static_cast<size_t>(scratch_bytes) +
                      static_cast<size_t>(i)] = scratch_byte(lane, static_cast<uint32_t>(i)) =
            static_cast<uint8_t>(random());
    std::vector<uint32_t> offsets(static_cast<size_t>(lanes));
    test.exec() = exec;
    const int shift = lds ? 8 : scratch ? 12 : -12;
    for (int lane = 0; lane < lanes; ++lane) {
      uint32_t offset = offset_of(layout, lane, lanes, form.bytes, random);
      if (scratch) offset = layout == Layout::SideBySide || layout == Layout::Same ? 64 : offset % 200;
      if (where == Where::ScratchScalar) offset = 64;
      offsets[static_cast<size_t>(lane)] = offset;
      uint64_t address = offset - static_cast<uint64_t>(static_cast<int64_t>(shift));
      if (where == Where::GlobalVaddr || where == Where::Flat) address += reinterpret_cast<uint64_t>(buffer);
      if (where == Where::Flat) address += static_cast<uint64_t>(static_cast<int64_t>(shift));
      if (where == Where::FlatLds) address += kSharedAperture + static_cast<uint64_t>(shift);
      if (scratch || where == Where::Buffer) address = offset - 12;
      test.set_v64(2, lane, address);
      for (int i = 0; i < 4; ++i) test.v(4 + i, lane) = static_cast<uint32_t>(random());
    }
    test.s64(4) = reinterpret_cast<uint64_t>(buffer);
    const int dwords = (form.bytes + 3) / 4;
    std::vector<uint32_t> before;
    for (int lane = 0; lane < lanes; ++lane)
      for (int i = 0; i < 4; ++i) before.push_back(test.v(4 + i, lane));
    const std::string data = registers('v', 4, dwords);
    const auto [name, address, tail] = operands(where);
    std::string verb = store ? "store" : "load", suffix = newer ? form.newer : form.older;
    if (where == Where::Lds) {
      suffix = newer ? form.lds_newer : form.lds_older;
      if (!newer) verb = store ? "write" : "read";
    }
    const bool data_first = !store || where == Where::Buffer;
    const std::string text = fmt::format("{}_{}_{} {}, {}{}", name, verb, suffix, data_first ? data : address,
                                         data_first ? address : data, tail);
    const auto done = test.run(text);
    ASSERT_TRUE(done) << text << ": " << done.error().text();
    for (int lane = 0; lane < lanes; ++lane) {
      uint32_t words[4];
      std::copy_n(&before[4 * static_cast<size_t>(lane)], 4, words);
      const uint32_t offset = offsets[static_cast<size_t>(lane)];
      uint8_t* const at = lds       ? &lds_model[offset]
                          : scratch ? &scratch_model[static_cast<size_t>(lane * scratch_bytes) + offset]
                                    : &model[offset];
      if (exec >> lane & 1) {
        if (store)
          model_store(form, at, words);
        else
          model_load(form, test.sram_ecc, at, words);
      }
      for (int i = 0; i < 4; ++i)
        ASSERT_EQ(test.v(4 + i, lane), words[i]) << what << ' ' << text << " lane " << lane << " dword " << i;
    }
    ASSERT_EQ(std::memcmp(buffer, model.data(), kBuffer), 0) << what << ' ' << text;
    ASSERT_EQ(std::memcmp(test.lds(), lds_model.data(), kBuffer), 0) << what << ' ' << text;
    for (int lane = 0; lane < lanes; ++lane)
      for (int i = 0; i < scratch_bytes; ++i)
        ASSERT_EQ(scratch_byte(lane, static_cast<uint32_t>(i)),
                  scratch_model[static_cast<size_t>(lane * scratch_bytes + i)])
            << what << ' ' << text << " lane " << lane << " byte " << i;
  }

  void all(Where where) {
    const uint64_t full = lanes == 64 ? ~uint64_t{0} : 0xffffffffu;
    for (const Layout layout : kLayouts) {
      const bool fixed = where == Where::ScratchScalar && layout != Layout::SideBySide;
      for (const uint64_t exec : {full, uint64_t{0x00f0'1234'8000'0ff1} & full, uint64_t{0}}) {
        if (fixed || (exec == 0 && layout != Layout::SideBySide)) continue;
        for (const Form& form : kLoads) one(where, layout, form, false, exec);
        for (const Form& form : kStores) one(where, layout, form, true, exec);
        if (HasFatalFailure()) return;
      }
    }
  }
};

TEST_P(LoadStore, GlobalWithScalarBase) { all(Where::GlobalSaddr); }
TEST_P(LoadStore, GlobalWithVectorAddress) { all(Where::GlobalVaddr); }
TEST_P(LoadStore, FlatToGlobal) { all(Where::Flat); }
TEST_P(LoadStore, FlatToLds) { all(Where::FlatLds); }
TEST_P(LoadStore, Lds) { all(Where::Lds); }
TEST_P(LoadStore, Buffer) { all(Where::Buffer); }
TEST_P(LoadStore, ScratchWithVectorOffset) {
  if (each.target == "gfx90a") GTEST_SKIP() << "has no scratch instructions with architected scratch";
  all(Where::ScratchVector);
}
TEST_P(LoadStore, ScratchWithScalarOffset) {
  if (each.target == "gfx90a") GTEST_SKIP() << "has no scratch instructions with architected scratch";
  all(Where::ScratchScalar);
}

INSTANTIATE_TEST_SUITE_P(Targets, LoadStore, testing::ValuesIn(parameters()), [](const auto& info) {
  return fmt::format("{}_{}{}", info.param.each.target, info.param.each.lanes,
                     info.param.sram_ecc ? "_ecc" : "");
});

}  // namespace
}  // namespace wavesmith::emulate
