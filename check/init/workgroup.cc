#include "check/init/workgroup.h"

#include <algorithm>
#include <bit>

#include "object/kernel.h"

namespace wavesmith::check::init {
namespace {

namespace reg = isa::reg;
using isa::RegisterRange;

/// How many SGPRs the command processor fills (emulate/run/initial_registers.cc).
uint32_t filled_sgprs(const object::Descriptor& descriptor, const isa::Target& target) {
  uint32_t user = 4 * descriptor.private_segment_buffer() + 2 * descriptor.dispatch_ptr() +
                  2 * descriptor.queue_ptr() + 2 * descriptor.kernarg_segment_ptr() +
                  2 * descriptor.dispatch_id() + 2 * descriptor.flat_scratch_init() +
                  descriptor.private_segment_size() + (descriptor.kernarg_preload & 0x7fu);
  user = std::max(user, descriptor.user_sgprs());
  if (target.is(isa::kRdna4)) return user;
  for (int axis = 0; axis < 3; ++axis) user += descriptor.workgroup_id(axis);
  user += descriptor.workgroup_info();
  // Behind them stands the wave's offset in scratch, where the compiler asks for one.
  return user + (target.has_architected_scratch() ? 0 : descriptor.compute_pgm_rsrc2 & 1);
}

}  // namespace

Workgroup::Workgroup(LaunchListener& launch, const emulate::WorkgroupView& view)
    : launch_(launch), id_(view.id), lds_(launch.pool.take_lds()) {
  lds_->begin(view.lds_size);
}

// The scheduler may keep a listener for longer than its launch.
void Workgroup::ends() {
  for (auto& wave : waves_)
    if (wave) launch_.pool.put(std::move(wave));
  launch_.pool.put(std::move(lds_));
}

void Workgroup::wave_begins(const emulate::WaveView& view) {
  if (waves_.size() <= view.index()) waves_.resize(view.index() + 1);
  auto& wave = waves_[view.index()];
  if (!wave) wave = launch_.pool.take_wave();
  wave->begin();
  wave->define(reg::kVgpr, ~uint64_t{0});
  const uint32_t filled = filled_sgprs(launch_.launch.kernel.fields, launch_.launch.target);
  const auto define = [&](uint32_t first, uint32_t count) {
    for (uint32_t r = first; r < first + count; ++r) wave->set_scalar(static_cast<uint16_t>(r), 0, false, 0);
  };
  define(reg::kSgpr, std::min<uint32_t>(filled, 106));
  define(reg::kTtmp, 16);
  define(reg::kExec, 2);
}

void Workgroup::instruction(const emulate::WaveView& view, const emulate::Site& site) {
  ++event_;
  const Plan& plan = launch_.plan(site);
  WaveShadow& wave = *waves_[view.index()];
  wave.next_dword = wave.next_place = 0;
  if (!plan.registers.meet(wave.dirty_words())) return;
  wave_ = &wave;
  site_ = &site;
  number_ = view.index();
  exec_ = view.exec();
  follow(view, plan);
}

void Workgroup::follow(const emulate::WaveView& view, const Plan& plan) {
  switch (plan.kind) {
    case Plan::Kind::Nothing:
      return;
    case Plan::Kind::Steps: {
      Flow flow(*wave_, view, *this);
      const Flow::Exec exec = flow.run(plan.steps, plan.matrix.get());
      if (exec.undefined) tell(Use::Branch, exec.undefined, exec.taint.origin);
      return;
    }
    case Plan::Kind::Memory:
      check_addresses(view, plan);
      define_result(view, plan);
      return;
    case Plan::Kind::Branch:
      return check_branch(view, plan);
    case Plan::Kind::Jump:
      check_addresses(view, plan);
      [[fallthrough]];
    case Plan::Kind::Defines:
      for (const RegisterRange& range : plan.writes)
        for (int i = 0; i < range.count; ++i) {
          const auto r = static_cast<uint16_t>(range.first + i);
          is_vector(r) ? wave_->define(r, exec_) : wave_->set_scalar(r, 0, false, 0);
        }
      return;
    case Plan::Kind::Forgets:
      wave_->define_all_vectors();
      for (uint16_t r = reg::kSgpr; r < reg::kCount; ++r) wave_->set_scalar(r, 0, false, 0);
      return;
  }
}

void Workgroup::check_addresses(const emulate::WaveView& view, const Plan& plan) {
  const uint64_t every = view.lanes() == 64 ? ~uint64_t{0} : 0xffffffffu;
  const bool scalar = site_->row && site_->row->shape == isa::Shape::Memory && site_->row->access.scalar;
  if (!scalar && exec_ == 0) return;
  for (const RegisterRange& range : plan.addresses) {
    bool undefined = false;
    uint64_t lanes = 0;
    uint32_t origin = kNeverWritten;
    for (int i = range.count - 1; i >= 0; --i) {
      const auto r = static_cast<uint16_t>(range.first + i);
      if (!wave_->dirty(r)) continue;
      const bool vector = is_vector(r);
      const uint64_t here = vector ? wave_->row(r).lanes() & exec_ & every : 0;
      if (vector && !here) continue;
      undefined = true;
      lanes |= here;
      origin = first_read(r, vector ? wave_->row(r).origin : wave_->scalar(r).origin);
      // What was told of once is not told of again.
      vector ? wave_->define(r, here) : wave_->set_scalar(r, 0, false, 0);
    }
    if (undefined) tell(Use::Address, lanes, origin);
  }
}

void Workgroup::check_branch(const emulate::WaveView& view, const Plan& plan) {
  using Flag = isa::BranchCondition::Flag;
  if (plan.condition.flag == Flag::Scc) {
    const Scalar& scc = wave_->scalar(reg::kScc);
    if (!(scc.bits & 1)) return;
    tell(Use::Branch, 0, first_read(reg::kScc, scc.origin));
    return wave_->set_scalar(reg::kScc, 0, false, 0);
  }
  if (plan.condition.flag != Flag::Vcc) return;
  // A lane that is there decides it, whatever the others are.
  uint64_t undefined = 0, set = 0;
  uint16_t where = reg::kVcc;
  const uint16_t words = view.lanes() == 64 ? 2 : 1;
  for (uint16_t i = 0; i < words; ++i) {
    const Scalar& vcc = wave_->scalar(static_cast<uint16_t>(reg::kVcc + i));
    if (vcc.bits) where = static_cast<uint16_t>(reg::kVcc + i);
    undefined |= uint64_t{vcc.bits} << (32 * i);
    set |= uint64_t{view.sgpr(reg::kVcc - reg::kSgpr + i) & ~vcc.bits} << (32 * i);
  }
  if (!undefined || set) return;
  tell(Use::Branch, undefined, first_read(where, wave_->scalar(where).origin));
  for (uint16_t i = 0; i < 2; ++i) wave_->set_scalar(static_cast<uint16_t>(reg::kVcc + i), 0, false, 0);
}

/// What a load brings is defined unless access() says otherwise.
void Workgroup::define_result(const emulate::WaveView&, const Plan& plan) {
  const isa::Access& access = site_->row->access;
  const uint32_t mask = !plan.merges ? ~uint32_t{0} : access.high ? 0xffff0000u : 0xffffu;
  // Transposing loads go by all lanes.
  const bool all = access.lane >= isa::LdsLane::Transpose16 || access.transposes;
  for (int i = 0; i < plan.result.count; ++i) {
    const auto r = static_cast<uint16_t>(plan.result.first + i);
    is_vector(r) ? wave_->define(r, all ? ~uint64_t{0} : exec_, mask) : wave_->set_scalar(r, 0, false, 0);
  }
}

uint32_t Workgroup::first_read(uint16_t r, uint32_t origin) {
  if (origin != kNeverWritten) return origin;
  return origins_.add(
      {.kind = Origin::Kind::Register, .where = r, .site = site_, .wave = number_, .lanes = 0});
}

uint32_t Workgroup::loaded(Origin::Kind kind, uint64_t where, uint64_t lanes) {
  return origins_.add({.kind = kind, .where = where, .site = site_, .wave = number_, .lanes = lanes});
}

void Workgroup::tell(Use use, uint64_t lanes, uint32_t origin) {
  const User user{*site_, id_, number_, lanes, event_};
  report([&](const auto&... finding) { launch_.findings.add(finding...); }, launch_.launch, use, user,
         origins_.at(origin));
}

void Workgroup::hand_over(const Access& access, uint64_t lanes, uint32_t origin) {
  const User user{*site_, id_, number_, access.scalar ? 0 : lanes, event_};
  report(
      [&](const auto&... finding) {
        for (uint64_t left = lanes; left; left &= left - 1)
          launch_.handed_over.add(access.address[std::countr_zero(left)], access.bytes, finding...);
      },
      launch_.launch, Use::HandedOver, user, origins_.at(origin));
}

std::unique_ptr<emulate::WorkgroupListener> LaunchListener::workgroup(const emulate::WorkgroupView& view) {
  return std::make_unique<Workgroup>(*this, view);
}

std::unique_ptr<WaveShadow> ShadowPool::take_wave() {
  const std::scoped_lock lock(mutex_);
  if (waves_.empty()) return std::make_unique<WaveShadow>();
  auto wave = std::move(waves_.back());
  waves_.pop_back();
  return wave;
}
void ShadowPool::put(std::unique_ptr<WaveShadow> wave) {
  const std::scoped_lock lock(mutex_);
  waves_.push_back(std::move(wave));
}
std::unique_ptr<LdsShadow> ShadowPool::take_lds() {
  const std::scoped_lock lock(mutex_);
  if (lds_.empty()) return std::make_unique<LdsShadow>();
  auto lds = std::move(lds_.back());
  lds_.pop_back();
  return lds;
}
void ShadowPool::put(std::unique_ptr<LdsShadow> lds) {
  const std::scoped_lock lock(mutex_);
  lds_.push_back(std::move(lds));
}

}  // namespace wavesmith::check::init
