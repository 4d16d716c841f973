#include "check/hazard/scalar_reads.h"

#include <fmt/format.h>

namespace wavesmith::check::hazard {
namespace {

constexpr size_t kVcc = isa::reg::kVcc - isa::reg::kSgpr;

template <class Do>
void each(const Registers& registers, Do what) {
  for (const isa::RegisterRange range : registers)
    for (size_t i = range.first; i < size_t{range.first} + range.count; ++i)
      if (i != isa::reg::kM0) what(i - isa::reg::kSgpr);
}

bool is_vcc(size_t scalar) { return scalar == kVcc || scalar == kVcc + 1; }

}  // namespace

bool ScalarReads::reads_pending(const emulate::Site& site, const Parts& parts, Happened& happened) {
  bool waits = false;
  if (parts.salu) {
    // The SALU waits for what the VALU writes.
    bool vcc = false, other = false;
    each(parts.scalar_reads, [&](size_t scalar) { (is_vcc(scalar) ? vcc : other) = true; });
    for (size_t i = 0; i < kScalars; ++i)
      if (by_valu_[i] && (is_vcc(i) ? vcc : other)) pending_[i] = false;
  }
  each(parts.scalar_reads, [&](size_t scalar) {
    if (waits || !pending_[scalar]) return;
    waits = true;
    const bool valu = by_valu_[scalar];
    const std::string name = name_of({static_cast<uint16_t>(isa::reg::kSgpr + scalar), 1});
    const std::string_view field = !valu ? "sa_sdst" : is_vcc(scalar) ? "va_vcc" : "va_sdst";
    const std::string_view reader = watches_all_ ? "the VALU had read it" : "the VALU had read it as a mask";
    happened = {
        .rule = watches_all_ ? "sgpr-reread" : "mask-overwritten",
        .certain = watches_all_ ? Certain::WhereCompiled : Certain::Always,
        .first = writers_[scalar],
        .second = &site,
        .did = fmt::format("{} written after {}", name, reader),
        .does = name + " read",
        .what = fmt::format("{} is read after a {} instruction wrote it, before which {}: the new value "
                            "may not be there, and the hardware does not wait",
                            name, valu ? "VALU" : "SALU", reader),
        .fix = fmt::format("put {} depctr_{}(0) between the two",
                           watches_all_ ? "s_wait_alu" : "s_waitcnt_depctr", field)};
    pending_[scalar] = false;
  });
  return waits;
}

void ScalarReads::note(const emulate::Site& site, const Parts& parts) {
  nops_seen_ = 0;
  if (parts.valu) {
    if (watches_all_)
      each(parts.scalar_reads, [&](size_t scalar) { read_[scalar] = read_[scalar ^ 1] = true; });
    else
      each(parts.masks, [&](size_t scalar) { read_[scalar] = true; });
  }
  each(parts.scalar_writes, [&](size_t scalar) {
    pending_[scalar] = read_[scalar];
    by_valu_[scalar] = parts.valu;
    writers_[scalar] = &site;
    if (!watches_all_) read_[scalar] = false;
  });
}

void ScalarReads::pass(const Parts& parts) {
  const Drains& drains = parts.drains;
  const bool idle = parts.in->mnemonic == "ds_nop";
  nops_seen_ = idle ? nops_seen_ + 1 : 0;
  if (idle && watches_all_ && nops_seen_ >= nops_) read_.reset();
  if (pending_.none()) return;
  each(parts.scalar_writes, [&](size_t scalar) { pending_[scalar] = false; });  // a load
  // RDNA4: vector memory other than flat, and scalar memory, wait.
  if (watches_all_ &&
      (parts.pipe == isa::Pipe::Smem ||
       (parts.pipe == isa::Pipe::Vmem && parts.in->mnemonic.find("buffer_") != std::string::npos)))
    pending_.reset();
  Scalars vcc;
  vcc[kVcc] = vcc[kVcc + 1] = true;
  if (drains.scalar) forget(~by_valu_);
  if (drains.vector_scalar) forget(by_valu_ & ~vcc);
  if (drains.vector_vcc) forget(by_valu_ & vcc);
}

}  // namespace wavesmith::check::hazard
