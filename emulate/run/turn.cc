#include "emulate/run/turn.h"

#include <algorithm>
#include <utility>

#include "emulate/run/host_mode.h"

namespace wavesmith::emulate {
namespace {

/// The host's floating-point mode is set for one wave at a time.
bool needs_no_mode(Wave& wave) { return is_default_mode(wave.s[scalar_index::kMode]); }

}  // namespace

void grant(Workgroup& group, int64_t slice) {
  const bool alternate = !group.listener && group.waves.size() > 1 && slice > 0;
  for (Wave* const wave : group.waves) {
    wave->budget = 0;
    wave->kept = slice;
    wave->share = alternate ? Share::MayGiveWay : Share::AtOnce;
    wave->may_wait = wave->slept = 0;
  }
}

void take_up(Wave& wave) {
  wave.budget = wave.kept;
  wave.kept = 0;
  wave.group->running = &wave;
}

Wave* give_way(Wave& wave) {
  wave.kept += wave.budget;
  wave.budget = 0;
  if (wave.kept <= 0) return nullptr;
  const Workgroup& group = *wave.group;
  const size_t count = group.waves.size();
  Wave* next = &wave;
  if (needs_no_mode(wave)) {
    size_t place = wave.place;
    for (size_t i = 1; i < count; ++i) {
      if (++place == count) place = 0;
      Wave* const other = group.waves[place];
      if (other->status == Status::Ready && other->share == Share::MayGiveWay && needs_no_mode(*other)) {
        next = other;
        break;
      }
    }
  }
  if (next != &wave) next->streamed |= std::exchange(wave.streamed, 0);
  take_up(*next);
  return next;
}

bool has_given_way(const Workgroup& group, int64_t slice) {
  return std::any_of(group.waves.begin(), group.waves.end(), [&](const Wave* wave) {
    return wave->share == Share::MayGiveWay && wave->status == Status::Ready && wave->kept < slice;
  });
}

int64_t executed(const Workgroup& group, int64_t slice) {
  int64_t all = 0;
  for (const Wave* const wave : group.waves) all += slice - wave->kept - wave->budget;
  return all;
}

}  // namespace wavesmith::emulate
