#include "runtime/device/properties.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "gpus/slot.h"

namespace wavesmith::runtime {
namespace {

// ROCm's limits for images: a 16384 x 16384 image, 2048 deep, 2^32 - 1 texels of a buffer.
constexpr int kImageSide = 16384, kImageDepth = 2048;

int clamped(uint64_t value) { return static_cast<int>(std::min<uint64_t>(value, INT_MAX)); }

/// "gfx90a" is 9, 0, 10: the last two digits are the minor version and the stepping, hexadecimal.
struct Isa {
  int major = 0, minor = 0, stepping = 0;
};
Isa isa_of(std::string_view target) {
  Isa isa;
  if (target.size() < 6 || !target.starts_with("gfx")) return isa;
  const std::string_view digits = target.substr(3);
  std::from_chars(digits.data(), digits.data() + digits.size() - 2, isa.major);
  std::from_chars(&digits[digits.size() - 2], &digits[digits.size() - 1], isa.minor, 16);
  std::from_chars(&digits[digits.size() - 1], &digits[digits.size() - 1] + 1, isa.stepping, 16);
  return isa;
}

template <size_t N>
void set_text(char (&field)[N], std::string_view text) {
  const size_t size = std::min(text.size(), N - 1);
  std::memcpy(field, text.data(), size);
  field[size] = '\0';
}

// ROCm's UUID is 16 characters of text.
void set_uuid(hipUUID& uuid, const Device& device) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(gpus::unique_id(device.gpu, device.number)));
  std::memcpy(uuid.bytes, text, sizeof uuid.bytes);
}

}  // namespace

hipDeviceProp_tR0600 properties(const Platform& platform, const Device& device) {
  const gpus::Gpu& gpu = device.gpu;
  hipDeviceProp_tR0600 p{};
  const Isa isa = isa_of(gpu.target);
  const int waves =
      clamped(uint64_t{gpu.waves_per_simd} * gpu.simds_per_unit * gpu.units_per_workgroup_processor);
  set_text(p.name, gpu.name);
  set_uuid(p.uuid, device);
  p.totalGlobalMem = gpu.memory_bytes;
  p.sharedMemPerBlock = gpu.lds_per_workgroup;
  p.sharedMemPerBlockOptin = gpu.lds_per_workgroup;
  p.sharedMemPerMultiprocessor = uint64_t{gpu.lds_bytes} * gpu.units_per_workgroup_processor;
  p.maxSharedMemoryPerMultiProcessor = gpu.lds_bytes;
  // Registers of one compute unit's SIMDs, lanes times VGPRs; ROCm does not count accumulation registers.
  const uint64_t vgprs = gpu.unified_accumulation ? gpu.vgprs_per_simd / 2 : gpu.vgprs_per_simd;
  p.regsPerBlock = p.regsPerMultiprocessor = clamped(vgprs * gpu.simds_per_unit * gpu.warp_size());
  p.warpSize = clamped(gpu.warp_size());
  p.maxThreadsPerBlock = clamped(gpu.max_workgroup);
  for (int& side : p.maxThreadsDim) side = p.maxThreadsPerBlock;
  std::copy_n(kMaxGrid, 3, p.maxGridSize);
  p.clockRate = clamped(uint64_t{gpu.engine_mhz} * 1000);
  p.memoryClockRate = clamped(uint64_t{gpu.memory_mhz} * 1000);
  p.clockInstructionRate = clamped(uint64_t{gpu.realtime_mhz} * 1000);
  p.memoryBusWidth = clamped(gpu.memory_bus_bits);
  p.l2CacheSize = p.persistingL2CacheMaxSize = clamped(gpu.l2_bytes);
  p.totalConstMem = INT_MAX;
  p.major = isa.major;
  p.minor = isa.minor;
  p.multiProcessorCount = clamped(gpu.multiprocessors());
  p.maxThreadsPerMultiProcessor = waves * p.warpSize;
  p.maxBlocksPerMultiProcessor = p.maxThreadsPerMultiProcessor / std::max(p.maxThreadsPerBlock, 1);
  p.memPitch = INT_MAX;
  p.textureAlignment = p.surfaceAlignment = p.texturePitchAlignment = 256;
  p.maxTexture1DLinear = p.maxTexture1DMipmap = INT_MAX;
  p.maxTexture1D = p.maxSurface1D = kImageSide;
  for (int* const sides : {p.maxTexture2D, p.maxSurface2D}) sides[0] = sides[1] = kImageSide;
  for (int* const sides : {p.maxTexture3D, p.maxSurface3D})
    sides[0] = sides[1] = kImageSide, sides[2] = kImageDepth;
  for (int* const sides : {p.maxTexture1DLayered, p.maxSurface1DLayered})
    sides[0] = kImageSide, sides[1] = kImageDepth;
  for (int* const sides : {p.maxTexture2DLayered, p.maxSurface2DLayered})
    sides[0] = sides[1] = kImageSide, sides[2] = kImageDepth;
  const gpus::Slot slot = gpus::slot_of(device.number);
  p.pciDomainID = clamped(slot.domain);
  p.pciBusID = clamped(slot.bus);
  p.pciDeviceID = 0;
  p.asicRevision = clamped(gpu.pci_revision);
  set_text(p.gcnArchName, device.target.text());

  p.arch.hasGlobalInt32Atomics = p.arch.hasGlobalFloatAtomicExch = p.arch.hasSharedInt32Atomics = 1;
  p.arch.hasSharedFloatAtomicExch = p.arch.hasFloatAtomicAdd = p.arch.hasGlobalInt64Atomics = 1;
  p.arch.hasSharedInt64Atomics = p.arch.hasDoubles = p.arch.hasWarpVote = p.arch.hasWarpBallot = 1;
  p.arch.hasWarpShuffle = p.arch.hasThreadFenceSystem = p.arch.has3dGrid = 1;
  p.concurrentKernels = p.canMapHostMemory = p.unifiedAddressing = p.isLargeBar = 1;
  p.integrated = p.canUseHostPointerForRegisteredMem = p.directManagedMemAccessFromHost = gpu.is_apu;
  p.asyncEngineCount = 2;
  p.deviceOverlap = p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.managedMemory = p.concurrentManagedAccess = 1;
  p.pageableMemoryAccess = gpu.is_apu || platform.xnack;
  p.hostNativeAtomicSupported = 1;
  p.cooperativeLaunch = p.cooperativeMultiDeviceLaunch = 1;
  p.cooperativeMultiDeviceUnmatchedFunc = p.cooperativeMultiDeviceUnmatchedGridDim = 1;
  p.cooperativeMultiDeviceUnmatchedBlockDim = p.cooperativeMultiDeviceUnmatchedSharedMem = 1;
  p.hostRegisterSupported = p.ipcEventSupported = 1;
  p.memoryPoolsSupported = 1;
  p.memoryPoolSupportedHandleTypes = hipMemHandleTypePosixFileDescriptor;
  p.multiGpuBoardGroupID = device.ordinal;
  return p;
}

hipDeviceProp_tR0000 properties_of_hip5(const hipDeviceProp_tR0600& n, const object::TargetId& target) {
  hipDeviceProp_tR0000 p{};
  std::memcpy(p.name, n.name, sizeof p.name);
  p.totalGlobalMem = n.totalGlobalMem;
  p.sharedMemPerBlock = n.sharedMemPerBlock;
  p.regsPerBlock = n.regsPerBlock;
  p.warpSize = n.warpSize;
  p.maxThreadsPerBlock = n.maxThreadsPerBlock;
  std::copy_n(n.maxThreadsDim, 3, p.maxThreadsDim);
  std::copy_n(n.maxGridSize, 3, p.maxGridSize);
  p.clockRate = n.clockRate;
  p.memoryClockRate = n.memoryClockRate;
  p.memoryBusWidth = n.memoryBusWidth;
  p.totalConstMem = n.totalConstMem;
  p.major = n.major;
  p.minor = n.minor;
  p.multiProcessorCount = n.multiProcessorCount;
  p.l2CacheSize = n.l2CacheSize;
  p.maxThreadsPerMultiProcessor = n.maxThreadsPerMultiProcessor;
  p.computeMode = n.computeMode;
  p.clockInstructionRate = n.clockInstructionRate;
  p.arch = n.arch;
  p.concurrentKernels = n.concurrentKernels;
  p.pciDomainID = n.pciDomainID;
  p.pciBusID = n.pciBusID;
  p.pciDeviceID = n.pciDeviceID;
  p.maxSharedMemoryPerMultiProcessor = n.maxSharedMemoryPerMultiProcessor;
  p.isMultiGpuBoard = n.isMultiGpuBoard;
  p.canMapHostMemory = n.canMapHostMemory;
  const Isa isa = isa_of(target.processor);
  p.gcnArch = isa.major * 100 + isa.minor * 10 + isa.stepping;
  std::memcpy(p.gcnArchName, n.gcnArchName, sizeof p.gcnArchName);
  p.integrated = n.integrated;
  p.cooperativeLaunch = n.cooperativeLaunch;
  p.cooperativeMultiDeviceLaunch = n.cooperativeMultiDeviceLaunch;
  p.maxTexture1DLinear = n.maxTexture1DLinear;
  p.maxTexture1D = n.maxTexture1D;
  std::copy_n(n.maxTexture2D, 2, p.maxTexture2D);
  std::copy_n(n.maxTexture3D, 3, p.maxTexture3D);
  p.memPitch = n.memPitch;
  p.textureAlignment = n.textureAlignment;
  p.texturePitchAlignment = n.texturePitchAlignment;
  p.ECCEnabled = n.ECCEnabled;
  p.isLargeBar = n.isLargeBar;
  p.asicRevision = n.asicRevision;
  p.managedMemory = n.managedMemory;
  p.directManagedMemAccessFromHost = n.directManagedMemAccessFromHost;
  p.concurrentManagedAccess = n.concurrentManagedAccess;
  p.pageableMemoryAccess = n.pageableMemoryAccess;
  p.pageableMemoryAccessUsesHostPageTables = n.pageableMemoryAccessUsesHostPageTables;
  return p;
}

std::array<char, 16> pci_address(const Device& device) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%s", gpus::slot_of(device.number).text().c_str());
  return text;
}

}  // namespace wavesmith::runtime
