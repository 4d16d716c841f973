#include "check/hazard/release.h"

namespace wavesmith::check::hazard {

Happened Release::too_close(const emulate::Site& site) const {
  return {.rule = "release-nop",
          .first = last_ ? last_ : &site,
          .second = &site,
          .did = "issued right before",
          .does = "gives back the wave's VGPRs",
          .what = "MSG_DEALLOC_VGPRS is sent without s_nop right before it, which the hardware needs",
          .fix = "put s_nop 0 right before s_sendmsg"};
}

Happened Release::too_early(const emulate::Site& site) const {
  return {.rule = "release-scratch",
          .first = scratch_,
          .second = &site,
          .did = "a store to scratch memory, perhaps still under way",
          .does = "gives back the wave's VGPRs",
          .what = "MSG_DEALLOC_VGPRS is sent while a store to scratch memory may be under way",
          .fix = "wait for stores before s_sendmsg, or end the wave without it"};
}

}  // namespace wavesmith::check::hazard
