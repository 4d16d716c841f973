#!/usr/bin/env bash
# ROCm's commands below `wavesmith run`, parsed as common scripts parse them. Usage: tests/rocm_test.sh PATH_OF_WAVESMITH
set -euo pipefail
wavesmith=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export WAVESMITH_CACHE=$scratch/cache WAVESMITH_MACHINE=1 WAVESMITH_QUIET=1
unset ROCM_PATH HIP_PATH WAVESMITH_HIP_VERSION

below() { "$wavesmith" run --gpu mi300x:2 -- sh -c "$1"; }
expect() {  # WHAT EXPECTED GOT
  [ "$2" = "$3" ] || { echo "$1: '$3', not '$2'"; exit 1; }
}

# Everything that tells a version tells one, and WAVESMITH_HIP_VERSION changes all of it.
versions='hipconfig --version | cut -d. -f1,2; hipcc --version | sed -n "s/^HIP version: \([0-9]*\.[0-9]*\).*/\1/p"
  cut -d. -f1,2 "$ROCM_PATH/.info/version"; amd-smi version | sed "s/.*ROCm version: \([0-9]*\.[0-9]*\).*/\1/"
  sed -n "s/^HIP_VERSION_M[AI][JN]OR=//p" "$ROCM_PATH/share/hip/version" | paste -sd.
  sed -n "s/.*define ROCM_VERSION_M[AI][JN]OR //p" "$ROCM_PATH/include/rocm-core/rocm_version.h" | paste -sd.'
release=$(below "$versions" | sort | uniq -c | sed 's/^ *//')
[[ $release =~ ^6\ [0-9]+\.[0-9]+$ ]] || { echo "not six times one version: $release"; exit 1; }
expect "the version that is asked for" "6 6.3" "$(WAVESMITH_HIP_VERSION=6.3 below "$versions" | sort | uniq -c | sed 's/^ *//')"

# vLLM's setup.py asks the library.
below 'python3 - "$ROCM_PATH"' > "$scratch/core" <<'END'
import ctypes, sys
numbers = [ctypes.c_uint() for _ in range(3)]
assert ctypes.CDLL(sys.argv[1] + "/lib/librocm-core.so").getROCmVersion(*map(ctypes.byref, numbers)) == 0
print(f"{numbers[0].value}.{numbers[1].value}")
END
expect "librocm-core's version" "${release#6 }" "$(cat "$scratch/core")"

# PyTorch, TileLang, aiter, vLLM, llama.cpp: the target.
expect "rocminfo's targets" "gfx942 gfx942" "$(below 'rocminfo' | sed -n 's/^  Name: *\(gfx[0-9a-f]*\) *$/\1/p' | paste -sd' ')"
expect "rocminfo | grep" "gfx942" "$(below 'rocminfo | grep -o -m1 "gfx[0-9a-f]*" | head -1')"
expect "rocm_agent_enumerator" "gfx942 gfx942" "$(below 'rocm_agent_enumerator' | paste -sd' ')"

# Where ROCm is, and for which platform (CMake's HIP language, CuPy, PennyLane).
expect "hipconfig's paths" yes "$(below '[ "$(hipconfig --path)" = "$ROCM_PATH" ] && [ "$(hipconfig -R)" = "$ROCM_PATH" ] && echo yes')"
expect "hipconfig's platform" "amd clang rocclr" "$(below 'echo $(hipconfig --platform) $(hipconfig --compiler) $(hipconfig --runtime)')"
below 'case $(hipconfig --cpp_config) in *-D__HIP_PLATFORM_AMD__*-I*) ;; *) exit 1 ;; esac'
! below 'hipconfig --bogus' 2> "$scratch/error" || exit 1
grep -q -e "--bogus" "$scratch/error"

# Monitors parse JSON and CSV.
below 'rocm-smi --showproductname --showmeminfo vram --showtopo --json' > "$scratch/smi.json"
below 'amd-smi static --json' > "$scratch/static.json"
below 'amd-smi list --json' > "$scratch/list.json"
python3 - "$scratch" <<'END'
import json, sys
smi, static, cards = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("smi", "static", "list"))
assert smi["card1"]["GFX Version"] == "gfx942" and int(smi["card0"]["VRAM Total Memory (B)"]) == 192 << 30, smi
assert smi["card0"]["GUID"] == str(cards[0]["kfd_id"]) != smi["card1"]["GUID"], (smi, cards)
assert smi["system"]["(Topology) Link type between DRM devices 0 and 1"] in ("PCIE", "XGMI"), smi
assert [card["asic"]["target_graphics_version"] for card in static["gpu_data"]] == ["gfx942"] * 2, static
END
expect "rocm-smi's CSV" 3 "$(below 'rocm-smi --showbus --csv' | grep -c ,)"
expect "amd-smi's CSV" 3 "$(below 'amd-smi list --csv' | grep -c ,)"

# What programs read of the driver's files is what the commands say.
expect "the driver's number" "$(below 'cat /sys/class/kfd/kfd/topology/nodes/2/gpu_id')" \
  "$(below 'rocm-smi -i -d 1' | sed -n 's/.*GUID: *\t*//p')"

# The compiler by AMD's name: C++ for the host, and HIP.
echo 'int main() { return 7; }' > "$scratch/host.cpp"
below "amdclang++ --version | grep -q 'clang version' && cd '$scratch' && amdclang++ host.cpp -o host" ||
  { [ $? = 4 ] && exit 77; exit 1; }  # no compiler on this computer
code=0; "$scratch/host" || code=$?
expect "the host's program" 7 $code
echo '__attribute__((global)) void kernel(int* p) { *p = 1; }' > "$scratch/device.hip"
below "amdclang++ -x hip -nogpuinc -nogpulib --cuda-device-only --offload-arch=gfx1100 '$scratch/device.hip' -o '$scratch/device.co'"
expect "the device code" "gfx1100" "$("$wavesmith" disasm --json "$scratch/device.co" | grep -o -m1 gfx1100 | head -1)"
