// What workgroups of several GPUs tell each other through memory that all of them reach: order at system
// scope, and words by which they wait for one another (LLVM, AMDGPUUsage, "Memory Model").
#pragma once

#include "tile/arch/amd.h"

namespace tile::arch {

/// What this wave has written, every GPU sees that sees what this wave writes behind this.
TILE_DEVICE void release_to_all() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, ""); }
/// What this wave reads behind this is as new as what it read of another GPU's words before.
TILE_DEVICE void acquire_from_all() { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, ""); }

/// All waves of the workgroup are here, and see what each has written and seen, in all memory.
TILE_DEVICE void barrier_of_all_memory() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

using Word = __attribute__((address_space(1))) u32;
TILE_DEVICE Word* word_at(void* base, u32 number) {
  return reinterpret_cast<Word*>(reinterpret_cast<u64>(base)) + number;
}
/// A word that GPUs write while others read it.
TILE_DEVICE u32 read_word(const Word* word) {
  return __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
TILE_DEVICE void write_word(Word* word, u32 value) {
  __hip_atomic_store(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
/// Adds to a word of this GPU's workgroups and returns what it was.
TILE_DEVICE u32 count_up(Word* word) {
  return __hip_atomic_fetch_add(word, 1U, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
/// Waits a little before a word is read again.
TILE_DEVICE void rest() { __builtin_amdgcn_s_sleep(1); }

}  // namespace tile::arch
