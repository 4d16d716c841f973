// PTX of Hopper's warpgroups, four warps that multiply together: products of tiles in shared memory whose
// sums lie in registers, registers handed from warps to warps, and barriers of some of a block's threads.
#pragma once

#include "tile/arch/ptx_tensor.h"

#if defined(TILE_ON_HOST)
#include "tile/arch/ptx_warpgroup_testing.h"
#else

namespace tile::ptx {

// The operands of an instruction: registers of so many sums, and the sums of column atoms from the j-th on.
#define TILE_REGISTERS_0 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define TILE_REGISTERS_1 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define TILE_REGISTERS_2 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define TILE_REGISTERS_3 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define TILE_REGISTERS_4 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define TILE_REGISTERS_5 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define TILE_REGISTERS_6 \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define TILE_REGISTERS_7 \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define TILE_REGISTERS_64 TILE_REGISTERS_0 ", " TILE_REGISTERS_1
#define TILE_REGISTERS_128 TILE_REGISTERS_64 ", " TILE_REGISTERS_2 ", " TILE_REGISTERS_3
#define TILE_REGISTERS_256 \
  TILE_REGISTERS_128 ", " TILE_REGISTERS_4 ", " TILE_REGISTERS_5 ", " TILE_REGISTERS_6 ", " TILE_REGISTERS_7
#define TILE_ATOM(s, j) \
  "+f"(s.at[0][j].at[0]), "+f"(s.at[0][j].at[1]), "+f"(s.at[1][j].at[0]), "+f"(s.at[1][j].at[1])
#define TILE_ATOMS(s, j) TILE_ATOM(s, j), TILE_ATOM(s, j + 1), TILE_ATOM(s, j + 2), TILE_ATOM(s, j + 3)
#define TILE_SUMS_64(s) TILE_ATOMS(s, 0), TILE_ATOMS(s, 4)
#define TILE_SUMS_128(s) TILE_SUMS_64(s), TILE_ATOMS(s, 8), TILE_ATOMS(s, 12)
#define TILE_SUMS_256(s) \
  TILE_SUMS_128(s), TILE_ATOMS(s, 16), TILE_ATOMS(s, 20), TILE_ATOMS(s, 24), TILE_ATOMS(s, 28)

// sums = A * B, or += where `add`. A and B are rows along K in shared memory.
#define TILE_PTX_WARPGROUP(columns, a, b, add, kind, layouts)                                         \
  template <class Sums>                                                                               \
  TILE_DEVICE void multiply_##columns##_##kind(Sums& s, unsigned long m, unsigned long n, int more) { \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " add                                              \
                 ", 0;\n"                                                                             \
                 "wgmma.mma_async.sync.aligned.m64n" #columns TILE_TYPES_##kind                       \
                 " {" TILE_REGISTERS_##columns "}, " a ", " b ", p, 1, 1" layouts ";\n}"              \
                 : TILE_SUMS_##columns(s)                                                             \
                 : "l"(m), "l"(n), "r"(more));                                                        \
  }
#define TILE_TYPES_bf16 "k16.f32.bf16.bf16"
#define TILE_TYPES_f16 "k16.f32.f16.f16"
#define TILE_TYPES_e4m3 "k32.f32.e4m3.e4m3"
TILE_PTX_WARPGROUP(128, "%64", "%65", "%66", bf16, ", 0, 0")
TILE_PTX_WARPGROUP(128, "%64", "%65", "%66", f16, ", 0, 0")
TILE_PTX_WARPGROUP(128, "%64", "%65", "%66", e4m3, "")
TILE_PTX_WARPGROUP(256, "%128", "%129", "%130", bf16, ", 0, 0")
TILE_PTX_WARPGROUP(256, "%128", "%129", "%130", f16, ", 0, 0")
TILE_PTX_WARPGROUP(256, "%128", "%129", "%130", e4m3, "")
#undef TILE_PTX_WARPGROUP

// sums += A * B. A is in registers, B is columns along K in shared memory.
#define TILE_PTX_WARPGROUP(columns, a, b, kind)                                                                \
  template <class Sums>                                                                                        \
  TILE_DEVICE void multiply_held_##columns##_##kind(Sums& s, const unsigned (&m)[4], unsigned long n) {        \
    asm volatile(                                                                                              \
        "{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned.m64n" #columns TILE_TYPES_##kind \
        " {" TILE_REGISTERS_##columns "}, {" a "}, " b ", p, 1, 1, 1;\n}"                                      \
        : TILE_SUMS_##columns(s)                                                                               \
        : "r"(m[0]), "r"(m[1]), "r"(m[2]), "r"(m[3]), "l"(n));                                                 \
  }
TILE_PTX_WARPGROUP(64, "%32, %33, %34, %35", "%36", bf16)
TILE_PTX_WARPGROUP(64, "%32, %33, %34, %35", "%36", f16)
TILE_PTX_WARPGROUP(128, "%64, %65, %66, %67", "%68", bf16)
TILE_PTX_WARPGROUP(128, "%64, %65, %66, %67", "%68", f16)
#undef TILE_PTX_WARPGROUP
#undef TILE_TYPES_bf16
#undef TILE_TYPES_f16
#undef TILE_TYPES_e4m3
#undef TILE_ATOM
#undef TILE_ATOMS
#undef TILE_SUMS_64
#undef TILE_REGISTERS_64
#undef TILE_SUMS_128
#undef TILE_REGISTERS_128
#undef TILE_SUMS_256
#undef TILE_REGISTERS_256
#undef TILE_REGISTERS_0
#undef TILE_REGISTERS_1
#undef TILE_REGISTERS_2
#undef TILE_REGISTERS_3
#undef TILE_REGISTERS_4
#undef TILE_REGISTERS_5
#undef TILE_REGISTERS_6
#undef TILE_REGISTERS_7

/// Before products whose registers were written by something else.
TILE_DEVICE void begin_products() { asm volatile("wgmma.fence.sync.aligned;" : : : "memory"); }
/// Those set off since the last group are one.
TILE_DEVICE void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory"); }
/// Waits until at most so many groups are under way.
template <int kCount>
TILE_DEVICE void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(kCount) : "memory");
}

/// The warpgroup's threads have so many registers from here on; what others give is waited for.
template <int kCount>
TILE_DEVICE void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(kCount));
}
template <int kCount>
TILE_DEVICE void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(kCount));
}

/// So many threads meet at a barrier of that number, 1 to 15; some of them may arrive without waiting.
TILE_DEVICE void meet(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}
TILE_DEVICE void arrive_at(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}

/// Stores four matrices of 8 by 8 elements of 16 bits: of each a lane has two elements of a row, and gives
/// the address of a row.
TILE_DEVICE void store_matrices(void* row, const unsigned (&held)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
               :
               : "r"(shared_address(row)), "r"(held[0]), "r"(held[1]), "r"(held[2]), "r"(held[3])
               : "memory");
}

}  // namespace tile::ptx

#endif
