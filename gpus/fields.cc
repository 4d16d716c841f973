// The fields of a data file, in its order. A new number is a line here and a member of Gpu.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpus/gpu.h"

namespace wavesmith::gpus {
namespace {

// clang-format off
const Field kFields[] = {
    {"name", "", &Gpu::name},
    {"architecture", "", &Gpu::architecture},
    {"target", "", &Gpu::target},
    {"arch_name", "", &Gpu::arch_name},
    {"predict_only", "", &Gpu::predict_only},
    {"line.name", "", &Gpu::line},
    {"line.generation", "", &Gpu::generation, 1},
    {"pci.vendor", "", &Gpu::pci_vendor},
    {"pci.device", "", &Gpu::pci_device},
    {"pci.revision", "", &Gpu::pci_revision},
    {"firmware.mec", "", &Gpu::mec_firmware},
    {"links.over", "", &Gpu::link_kind},
    {"links.peers", "links", &Gpu::peer_links},
    {"links.switched", "", &Gpu::switched_links},
    {"links.gigabytes_per_second", "GB/s", &Gpu::link_gigabytes_per_second},
    {"links.pcie_gigabytes_per_second", "GB/s", &Gpu::pcie_gigabytes_per_second},
    {"memory_model.is_apu", "", &Gpu::is_apu},
    {"compute.units", "", &Gpu::compute_units, 1},
    {"compute.units_per_workgroup_processor", "", &Gpu::units_per_workgroup_processor, 1},
    {"compute.xcds", "", &Gpu::xcds, 1},
    {"compute.simds_per_unit", "", &Gpu::simds_per_unit, 1},
    {"compute.shader_engines", "", &Gpu::shader_engines, 1},
    {"compute.arrays_per_engine", "", &Gpu::arrays_per_engine, 1},
    {"compute.waves_per_simd", "", &Gpu::waves_per_simd, 1},
    {"compute.wave_sizes", "lanes", &Gpu::wave_sizes},
    {"compute.max_workgroup", "work-items", &Gpu::max_workgroup, 1},
    {"compute.max_workgroups_per_unit", "", &Gpu::max_workgroups_per_unit, 1},
    {"registers.vgprs_per_simd", "", &Gpu::vgprs_per_simd, 1},
    {"registers.vgprs_per_simd_wave64", "", &Gpu::vgprs_per_simd_wave64, 1},
    {"registers.vgpr_granule", "", &Gpu::vgpr_granule, 1},
    {"registers.vgpr_granule_wave64", "", &Gpu::vgpr_granule_wave64, 1},
    {"registers.vgprs_per_wave", "", &Gpu::vgprs_per_wave, 1},
    {"registers.unified_accumulation", "", &Gpu::unified_accumulation},
    {"registers.sgprs_per_simd", "", &Gpu::sgprs_per_simd, 1},
    {"registers.sgpr_granule", "", &Gpu::sgpr_granule, 1},
    {"registers.sgprs_per_wave", "", &Gpu::sgprs_per_wave, 1},
    {"lds.bytes", "B", &Gpu::lds_bytes, 1},
    {"lds.granule", "B", &Gpu::lds_granule, 1},
    {"lds.max_per_workgroup", "B", &Gpu::lds_per_workgroup, 1},
    {"lds.banks", "", &Gpu::lds_banks, 1},
    {"lds.read_bytes_per_clock", "B", &Gpu::lds_read_bytes_per_clock, 1},
    {"lds_phases.read_b32", "", &Gpu::lds_read_b32},
    {"lds_phases.read_b64", "", &Gpu::lds_read_b64},
    {"lds_phases.read_b96", "", &Gpu::lds_read_b96},
    {"lds_phases.read_b128", "", &Gpu::lds_read_b128},
    {"lds_phases.write_b32", "", &Gpu::lds_write_b32},
    {"lds_phases.write_b64", "", &Gpu::lds_write_b64},
    {"lds_phases.write_b96", "", &Gpu::lds_write_b96},
    {"lds_phases.write_b128", "", &Gpu::lds_write_b128},
    {"lds_phases.load_b32", "", &Gpu::lds_load_b32},
    {"lds_phases.load_b64", "", &Gpu::lds_load_b64},
    {"lds_phases.load_b96", "", &Gpu::lds_load_b96},
    {"lds_phases.load_b128", "", &Gpu::lds_load_b128},
    {"clocks.engine_mhz", "MHz", &Gpu::engine_mhz, 1},
    {"clocks.matrix_mhz", "MHz", &Gpu::matrix_mhz, 1},
    {"clocks.memory_mhz", "MHz", &Gpu::memory_mhz, 1},
    {"clocks.realtime_mhz", "MHz", &Gpu::realtime_mhz, 1},
    {"memory.bytes", "B", &Gpu::memory_bytes, 1u << 20},
    {"memory.type", "", &Gpu::memory_type},
    {"memory.bits_per_clock", "bit", &Gpu::memory_bits_per_clock, 1},
    {"memory.bus_bits", "bit", &Gpu::memory_bus_bits, 1},
    {"memory.gigabytes_per_second", "GB/s", &Gpu::memory_gigabytes_per_second, 1},
    {"cache.l1_vector_bytes", "B", &Gpu::l1_vector_bytes, 1},
    {"cache.l1_line_bytes", "B", &Gpu::l1_line_bytes, 1},
    {"cache.l1_scalar_bytes", "B", &Gpu::l1_scalar_bytes, 1},
    {"cache.l1_instruction_bytes", "B", &Gpu::l1_instruction_bytes, 1},
    {"cache.units_per_scalar_cache", "", &Gpu::units_per_scalar_cache, 1},
    {"cache.l2_bytes", "B", &Gpu::l2_bytes, 1},
    {"cache.l2_line_bytes", "B", &Gpu::l2_line_bytes, 1},
    {"cache.l2_channels", "", &Gpu::l2_channels, 1},
    {"cache.l2_bytes_per_clock_per_channel", "B", &Gpu::l2_bytes_per_clock_per_channel, 1},
    {"cache.infinity_cache_bytes", "B", &Gpu::infinity_cache_bytes},
    {"cache.infinity_cache_gigabytes_per_second", "GB/s", &Gpu::infinity_cache_gigabytes_per_second},
    {"latency.l1_cycles", "clocks", &Gpu::l1_cycles, 1},
    {"latency.l2_cycles", "clocks", &Gpu::l2_cycles, 1},
    {"latency.infinity_cache_cycles", "clocks", &Gpu::infinity_cache_cycles, 1},
    {"latency.memory_cycles", "clocks", &Gpu::memory_cycles, 1},
    {"pace.store_cycles", "clocks", &Gpu::store_cycles, 1},
    {"pace.scalar_cycles", "clocks", &Gpu::scalar_cycles, 1},
    {"pace.l1_bytes_per_clock", "B", &Gpu::l1_bytes_per_clock},
    {"pace.l2_bytes_per_clock_per_unit", "B", &Gpu::l2_bytes_per_clock_per_unit},
    {"pace.l1_misses", "lines", &Gpu::l1_misses, 1},
    {"pace.memory_gigabytes_per_second", "GB/s", &Gpu::stream_gigabytes_per_second},
    {"pace.walks_per_microsecond", "", &Gpu::walks_per_microsecond},
    {"launch.call_us", "us", &Gpu::launch_us},
    {"launch.first_wave_us", "us", &Gpu::first_wave_us},
    {"launch.gap_us", "us", &Gpu::kernel_gap_us},
    {"launch.event_us", "us", &Gpu::event_us},
    {"launch.workgroup_clocks", "clocks", &Gpu::workgroup_clocks},
    {"launch.wave_clocks", "clocks", &Gpu::wave_clocks},
    {"copy.call_us", "us", &Gpu::copy_us},
    {"copy.to_device_gigabytes_per_second", "GB/s", &Gpu::copy_to_device},
    {"copy.to_host_gigabytes_per_second", "GB/s", &Gpu::copy_to_host},
    {"copy.staged_bytes", "B", &Gpu::copy_staged_bytes},
    {"copy.staging_gigabytes_per_second", "GB/s", &Gpu::copy_staging},
    {"matrix.f64", "FLOP/clk/CU", &Gpu::matrix_f64},
    {"matrix.f32", "FLOP/clk/CU", &Gpu::matrix_f32},
    {"matrix.xf32", "FLOP/clk/CU", &Gpu::matrix_xf32},
    {"matrix.f16", "FLOP/clk/CU", &Gpu::matrix_f16},
    {"matrix.bf16", "FLOP/clk/CU", &Gpu::matrix_bf16},
    {"matrix.i8", "OP/clk/CU", &Gpu::matrix_i8},
    {"matrix.f8", "FLOP/clk/CU", &Gpu::matrix_f8},
    {"matrix.f6", "FLOP/clk/CU", &Gpu::matrix_f6},
    {"matrix.f4", "FLOP/clk/CU", &Gpu::matrix_f4},
    {"vector.lanes", "lanes", &Gpu::vector_lanes, 1},
    {"vector.f64", "FLOP/clk/CU", &Gpu::vector_f64, 1},
    {"vector.f32", "FLOP/clk/CU", &Gpu::vector_f32, 1},
    {"vector.f16", "FLOP/clk/CU", &Gpu::vector_f16, 1},
    {"vector.i8", "OP/clk/CU", &Gpu::vector_i8, 1},
    {"vector.i32", "OP/clk/CU", &Gpu::vector_i32, 1},
    {"data_sheet.vector_f64", "TFLOP/s", &Gpu::sheet_vector_f64},
    {"data_sheet.vector_f32", "TFLOP/s", &Gpu::sheet_vector_f32},
    {"data_sheet.vector_f16", "TFLOP/s", &Gpu::sheet_vector_f16},
    {"data_sheet.matrix_f64", "TFLOP/s", &Gpu::sheet_matrix_f64},
    {"data_sheet.matrix_f32", "TFLOP/s", &Gpu::sheet_matrix_f32},
    {"data_sheet.matrix_xf32", "TFLOP/s", &Gpu::sheet_matrix_xf32},
    {"data_sheet.matrix_f16", "TFLOP/s", &Gpu::sheet_matrix_f16},
    {"data_sheet.matrix_bf16", "TFLOP/s", &Gpu::sheet_matrix_bf16},
    {"data_sheet.matrix_i8", "TOP/s", &Gpu::sheet_matrix_i8},
    {"data_sheet.matrix_f8", "TFLOP/s", &Gpu::sheet_matrix_f8},
    {"data_sheet.matrix_f6", "TFLOP/s", &Gpu::sheet_matrix_f6},
    {"data_sheet.matrix_f4", "TFLOP/s", &Gpu::sheet_matrix_f4},
    {"sustained.memory_gigabytes_per_second", "GB/s", &Gpu::sustained_memory, 1},
    {"sustained.read_gigabytes_per_second", "GB/s", &Gpu::sustained_read, 1},
    {"sustained.after_idle_gigabytes_per_second", "GB/s", &Gpu::sustained_after_idle, 1},
    {"sustained.infinity_cache_gigabytes_per_second", "GB/s", &Gpu::sustained_infinity_cache, 1},
    {"sustained.infinity_cache_write_gigabytes_per_second", "GB/s", &Gpu::sustained_infinity_cache_write, 1},
    {"sustained.l2_gigabytes_per_second", "GB/s", &Gpu::sustained_l2, 1},
    {"sustained.matrix_mhz", "MHz", &Gpu::sustained_matrix_mhz, 1},
    {"power.watts", "W", &Gpu::watts, 1},
    {"power.static_watts", "W", &Gpu::static_watts},
    {"power.voltage_floor", "", &Gpu::voltage_floor},
    {"power.matrix_f16_pj", "pJ/FLOP", &Gpu::matrix_f16_pj},
    {"power.matrix_bf16_pj", "pJ/FLOP", &Gpu::matrix_bf16_pj},
    {"power.matrix_f8_pj", "pJ/FLOP", &Gpu::matrix_f8_pj},
};
// clang-format on

std::string text_of(const std::string& value) { return value; }
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(uint32_t value) { return fmt::to_string(value); }
std::string text_of(uint64_t value) { return fmt::to_string(value); }
std::string text_of(double value) { return fmt::format("{:g}", value); }
std::string text_of(const std::vector<uint32_t>& value) { return fmt::format("{}", fmt::join(value, ", ")); }
template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "unknown";
}

}  // namespace

std::span<const Field> fields() { return kFields; }

std::string value_text(const Gpu& gpu, const Field& field) {
  return std::visit([&](auto member) { return text_of(gpu.*member); }, field.member);
}

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::Read:
      return "read";
    case Kind::Derived:
      return "derived";
    case Kind::Modelled:
      return "modelled";
    case Kind::Measured:
      return "measured";
  }
  return "unknown";
}

bool Gpu::has_wave_size(uint32_t lanes) const {
  for (uint32_t size : wave_sizes)
    if (size == lanes) return true;
  return false;
}

}  // namespace wavesmith::gpus
