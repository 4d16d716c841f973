// Pairs of kernels: one with a fault, and its twin without.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "check/testing.h"

namespace wavesmith::check {
namespace {

constexpr std::string_view kAll = "gfx90a gfx942 gfx950 gfx1100 gfx1151 gfx1201",
                           kScratch = "gfx942 gfx950 gfx1100 gfx1151 gfx1201";

/// A kernel has 256 bytes at s[4:5], as many at s[6:7], 256 bytes of LDS, 20 bytes of private memory a lane,
/// and its number in bytes in v1. {past} is the offset from which a wave's dwords, side by side, end a dword
/// past the buffer; {last} ends with it.
struct Pair {
  const char* name;
  std::string_view targets;
  const char *faulty, *right;
  const char* rule;
};
void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }

const char* const kResource = "s_mov_b64 s[8:9], s[4:5]\ns_mov_b32 s11, {word3}\ns_mov_b32 s10, ";

/// The same with records of 16 bytes.
const char* const kRecords =
    "s_mov_b64 s[8:9], s[4:5]\ns_or_b32 s9, s9, 0x100000\ns_mov_b32 s11, {structured}\ns_mov_b32 s10, ";

const Pair kPairs[] = {
    {"GlobalLoad", kAll, "global_load_dword v2, v1, s[4:5] offset:{past}",
     "global_load_dword v2, v1, s[4:5] offset:{last}", "out-of-bounds"},
    {"GlobalStore", kAll, "global_store_dword v1, v0, s[4:5] offset:{past}",
     "global_store_dword v1, v0, s[4:5] offset:{last}", "out-of-bounds"},
    {"GlobalAtomic", kAll, "v_mov_b32 v2, 1\nglobal_atomic_add v1, v2, s[4:5] offset:{past}",
     "v_mov_b32 v2, 1\nglobal_atomic_add v1, v2, s[4:5] offset:{last}", "out-of-bounds"},
    {"Byte", kAll, "v_mov_b32 v1, 0\nglobal_load_ubyte v2, v1, s[4:5] offset:256",
     "v_mov_b32 v1, 0\nglobal_load_ubyte v2, v1, s[4:5] offset:255", "out-of-bounds"},
    {"BeforeTheBeginning", kAll,
     "v_mov_b32 v2, s4\nv_mov_b32 v3, s5\nglobal_load_dword v1, v[2:3], off offset:-4",
     "v_mov_b32 v2, s4\nv_mov_b32 v3, s5\nglobal_load_dword v1, v[2:3], off", "out-of-bounds"},
    {"WideAcrossTheEnd", kAll, "v_mov_b32 v1, 0\nglobal_load_dwordx4 v[4:7], v1, s[4:5] offset:248",
     "v_mov_b32 v1, 0\nglobal_load_dwordx4 v[4:7], v1, s[4:5] offset:240", "out-of-bounds"},
    {"PairAcrossTheEnd", kAll, "v_mov_b32 v1, 0\nglobal_store_dwordx2 v1, v[4:5], s[4:5] offset:252",
     "v_mov_b32 v1, 0\nglobal_store_dwordx2 v1, v[4:5], s[4:5] offset:248", "out-of-bounds"},
    {"Gather", kAll, "v_lshlrev_b32 v1, 4, v0\nglobal_load_dword v2, v1, s[4:5]",
     "v_and_b32 v1, 15, v0\nv_lshlrev_b32 v1, 4, v1\nglobal_load_dword v2, v1, s[4:5]", "out-of-bounds"},
    {"ALaneThatIsOff", kAll,
     "s_mov_b32 exec_lo, 3\nv_lshlrev_b32 v1, 8, v0\nglobal_load_dword v2, v1, s[4:5]",
     "s_mov_b32 exec_lo, 1\ns_mov_b32 exec_hi, 0\nv_lshlrev_b32 v1, 8, v0\nglobal_load_dword v2, v1, s[4:5]",
     "out-of-bounds"},
    {"Flat", kAll, "v_mov_b32 v2, s4\nv_mov_b32 v3, s5\nv_add_u32 v2, 0x100, v2\nflat_load_dword v1, v[2:3]",
     "v_mov_b32 v2, s4\nv_mov_b32 v3, s5\nv_add_u32 v2, 0xfc, v2\nflat_load_dword v1, v[2:3]",
     "out-of-bounds"},
    {"NullPointer", kAll, "v_mov_b32 v2, 0\nv_mov_b32 v3, 0\nglobal_load_dword v1, v[2:3], off",
     "v_mov_b32 v2, s4\nv_mov_b32 v3, s5\nglobal_load_dword v1, v[2:3], off", "null-pointer"},
    {"NullPointerOfTheWave", kAll, "s_mov_b32 s8, 0\ns_mov_b32 s9, 0\ns_load_dword s12, s[8:9], 0x10",
     "s_load_dword s12, s[4:5], 0x10", "null-pointer"},
    {"AnAddressOfNothing", kAll, "v_mov_b32 v2, 0\nv_mov_b32 v3, 0x123\nglobal_store_dword v[2:3], v1, off",
     "v_mov_b32 v2, s4\nv_mov_b32 v3, s5\nglobal_store_dword v[2:3], v1, off", "wild-address"},
    {"ScalarLoad", kAll, "s_load_dwordx2 s[8:9], s[4:5], 0xfc", "s_load_dwordx2 s[8:9], s[4:5], 0xf8",
     "out-of-bounds"},
    {"ScalarLoadOfFour", kAll, "s_load_dwordx4 s[8:11], s[4:5], 0x100",
     "s_load_dwordx4 s[8:11], s[4:5], 0xf0", "out-of-bounds"},
    {"ScalarLoadMisaligned", kAll, "s_load_dword s8, s[4:5], 0x6", "s_load_dword s8, s[4:5], 0x4",
     "misaligned-scalar"},
    {"BufferLoad", kAll, "{resource}512\nbuffer_load_dword v2, v1, s[8:11], 0 offen offset:{past}",
     "{resource}256\nbuffer_load_dword v2, v1, s[8:11], 0 offen offset:{past}",
     "out-of-bounds buffer-resource"},
    {"BufferStore", kAll, "{resource}-1\nbuffer_store_dword v0, v1, s[8:11], 0 offen offset:{past}",
     "{resource}-1\nbuffer_store_dword v0, v1, s[8:11], 0 offen offset:{last}", "out-of-bounds"},
    {"BufferAtomic", kAll, "{resource}-1\nbuffer_atomic_add v0, v1, s[8:11], 0 offen offset:{past}",
     "{resource}256\nbuffer_atomic_add v0, v1, s[8:11], 0 offen offset:{past}", "out-of-bounds"},
    {"BufferResource", kAll, "{resource}260\nbuffer_load_dword v2, v1, s[8:11], 0 offen",
     "{resource}256\nbuffer_load_dword v2, v1, s[8:11], 0 offen", "buffer-resource"},
    {"ScalarBuffer", kAll, "{resource}-1\ns_buffer_load_dword s12, s[8:11], 0x100",
     "{resource}256\ns_buffer_load_dword s12, s[8:11], 0x100", "out-of-bounds"},
    {"AtomicMisaligned", kAll, "v_mov_b32 v1, 2\nglobal_atomic_add v1, v2, s[4:5]",
     "v_mov_b32 v1, 4\nglobal_atomic_add v1, v2, s[4:5]", "misaligned-atomic"},
    {"AtomicOfTwoMisaligned", kAll, "v_mov_b32 v1, 4\nglobal_atomic_add_x2 v1, v[2:3], s[4:5]",
     "v_mov_b32 v1, 8\nglobal_atomic_add_x2 v1, v[2:3], s[4:5]", "misaligned-atomic"},
    {"LdsLoad", kAll, "ds_read_b32 v2, v1 offset:{past}", "ds_read_b32 v2, v1 offset:{last}",
     "lds-out-of-bounds"},
    {"LdsStore", kAll, "ds_write_b32 v1, v0 offset:{past}", "ds_write_b32 v1, v0 offset:{last}",
     "lds-out-of-bounds"},
    {"LdsAtomic", kAll, "ds_add_u32 v1, v0 offset:{past}", "ds_add_u32 v1, v0 offset:{last}",
     "lds-out-of-bounds"},
    {"LdsSecondOfTwo", kAll, "v_mov_b32 v1, 0\nds_read2_b32 v[2:3], v1 offset0:2 offset1:64",
     "v_mov_b32 v1, 0\nds_read2_b32 v[2:3], v1 offset0:2 offset1:63", "lds-out-of-bounds"},
    {"LdsByFlat", kAll, "v_mov_b32 v2, 0x100\nv_mov_b32 v3, {shared}\nflat_load_dword v4, v[2:3]",
     "v_mov_b32 v2, 0xfc\nv_mov_b32 v3, {shared}\nflat_load_dword v4, v[2:3]", "lds-out-of-bounds"},
    {"LdsAtomicMisaligned", kAll, "v_mov_b32 v1, 6\nds_add_u32 v1, v0", "v_mov_b32 v1, 8\nds_add_u32 v1, v0",
     "misaligned-atomic"},
    {"LdsMisaligned", kAll, "v_mov_b32 v1, 4\nds_read_b64 v[2:3], v1",
     "v_mov_b32 v1, 4\nds_read2_b32 v[2:3], v1 offset1:1", "misaligned-lds"},
    {"LdsOfFourMisaligned", kAll, "v_mov_b32 v1, 8\nds_read_b128 v[4:7], v1",
     "v_mov_b32 v1, 16\nds_read_b128 v[4:7], v1", "misaligned-lds"},
    {"ToLds", "gfx942 gfx950", "s_mov_b32 m0, 0\nv_add_u32 v1, 4, v1\nglobal_load_lds_dword v1, s[4:5]",
     "s_mov_b32 m0, 0\nglobal_load_lds_dword v1, s[4:5]", "out-of-bounds"},
    {"ToLdsThatIsTooSmall", "gfx942 gfx950", "s_movk_i32 m0, 0x80\nglobal_load_lds_dword v1, s[4:5]",
     "s_mov_b32 m0, 0\nglobal_load_lds_dword v1, s[4:5]", "lds-out-of-bounds"},
    {"PrivateStore", kScratch, "scratch_store_dword off, v0, off offset:64",
     "scratch_store_dword off, v0, off offset:16", "private-out-of-bounds"},
    {"PrivateLoadInThePadding", kScratch, "scratch_load_dword v2, off, off offset:20",
     "scratch_load_dword v2, off, off offset:16", "private-out-of-bounds"},
    {"PrivateByFlat", kScratch, "v_mov_b32 v2, 0x40\nv_mov_b32 v3, {private}\nflat_store_dword v[2:3], v0",
     "v_mov_b32 v2, 0x10\nv_mov_b32 v3, {private}\nflat_store_dword v[2:3], v0", "private-out-of-bounds"},
    {"HalfAcrossTheEnd", kAll, "v_mov_b32 v1, 0\nglobal_load_short_d16 v2, v1, s[4:5] offset:255",
     "v_mov_b32 v1, 0\nglobal_load_short_d16 v2, v1, s[4:5] offset:254", "out-of-bounds"},
    {"CompareAndSwap", kAll, "v_mov_b32 v1, 0\nglobal_atomic_cmpswap v1, v[2:3], s[4:5] offset:256",
     "v_mov_b32 v1, 0\nglobal_atomic_cmpswap v1, v[2:3], s[4:5] offset:252", "out-of-bounds"},
    {"FlatAtomic", kAll,
     "v_mov_b32 v2, s4\nv_mov_b32 v3, s5\nv_add_u32 v2, 0x100, v2\nflat_atomic_or v[2:3], v0",
     "v_mov_b32 v2, s4\nv_mov_b32 v3, s5\nv_add_u32 v2, 0xfc, v2\nflat_atomic_or v[2:3], v0",
     "out-of-bounds"},
    {"BufferOfRecords", kAll, "{records}17\nbuffer_load_dword v2, v0, s[8:11], 0 idxen",
     "{records}16\nbuffer_load_dword v2, v0, s[8:11], 0 idxen", "out-of-bounds buffer-resource"},
    {"LdsStoreOfTwo", kAll, "v_mov_b32 v1, 0\nds_write2_b64 v1, v[2:3], v[4:5] offset1:32",
     "v_mov_b32 v1, 0\nds_write2_b64 v1, v[2:3], v[4:5] offset1:31", "lds-out-of-bounds"},
    {"LdsAcrossTheEnd", kAll, "v_mov_b32 v1, 0\nds_read_b96 v[4:6], v1 offset:248",
     "v_mov_b32 v1, 0\nds_read_b96 v[4:6], v1 offset:244", "lds-out-of-bounds"},
    {"LdsCounter", kAll, "s_movk_i32 m0, 0x100\nds_append v2", "s_movk_i32 m0, 0xfc\nds_append v2",
     "lds-out-of-bounds"},
    {"LdsByLane", "gfx90a gfx942 gfx950", "s_mov_b32 m0, 0\nds_read_addtid_b32 v2 offset:4",
     "s_mov_b32 m0, 0\nds_read_addtid_b32 v2", "lds-out-of-bounds"},
    {"LdsTransposed", "gfx950", "v_lshlrev_b32 v1, 3, v0\nds_read_b64_tr_b16 v[2:3], v1",
     "v_and_b32 v1, 31, v0\nv_lshlrev_b32 v1, 3, v1\nds_read_b64_tr_b16 v[2:3], v1", "lds-out-of-bounds"},
    {"PrivateOfEachLane", kScratch, "scratch_store_dword v1, v0, off",
     "v_and_b32 v1, 16, v1\nscratch_store_dword v1, v0, off", "private-out-of-bounds"},
    {"WriteOfArguments", kAll, "v_mov_b32 v1, 0\nglobal_store_dword v1, v1, s[0:1] offset:8",
     "v_mov_b32 v1, 0\nglobal_load_dword v2, v1, s[0:1] offset:8", "read-only"},
    {"WriteOfCode", kAll, "s_getpc_b64 s[8:9]\nv_mov_b32 v1, 0\nglobal_store_dword v1, v1, s[8:9]",
     "s_getpc_b64 s[8:9]\nv_mov_b32 v1, 0\nglobal_load_dword v1, v1, s[8:9]", "read-only"},
};

void replace(std::string& text, std::string_view what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
    text.replace(at, what.size(), with);
}

/// What is found in a kernel of that text, names of rules apart by spaces.
std::string rules_of(std::string_view target, int lanes, std::string text) {
  const bool older = target.starts_with("gfx9"), newest = target.starts_with("gfx12");
  replace(text, "{resource}", kResource);
  replace(text, "{records}", kRecords);
  replace(text, "{structured}", older ? "0x20000" : "0x1000000");
  replace(text, "{word3}", older ? "0x20000" : newest ? "0x30000000" : "0x31000000");
  replace(text, "{past}", fmt::to_string(256 - 4 * lanes + 4));
  replace(text, "{last}", fmt::to_string(256 - 4 * lanes));
  replace(text, "{shared}", "s12");
  replace(text, "{private}", "s13");
  if (newest) replace(text, ", s[8:11], 0 ", ", s[8:11], null ");
  if (!older) {
    replace(text, "v_add_u32", "v_add_nc_u32");
    if (lanes == 32) replace(text, "s_mov_b32 exec_hi, 0", "s_nop 0");
  }
  text = std::string("s_load_dwordx4 s[4:7], s[0:1], 0x0\n") +
         (newest ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n") +
         "s_mov_b64 s[14:15], src_shared_base\ns_mov_b32 s12, s15\n"
         "s_mov_b64 s[14:15], src_private_base\ns_mov_b32 s13, s15\nv_lshlrev_b32 v1, 2, v0\n" +
         text;
  CheckedKernel kernel("memory", target, text, lanes, 256);
  kernel.describe = [](object::Kernel& described) { described.fields.private_segment_fixed_size = 20; };
  const auto a = reinterpret_cast<uint64_t>(kernel.allocate(64)),
             b = reinterpret_cast<uint64_t>(kernel.allocate(64));
  (void)kernel.launch(1, static_cast<uint32_t>(lanes), {a, b}, 1);
  std::string rules;
  for (const Finding& finding : kernel.findings()) {
    rules += (rules.empty() ? "" : " ") + finding.rule;
    EXPECT_FALSE(finding.what.empty());
    EXPECT_FALSE(finding.fix.empty());
    EXPECT_EQ(finding.parties.size(), 1u);
  }
  return rules;
}

class MemoryAccesses : public testing::TestWithParam<Pair> {};

TEST_P(MemoryAccesses, AreFoundWhereTheyAreWrong) {
  const Pair& pair = GetParam();
  for (const isa::Target& target : isa::kTargets) {
    if (pair.targets.find(target.name) == pair.targets.npos) continue;
    for (const int lanes : {64, 32}) {
      if (lanes == 32 && target.wave64_only) continue;
      const std::string where = fmt::format("{}, wave{}", target.name, lanes);
      EXPECT_EQ(rules_of(target.name, lanes, pair.faulty), pair.rule) << where;
      EXPECT_EQ(rules_of(target.name, lanes, pair.right), "") << where;
    }
  }
}

TEST(MemoryAccess, OutsideOfLdsMayBeMeant) {
  for (const isa::Target& target : isa::kTargets) {
    const auto rules = [&](std::string_view text) {
      return rules_of(target.name, target.wave64_only ? 64 : 32, std::string(text));
    };
    EXPECT_EQ(rules("v_mov_b32 v1, 0xf00000\nds_read_b64 v[2:3], v1"), "lds-nowhere") << target.name;
    EXPECT_EQ(rules("v_mov_b32 v1, 0xf00000\nds_read_b32 v2, v1 offset:24"), "lds-nowhere") << target.name;
    EXPECT_EQ(rules("v_mov_b32 v1, 0xf00000\nds_write_b32 v1, v0"), "lds-nowhere") << target.name;
    for (const std::string_view fault :
         {"v_mov_b32 v1, 0xf00004\nds_read_b32 v2, v1",     // no round number
          "v_mov_b32 v1, 0x10000\nds_read_b32 v2, v1",      // where an index may come to
          "v_mov_b32 v1, -4\nds_read_b32 v2, v1",           // element -1
          "v_or_b32 v1, 0xf00000, v1\nds_read_b32 v2, v1",  // of each lane
          "s_mov_b32 exec_lo, 1\ns_mov_b32 exec_hi, 0\nv_mov_b32 v1, 0xf00000\nds_read_b32 v2, v1"})
      EXPECT_EQ(rules(fault), "lds-out-of-bounds") << target.name << ": " << fault;
  }
}

INSTANTIATE_TEST_SUITE_P(All, MemoryAccesses, testing::ValuesIn(kPairs),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace wavesmith::check
