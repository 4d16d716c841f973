// A GPU as data: what the runtime reports, the emulator assumes and the models compute with. gpus/data has
// one TOML file per GPU, built into the library. Each number has its source beside it; a number that nobody
// has published is absent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace wavesmith::gpus {

/// How a number came to be known.
enum class Kind : uint8_t { Read, Derived, Modelled, Measured };
std::string_view name_of(Kind kind);

/// The source of a number.
struct Source {
  std::string text;
  Kind kind = Kind::Read;
};

/// One GPU as HIP shows it (of a module with two dies: one die). Sizes are bytes unless a name says
/// otherwise.
struct Gpu {
  std::string id;            ///< "mi300x"
  std::string name;          ///< as HIP reports it: "AMD Instinct MI300X"
  std::string architecture;  ///< "CDNA3"
  std::string line;          ///< GPUs whose compute units are of one kind: "CDNA", "RDNA", "NVIDIA"
  double generation = 0;     ///< within the line: 3, 3.5
  std::string target;        ///< LLVM's processor: "gfx942"
  std::string arch_name;     ///< HIP's gcnArchName: "gfx942:sramecc+:xnack-"
  /// Whether the register files' ECC is on.
  [[nodiscard]] bool has_sram_ecc() const { return arch_name.find("sramecc+") != std::string::npos; }

  [[nodiscard]] bool is_cdna() const { return line == "CDNA"; }
  [[nodiscard]] bool is_rdna() const { return line == "RDNA"; }

  /// The number of files on which this one builds by `like`; 0: a generation's reference.
  uint32_t steps_from_reference = 0;
  bool predict_only = false;  ///< described for predictions; code for it cannot run here

  uint32_t pci_vendor = 0, pci_device = 0, pci_revision = 0;
  std::optional<uint32_t> mec_firmware;  ///< the version of the compute micro engine's
  bool is_apu = false;                   ///< one memory for CPU and GPU

  /// Links between the GPUs of a node (gpus/links.h): a square matrix, row by row, of how many join each
  /// pair; empty: there are none.
  std::string link_kind;  ///< "xGMI", "NVLink"; "PCIe": there are none, and GPUs meet over their slots
  std::vector<uint32_t> peer_links;
  bool switched_links = false;           ///< they lead to a switch: all pairs of a GPU share the same links
  double link_gigabytes_per_second = 0;  ///< of one link, one direction, peak
  double pcie_gigabytes_per_second = 0;  ///< of the slot, one direction, peak; 0: there is no slot

  uint32_t compute_units = 0;
  uint32_t units_per_workgroup_processor = 1;  ///< compute units that share a workgroup: 2 on RDNA
  uint32_t xcds = 1;                           ///< dies with compute units
  uint32_t simds_per_unit = 4;
  uint32_t shader_engines = 1, arrays_per_engine = 1;
  uint32_t waves_per_simd = 8;
  std::vector<uint32_t> wave_sizes;       ///< the first one is HIP's warpSize
  uint32_t max_workgroup = 1024;          ///< work-items
  uint32_t max_workgroups_per_unit = 16;  ///< of more than one wave: barriers are the limit

  uint32_t vgprs_per_simd = 0, vgprs_per_simd_wave64 = 0;  ///< registers per lane, shared by the SIMD's waves
  uint32_t vgpr_granule = 0, vgpr_granule_wave64 = 0;
  uint32_t vgprs_per_wave = 256;      ///< accumulation registers included where the file is unified
  bool unified_accumulation = false;  ///< VGPRs and accumulation VGPRs share one file
  uint32_t sgprs_per_simd = 0, sgpr_granule = 0, sgprs_per_wave = 0;

  uint32_t lds_bytes = 0;  ///< of one compute unit
  uint32_t lds_granule = 0, lds_per_workgroup = 0, lds_banks = 0, lds_read_bytes_per_clock = 0;
  /// In which phases LDS serves a wave, by the width of the access in bits (gpus/lds_phases.h says how the
  /// text is read); atomics are served as writes. Loads are those from memory to LDS: "as writes", or their
  /// own.
  std::string lds_read_b32, lds_read_b64, lds_read_b96, lds_read_b128;
  std::string lds_write_b32, lds_write_b64, lds_write_b96, lds_write_b128;
  std::string lds_load_b32, lds_load_b64, lds_load_b96, lds_load_b128;

  uint32_t engine_mhz = 0;  ///< the peak clock
  /// The peak clock under matrix instructions for operands of 32 bits and less, where it is a lower one.
  std::optional<uint32_t> matrix_mhz;
  uint32_t memory_mhz = 0;
  uint32_t realtime_mhz = 0;  ///< of s_memrealtime and wall_clock64()

  uint64_t memory_bytes = 0;
  std::string memory_type;             ///< "HBM3", "GDDR6"
  uint32_t memory_bits_per_clock = 0;  ///< that a pin moves in a clock of `memory_mhz`
  uint32_t memory_bus_bits = 0;
  double memory_gigabytes_per_second = 0;  ///< 10^9 bytes, peak

  uint32_t l1_vector_bytes = 0, l1_line_bytes = 0, l1_scalar_bytes = 0, l1_instruction_bytes = 0,
           units_per_scalar_cache = 1;
  uint64_t l2_bytes = 0;  ///< of one XCD, as the next two
  uint32_t l2_line_bytes = 0;
  std::optional<uint32_t> l2_channels, l2_bytes_per_clock_per_channel;
  uint64_t infinity_cache_bytes = 0;
  std::optional<double> infinity_cache_gigabytes_per_second;

  std::optional<uint32_t> l1_cycles, l2_cycles, infinity_cache_cycles, memory_cycles;  ///< load latency
  std::optional<uint32_t> store_cycles;   ///< until a store is acknowledged, which a wait for it waits for
  std::optional<uint32_t> scalar_cycles;  ///< a scalar load that hits

  /// What the levels sustain, as measured; the peaks stand above.
  std::optional<double> l1_bytes_per_clock, l2_bytes_per_clock_per_unit;
  std::optional<uint32_t> l1_misses;                  ///< lines that a unit's L1 waits for at once
  std::optional<double> stream_gigabytes_per_second;  ///< of memory, where kernels mix reads and writes
  std::optional<double> walks_per_microsecond;        ///< page-table entries fetched from behind the L2

  /// Launches: what the program's thread, the command processor and the dispatcher take.
  std::optional<double> launch_us;      ///< a launch on the program's thread
  std::optional<double> first_wave_us;  ///< from a packet's arrival at an idle queue to the first wave
  std::optional<double> kernel_gap_us;  ///< from a kernel's end to the first wave of the next one
  std::optional<double> event_us;       ///< from a kernel's end to the time that an event notes
  /// From the start of a workgroup, or a wave, to the next one on one XCD; the slower of both counts.
  std::optional<double> workgroup_clocks, wave_clocks;
  /// Copies between pageable memory of the host and the GPU's.
  std::optional<double> copy_us, copy_to_device, copy_to_host;
  /// Copies of up to so many bytes go through a pinned buffer, to or from which the program's thread copies
  /// at `copy_staging` GB/s; of larger ones the pages are pinned.
  std::optional<double> copy_staged_bytes, copy_staging;

  /// FLOP per clock and compute unit of the matrix instructions, by the type of their operands; 0: there are
  /// none.
  uint32_t matrix_f64 = 0, matrix_f32 = 0, matrix_xf32 = 0, matrix_f16 = 0, matrix_bf16 = 0, matrix_i8 = 0,
           matrix_f8 = 0, matrix_f6 = 0, matrix_f4 = 0;

  /// The same for vector instructions, packed or dual-issued where the GPU supports it. Lanes: those of a
  /// compute unit that start an f32 operation in a clock; an instruction that is neither packed nor
  /// dual-issued makes one multiply-add per lane.
  uint32_t vector_lanes = 0, vector_f64 = 0, vector_f32 = 0, vector_f16 = 0, vector_i8 = 0, vector_i32 = 0;

  /// The dense peaks that the vendor publishes for this GPU, in TFLOP/s or TOP/s: a test compares them with
  /// the rates, units and clocks above. No model reads them, and `like` does not inherit them.
  std::optional<double> sheet_vector_f64, sheet_vector_f32, sheet_vector_f16;
  std::optional<double> sheet_matrix_f64, sheet_matrix_f32, sheet_matrix_xf32, sheet_matrix_f16,
      sheet_matrix_bf16, sheet_matrix_i8, sheet_matrix_f8, sheet_matrix_f6, sheet_matrix_f4;

  uint32_t watts = 0;                   ///< peak board or module power
  std::optional<double> static_watts;   ///< what does not scale with the engine clock
  std::optional<double> voltage_floor;  ///< voltage at clock 0 over that at the peak; between them a line
  /// Energy of one FLOP of matrix instructions with random operands at the peak's voltage, including the
  /// transport of operands from the caches.
  std::optional<double> matrix_f16_pj, matrix_bf16_pj, matrix_f8_pj;

  /// Sustained rates of streams and busy matrix pipes, as opposed to the peaks above. Memory: reads and
  /// writes mixed, and reads alone; caches: of the whole GPU; the clock with all matrix pipes busy at peak
  /// power.
  std::optional<double> sustained_memory, sustained_read, sustained_infinity_cache, sustained_l2;
  std::optional<double> sustained_infinity_cache_write;  ///< writes alone, from the L2s
  /// Of memory, for a kernel on a previously idle GPU.
  std::optional<double> sustained_after_idle;
  std::optional<uint32_t> sustained_matrix_mhz;

  std::map<std::string, Source, std::less<>> sources;  ///< by the field's path, "compute.units"

  /// "HBM", or "memory" of other kinds: how predictions name the level.
  [[nodiscard]] std::string_view memory_name() const {
    return memory_type.starts_with("HBM") ? "HBM" : "memory";
  }
  /// What HIP calls multiprocessors: compute units on CDNA, workgroup processors on RDNA.
  [[nodiscard]] uint32_t multiprocessors() const { return compute_units / units_per_workgroup_processor; }
  /// What HIP calls the warp size.
  [[nodiscard]] uint32_t warp_size() const { return wave_sizes.empty() ? 64 : wave_sizes.front(); }
  [[nodiscard]] bool has_wave_size(uint32_t lanes) const;
};

/// A number of a Gpu: its path in the TOML file, its unit, what it is, and the member that holds it.
struct Field {
  using Member = std::variant<std::string Gpu::*, uint32_t Gpu::*, uint64_t Gpu::*, double Gpu::*,
                              bool Gpu::*, std::vector<uint32_t> Gpu::*, std::optional<uint32_t> Gpu::*,
                              std::optional<double> Gpu::*>;
  std::string_view path, unit;
  Member member;
  uint64_t least = 0;  ///< smallest value that makes sense, for numbers
};

/// Every field that a data file states, in the order of the file.
std::span<const Field> fields();

/// A field's value as text: "304", "true", "32, 64"; "unknown" when absent.
std::string value_text(const Gpu& gpu, const Field& field);

/// The ids of the GPUs that are built in, sorted.
std::span<const std::string_view> ids();

/// The built-in GPU of that id, or the one that a TOML file describes (`which` then ends in ".toml" or has a
/// '/'). "mi300x+compute.units=8+memory.bytes=1073741824" changes fields. The result lives as long as the
/// process.
Result<const Gpu*> find_gpu(std::string_view which);

/// The devices of a machine: "mi300x", "mi300x:8" (eight of them), "mi300x:2,mi210" (three). A GPU that is
/// described for predictions only is refused.
Result<std::vector<const Gpu*>> find_machine(std::string_view devices);

/// A machine in words: "AMD Instinct MI300X (gfx942)", "8 x AMD Instinct MI300X (gfx942), AMD Instinct MI210
/// (gfx90a)".
std::string describe(std::span<const Gpu* const> machine);

/// Every built-in GPU, sorted by id.
std::vector<const Gpu*> gpus();

/// The same, ordered by preference as the representative of a target: cards before APUs, a generation's
/// reference before GPUs that are like it.
std::vector<const Gpu*> usual_first();

/// A GPU from the text of a data file; `file` is named in errors. The id is the file's name without ".toml".
Result<Gpu> parse_gpu(std::string_view text, std::string_view file);

}  // namespace wavesmith::gpus
