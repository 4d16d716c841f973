// PTX of Hopper's copy engine: tiles of tensors to and from shared memory, barriers in shared memory that
// count what has arrived, and clusters of blocks that reach each other's shared memory.
#pragma once

#include "tile/arch/ptx.h"

namespace tile::ptx {

/// A tensor in global memory and the box that a copy takes of it (cuTensorMapEncodeTiled).
struct alignas(64) TensorMap {
  unsigned long opaque[16];
};
/// The first element of a box, along the dimension that lies together first.
struct BoxAt {
  int x, y, z, w;
};
/// In shared memory. A phase ends when all have arrived that are expected, and all bytes.
using Barrier = unsigned long;

}  // namespace tile::ptx

#if defined(TILE_ON_HOST)
#include "tile/arch/ptx_tensor_testing.h"
#else

namespace tile::ptx {

TILE_DEVICE unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

TILE_DEVICE void begin_barrier(Barrier* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :
               : "r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
}
/// What begin_barrier did is known to the cluster and to the copy engine.
TILE_DEVICE void announce_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); }
/// Arrives, and has the phase wait for so many bytes of copies.
TILE_DEVICE void expect_bytes(Barrier* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}
TILE_DEVICE void arrive(Barrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(shared_address(barrier)) : "memory");
}
/// At the barrier that lies at the same place in that block of the cluster. It orders nothing but what the
/// block's own barriers do: the cluster's scope would cost a fence of all memory each time.
TILE_DEVICE void arrive_in_block(Barrier* barrier, unsigned block) {
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
      "}"
      :
      : "r"(shared_address(barrier)), "r"(block)
      : "memory");
}
/// Waits for the end of a phase; those of a barrier have parities 0, 1, 0, ... The one before the first has
/// ended.
TILE_DEVICE void wait_phase(Barrier* barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred ended;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
      "@!ended bra again;\n"
      "}"
      :
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
}

/// Sets off the copy of a box to shared memory; it arrives at the barrier by its bytes.
TILE_DEVICE void load_box(void* to, const TensorMap* map, BoxAt at, Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], "
      "[%2];"
      :
      : "r"(shared_address(to)), "l"(map), "r"(shared_address(barrier)), "r"(at.x), "r"(at.y), "r"(at.z),
        "r"(at.w)
      : "memory");
}
/// The same to the same place in each block of the cluster that has a bit in `blocks`, and to its barrier.
TILE_DEVICE void load_box_to_blocks(void* to, const TensorMap* map, BoxAt at, Barrier* barrier,
                                    unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, "
      "{%4, %5, %6, %7}], [%2], %3;"
      :
      : "r"(shared_address(to)), "l"(map), "r"(shared_address(barrier)), "h"(blocks), "r"(at.x), "r"(at.y),
        "r"(at.z), "r"(at.w)
      : "memory");
}
/// Sets off the copy of a box from shared memory, whose writes share_writes has announced.
TILE_DEVICE void store_box(const TensorMap* map, BoxAt at, const void* from) {
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5}], [%1];"
               :
               : "l"(map), "r"(shared_address(from)), "r"(at.x), "r"(at.y), "r"(at.z), "r"(at.w)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" : : : "memory");
}
/// Waits until at most so many of the thread's stores still read shared memory.
template <int kCount>
TILE_DEVICE void wait_stores_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(kCount) : "memory");
}
TILE_DEVICE void wait_stores() { asm volatile("cp.async.bulk.wait_group 0;" : : : "memory"); }
/// The thread's writes of shared memory are seen by the copy engine and by products.
TILE_DEVICE void share_writes() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }

TILE_DEVICE unsigned block_in_cluster() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// All threads of the cluster meet.
TILE_DEVICE void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" : : : "memory");
}
TILE_DEVICE int grid_x() { return static_cast<int>(gridDim.x); }

}  // namespace tile::ptx

#endif
