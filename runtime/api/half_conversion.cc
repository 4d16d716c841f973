// Conversions between half and single precision that compilers call, exported because programs link to
// libamdhip64 for them. The bits go through integer registers, as these functions' names stand for.
#include <cstring>

extern "C" __attribute__((visibility("default"))) float __gnu_h2f_ieee(unsigned short half) {
  _Float16 value;
  std::memcpy(&value, &half, sizeof value);
  return static_cast<float>(value);
}

extern "C" __attribute__((visibility("default"))) unsigned short __gnu_f2h_ieee(float single) {
  const auto value = static_cast<_Float16>(single);
  unsigned short half;
  std::memcpy(&half, &value, sizeof half);
  return half;
}
