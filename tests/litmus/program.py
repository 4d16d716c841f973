"""Writes a HIP program that runs litmus tests: a kernel for each shape and scope.

Every lane of a wave is an instance of its own, with variables of its own: 64 tries at once. In a grid the processes are
workgroups, each on a thread of the host; at workgroup scope they are waves, at wave scope lanes. They meet at a
barrier, then go through a batch of slots, each with other variables; in a grid they come to each together, or nearly
so, so that their accesses meet in many ways; then the first process counts the forbidden outcomes.
"""

from __future__ import annotations

import re

from shapes import Shape

LANES = 64
LANES_OF_A_WAVE = 8  # of each process, where up to four share a wave of 32
SLOTS = 64
REGISTERS = 2
MOST = 4  # processes, and variables
_ORDER = {
    "rlx": "__ATOMIC_RELAXED",
    "acq": "__ATOMIC_ACQUIRE",
    "rel": "__ATOMIC_RELEASE",
    "ar": "__ATOMIC_ACQ_REL",
    "sc": "__ATOMIC_SEQ_CST",
}

# Scope: how the processes lie, HIP's name of the scope, the fence's, and where the variables are.
SCOPES = {
    "agent": ("grid", "__HIP_MEMORY_SCOPE_AGENT", "agent", "global"),
    "system": ("grid", "__HIP_MEMORY_SCOPE_SYSTEM", "", "global"),
    "workgroup": ("waves", "__HIP_MEMORY_SCOPE_WORKGROUP", "workgroup", "global"),
    "workgroup-lds": ("waves", "__HIP_MEMORY_SCOPE_WORKGROUP", "workgroup", "lds"),
    "workgroup-both": ("waves", "__HIP_MEMORY_SCOPE_WORKGROUP", "workgroup", "both"),
    "wave": ("lanes", "__HIP_MEMORY_SCOPE_WAVEFRONT", "wavefront", "global"),
}

_HEAD = r"""#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// SIZES

/// Variables and registers of every slot. Variables lie in different lines of the host's caches.
struct Memory {
  int variables[kSlots][kMost][kLanes];
  int registers[kSlots][kMost][kRegisters][kLanes];
  unsigned here[kSlots][16];
  unsigned arrived, phase, pad[14];
  unsigned long long forbidden;
};

/// All processes of a grid are here, and see what the others wrote.
__device__ void meet(Memory* m, unsigned processes) {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned now = __hip_atomic_load(&m->phase, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
    if (__hip_atomic_fetch_add(&m->arrived, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_SYSTEM) + 1 == processes) {
      __hip_atomic_store(&m->arrived, 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
      __hip_atomic_store(&m->phase, now + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
    } else {
      while (__hip_atomic_load(&m->phase, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == now)
        __builtin_amdgcn_s_sleep(1);
    }
  }
  __syncthreads();
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}

/// Processes come to a slot together, so that their accesses meet; one that is held up is not waited for.
__device__ void rendezvous(unsigned* here, unsigned processes) {
  __hip_atomic_fetch_add(here, threadIdx.x == 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  for (int polls = 0; polls < 300; ++polls)
    if (__hip_atomic_load(here, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) >= processes) break;
}

__device__ void wait(unsigned& random, unsigned most) {
  random = random * 1664525 + 1013904223;
  for (unsigned i = (random >> 16) % (most + 1); i > 0; --i) __asm__ volatile("s_nop 0");
}

struct Test {
  const char* name;
  int lanes, blocks, threads;
  void (*kernel)(Memory*, unsigned, unsigned, unsigned);
};
"""

_MAIN = r"""
int main(int count, char** arguments) {
  const unsigned long long tries = std::strtoull(arguments[1], nullptr, 10);
  const unsigned seed = static_cast<unsigned>(std::strtoul(arguments[2], nullptr, 10));
  const unsigned most = static_cast<unsigned>(std::strtoul(arguments[3], nullptr, 10));
  Memory* memory = nullptr;
  if (hipMalloc(&memory, sizeof(Memory)) != hipSuccess) return 2;
  for (const Test& test : kTests) {
    if (count > 4 && !std::strstr(test.name, arguments[4])) continue;
    (void)hipMemset(memory, 0, sizeof(Memory));
    const unsigned long long batch = static_cast<unsigned long long>(test.lanes) * kSlots;
    const unsigned batches = static_cast<unsigned>((tries + batch - 1) / batch);
    test.kernel<<<test.blocks, test.threads>>>(memory, batches, seed, most);
    unsigned long long forbidden = 0;
    const hipError_t copied = hipMemcpy(&forbidden, &memory->forbidden, sizeof forbidden, hipMemcpyDeviceToHost);
    if (copied != hipSuccess) {
      std::printf("%s error %s\n", test.name, hipGetErrorString(copied));
      return 1;
    }
    std::printf("%s %llu %llu\n", test.name, batches * batch, forbidden);
    std::fflush(stdout);
  }
  return 0;
}
"""


def _operation(words: list[str], shape: Shape, scope: str) -> str:
    _, hip, fence, _ = SCOPES[scope]
    kind = words[0]
    if kind == "D":
        return "__builtin_amdgcn_s_waitcnt(0);"
    if kind == "F":
        return f'__builtin_amdgcn_fence({_ORDER[words[1]]}, "{fence}");'
    if kind == "G":
        return f"if ({words[1]} == {words[2]})"
    order = words[-1]
    place = "&" + _variable(words[1] if kind == "W" else words[2], shape, scope)
    if kind == "W":
        if order == "na":
            return f"*({place}) = {words[2]};"
        return f"__hip_atomic_store({place}, {words[2]}, {_ORDER[order]}, {hip});"
    if kind == "R":
        load = f"*({place})" if order == "na" else f"__hip_atomic_load({place}, {_ORDER[order]}, {hip})"
        return f"{words[1]} = {load};"
    if kind == "C":
        return (
            f"{words[1]} = {words[3]}; __hip_atomic_compare_exchange_strong("
            f"{place}, &{words[1]}, {words[4]}, {_ORDER[order]}, __ATOMIC_RELAXED, {hip});"
        )
    function = {"X": "__hip_atomic_exchange", "A": "__hip_atomic_fetch_add"}[kind]
    return f"{words[1]} = {function}({place}, {words[3]}, {_ORDER[order]}, {hip});"


def _variable(name: str, shape: Shape, scope: str) -> str:
    number = shape.variables.index(name)
    where = SCOPES[scope][3]
    lds = where == "lds" or (where == "both" and number % 2 == 1)
    return f"local[slot][{number}][lane]" if lds else f"m->variables[slot][{number}][lane]"


def identifier(shape: Shape, scope: str) -> str:
    return re.sub(r"\W", "_", f"{scope} {shape.name}")


def _kernel(shape: Shape, scope: str) -> str:
    layout, _, _, where = SCOPES[scope]
    processes = shape.processes
    count = len(processes)
    process, lane = {
        "grid": ("blockIdx.x", "threadIdx.x"),
        "waves": ("threadIdx.x / 64", "threadIdx.x % 64"),
        "lanes": (f"threadIdx.x / {LANES_OF_A_WAVE}", f"threadIdx.x % {LANES_OF_A_WAVE}"),
    }[layout]
    meet = f"meet(m, {count});" if layout == "grid" else "__syncthreads();"
    slots = 16 if where != "global" else SLOTS  # LDS has 64 KiB
    parameters = "Memory* m, unsigned batches, unsigned seed, unsigned most"
    lines = [f'extern "C" __global__ void {identifier(shape, scope)}({parameters}) {{']
    if where != "global":
        lines.append(f"  __shared__ int local[{slots}][{len(shape.variables)}][kLanes];")
    lines += [
        f"  const unsigned process = {process}, lane = {lane};",
        "  unsigned random = __builtin_amdgcn_readfirstlane(seed * 4 + process);",
        "  unsigned long long forbidden = 0;",
        f"  for (unsigned batch = 0; batch < batches * {SLOTS // slots}; ++batch) {{",
        "    if (process == 0)",
        "#pragma unroll 1",
        f"      for (int slot = 0; slot < {slots}; ++slot) {{",
        *(f"        {_variable(name, shape, scope)} = 0;" for name in shape.variables),
        *(["        m->here[slot][0] = 0;"] if layout == "grid" else []),
        "      }",
        f"    {meet}",
        "#pragma unroll 1",
        f"    for (int slot = 0; slot < {slots}; ++slot) {{",
        *([f"      rendezvous(m->here[slot], {count});"] if layout == "grid" else []),
        "      wait(random, most);",
    ]
    for number, operations in enumerate(processes):
        lines.append(f"      {'if' if number == 0 else '} else if'} (process == {number}) {{")
        lines.append("        int r0 = 0, r1 = 0;")
        for words in operations:
            lines.append(f"        {_operation(words, shape, scope)}")
            if words[0] != "G":
                lines.append('        __asm__ volatile("" ::: "memory");')
        for register in range(REGISTERS):
            if any(f"r{register}" in words for words in operations):
                lines.append(f"        m->registers[slot][{number}][{register}][lane] = r{register};")
    condition = re.sub(r"(\d):r(\d)", r"m->registers[slot][\1][\2][lane]", shape.forbidden)
    condition = re.sub(r"\b([xyzw])\b", lambda found: _variable(found[1], shape, scope), condition)
    lines += [
        "      }",
        "    }",
        f"    {meet}",
        "    if (process == 0)",
        "#pragma unroll 1",
        f"      for (int slot = 0; slot < {slots}; ++slot) forbidden += ({condition}) ? 1 : 0;",
        "  }",
        "  if (process == 0) atomicAdd(&m->forbidden, forbidden);",
        "}",
    ]
    return "\n".join(lines)


def program(shapes: list[Shape], scopes: list[str]) -> str:
    """The whole program. Its arguments: tries per test, seed, longest delay, a part of the names of tests to run."""
    sizes = {"kLanes": LANES, "kSlots": SLOTS, "kRegisters": REGISTERS, "kMost": MOST}
    head = _HEAD.replace("// SIZES", "\n".join(f"constexpr int {name} = {size};" for name, size in sizes.items()))
    parts = [head]
    rows = []
    for scope in scopes:
        layout = SCOPES[scope][0]
        for shape in shapes:
            parts.append(_kernel(shape, scope))
            count = len(shape.processes)
            lanes = LANES_OF_A_WAVE if layout == "lanes" else LANES
            blocks, threads = (count, lanes) if layout == "grid" else (1, count * lanes)
            rows.append(f'    {{"{scope}:{shape.name}", {lanes}, {blocks}, {threads}, {identifier(shape, scope)}}},')
    parts += ["const Test kTests[] = {", *rows, "};", _MAIN]
    return "\n".join(parts)
