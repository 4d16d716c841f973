"""Random HIP kernels whose results are defined to the bit, so that the host's own compiler is the reference.

A program has one function, `body`, compiled once for the host and once for the GPU: arithmetic on integers of every
width, half, single and double precision and short vectors, conversions, divisions, square roots, branches and loops
that diverge. What C++, IEEE 754 or two compilers leave open is left out: signed overflow wraps (-fwrapv), nothing is
contracted (-ffp-contract=off), numbers are converted only in range, and neither the sign nor the payload of a NaN is
looked at. Nor is the sign of a zero: LLVM 22 turns (0 - y) + c into c - y. Divisions stand in functions of their own,
since LLVM 22 without optimisation takes an unsigned division of a sign-extended half word for one of 24 bits.
"""

import random
from collections.abc import Callable

FLOATS = {"_Float16": 16, "float": 32, "double": 64}
INTEGERS = {
    "int8_t": 8,
    "uint8_t": 8,
    "int16_t": 16,
    "uint16_t": 16,
    "int32_t": 32,
    "uint32_t": 32,
    "int64_t": 64,
    "uint64_t": 64,
}
SCALARS = FLOATS | INTEGERS
VECTORS = {
    "h2": ("_Float16", 2),
    "h4": ("_Float16", 4),
    "f2": ("float", 2),
    "f4": ("float", 4),
    "d2": ("double", 2),
    "s2": ("int16_t", 2),
    "us2": ("uint16_t", 2),
    "c4": ("int8_t", 4),
    "i2": ("int32_t", 2),
    "u4": ("uint32_t", 4),
    "l2": ("int64_t", 2),
}
FLOAT_CONSTANTS = ["0.0", "-0.0", "1.0", "0.5", "2.0", "-4.0", "3.25", "0.1", "1e-5", "-7e-8", "65504.0", "1e30"]
INTEGER_CONSTANTS = ["0", "1", "-1", "7", "255", "0x80", "0x7fff", "0xffff", "0x80000000u", "0x123456789abcdefll"]
# Numbers that come out wrong first: zeros, ones, infinities, NaN and denormals of each precision.
SPECIAL_HALF = [0, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0x0001, 0x03FF, 0x3C00]
SPECIAL_SINGLE = [0x7F800000, 0xFF800000, 0x7FC00000, 0x80000000, 0x007FFFFF, 0x3F800000]
SPECIAL_DOUBLE = [0x7FF << 52, 0xFFF << 52, 1 << 63, 0x7FF8 << 48, 0x3FF << 52, (1 << 52) - 1]
SPECIAL = SPECIAL_HALF + SPECIAL_SINGLE + SPECIAL_DOUBLE

HEAD = """
#include <stdint.h>
#ifdef __HIP__
#define HD __attribute__((device))
#else
#include <stdio.h>
#include <stdlib.h>
#define HD
extern "C" _Float16 sqrtf16(_Float16 a) { return (_Float16)__builtin_sqrtf(a); }
#endif
typedef unsigned long u64;
HD inline u64 mix(u64 h, u64 x) {
  h ^= x + 0x9E3779B97F4A7C15ull + (h << 6) + (h >> 2);
  return h * 0xFF51AFD7ED558CCDull ^ h >> 29;
}
#define BITS(type, raw, nan)             \\
  HD inline u64 bits(type x) {           \\
    raw b;                               \\
    __builtin_memcpy(&b, &x, sizeof b);  \\
    return x != x ? nan : x == 0 ? 0 : b; \\
  }
BITS(_Float16, uint16_t, 0x7e00)
BITS(float, uint32_t, 0x7fc00000)
BITS(double, u64, 0x7ff8000000000000)
template <class T> HD inline u64 bits(T x) { return (u64)(int64_t)x; }
template <class T, class B> HD inline T from(u64 x) { B b = (B)x; T t; __builtin_memcpy(&t, &b, sizeof t); return t; }
template <class T, class F> HD inline T in_range(F x) { return x >= (F)-100 && x <= (F)100 ? (T)(int)x : (T)17; }
template <class T> HD inline T quotient(T a, T b) { return b == 0 ? a : a / b; }
template <class T> HD inline T remainder_of(T a, T b) { return a % b; }
template <class T> HD inline _Float16 as_half(T a) { return (_Float16)(int16_t)a; }
template <class T> HD inline T less(T a, T b) { return a < b ? a : b; }
template <class T> HD inline T more(T a, T b) { return a > b ? a : b; }
HD inline float fma_of(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HD inline double fma_of(double a, double b, double c) { return __builtin_fma(a, b, c); }
#ifdef __HIP__
HD inline _Float16 fma_of(_Float16 a, _Float16 b, _Float16 c) { return __builtin_fmaf16(a, b, c); }
template <class T> HD inline T fma_of(T a, T b, T c) { return __builtin_elementwise_fma(a, b, c); }
#else
#if __LDBL_MANT_DIG__ == 113
typedef long double quadruple;
#else
typedef __float128 quadruple;
#endif
inline _Float16 fma_of(_Float16 a, _Float16 b, _Float16 c) { return (_Float16)((quadruple)a * b + c); }
template <class T> T fma_of(T a, T b, T c) {
  T r;
  for (unsigned i = 0; i < sizeof(T) / sizeof(a[0]); i++) r[i] = fma_of(a[i], b[i], c[i]);
  return r;
}
#endif
#define ROUND(name)                                                             \\
  HD inline _Float16 of_##name(_Float16 a) { return __builtin_##name##f16(a); } \\
  HD inline float of_##name(float a) { return __builtin_##name##f(a); }         \\
  HD inline double of_##name(double a) { return __builtin_##name(a); }
ROUND(floor) ROUND(ceil) ROUND(trunc) ROUND(rint) ROUND(sqrt)
#define SIGNS(type, suffix)                                                           \\
  HD inline type magnitude(type a) { return __builtin_fabs##suffix(a); }              \\
  HD inline type with_sign(type a, type b) { return b < 0 || b > 0 ? __builtin_copysign##suffix(a, b) : a; }
SIGNS(_Float16, f16) SIGNS(float, f) SIGNS(double, )
HD inline u64 input(unsigned lane, unsigned k) {
  const u64 special[] = {SPECIAL};
  const u64 h = mix(mix(SEED, lane), k);
  switch (h >> 60) {
    case 0: case 1: case 2: return special[h % (sizeof special / sizeof special[0])];
    case 3: case 4: return h & 0xff;
    case 5: case 6: case 7: return bits((_Float16)((int)(h & 0xffff) - 0x8000) * (_Float16)0.0625);
    case 8: case 9: case 10: return bits((float)((int)(h & 0xffffff) - 0x800000) * 0x1p-18f);
    case 11: case 12: return bits((double)(int64_t)h * 0x1p-55);
  }
  return h;
}
"""

TAIL = """
#ifdef __HIP__
extern "C" __attribute__((global)) void k(u64* out) {
  const unsigned first = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x();
  const unsigned lane = first + __builtin_amdgcn_workitem_id_x();
  out[lane] = body(lane);
}
#else
int main(int, char** arguments) {
  for (int lane = 0; lane < atoi(arguments[1]); lane++) printf("%lu\\n", body(lane));
}
#endif
"""


class RandomProgram:
    """One program; `text` is its source."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._seed = seed
        self._types: dict[str, str] = {}  # of the variables
        self._lines: list[str] = []
        self._loops = 0
        self.text = self._whole()

    def _whole(self) -> str:
        inputs = 0

        def declare(kind: str, value: str) -> None:
            name = f"v{len(self._types)}"
            self._types[name] = kind
            self._lines.append(f"  {kind} {name} = {value};")

        def input_of(kind: str) -> str:
            nonlocal inputs
            inputs += 1
            raw = f"uint{FLOATS[kind]}_t" if kind in FLOATS else kind
            return f"from<{kind}, {raw}>(input(lane, {inputs}))"

        for kind in [*SCALARS, *FLOATS]:
            declare(kind, input_of(kind))
        for kind in self._random.sample(list(VECTORS), 7):
            element, count = VECTORS[kind]
            declare(kind, f"({kind}){{{', '.join(input_of(element) for _ in range(count))}}}")
        self._statements(self._random.randrange(8, 22), 1)
        for name, kind in self._types.items():
            parts = [f"{name}.{'xyzw'[i]}" for i in range(VECTORS[kind][1])] if kind in VECTORS else [name]
            self._lines += [f"  h = mix(h, bits({part}));" for part in parts]
        vectors = [
            f"typedef {element} {name} __attribute__((ext_vector_type({count})));"
            for name, (element, count) in VECTORS.items()
        ]
        head = HEAD.replace("SPECIAL", ", ".join(f"{number}ul" for number in SPECIAL)).replace(
            "SEED", f"{self._seed}ul"
        )
        body = ["HD inline u64 body(unsigned lane) {", "  u64 h = lane;", *self._lines, "  return h;", "}"]
        return "\n".join([head, *vectors, *body, TAIL])

    def _variable(self, kind: str) -> str | None:
        names = [name for name, of in self._types.items() if of == kind]
        return self._random.choice(names) if names else None

    def _statements(self, count: int, depth: int) -> None:
        pick = self._random
        indent = "  " * depth
        for _ in range(count):
            chance = pick.random()
            if chance < 0.1 and depth < 4:
                self._lines.append(f"{indent}if {self._condition(1)} {{")
                self._statements(pick.randrange(1, 4), depth + 1)
                if pick.random() < 0.5:
                    self._lines.append(f"{indent}}} else {{")
                    self._statements(pick.randrange(1, 3), depth + 1)
                self._lines.append(f"{indent}}}")
            elif chance < 0.16 and depth < 3:
                self._loops += 1
                passes = f"(int)({self._expression('uint8_t', 2)} & {pick.choice([3, 7])})"
                i = f"turn{self._loops}"
                self._lines.append(f"{indent}for (int {i} = 0; {i} <= {passes} && {i} < 9; {i}++) {{")
                self._statements(pick.randrange(1, 4), depth + 1)
                self._lines.append(f"{indent}}}")
            elif chance < 0.26:
                self._lines.append(f"{indent}h = mix(h, bits({self._expression(pick.choice(list(SCALARS)), 0)}));")
            else:
                name, kind = pick.choice(list(self._types.items()))
                self._lines.append(f"{indent}{name} = {self._expression(kind, 0)};")

    def _constant(self, kind: str) -> str:
        if kind in VECTORS:
            return f"(({kind}){self._constant(VECTORS[kind][0])})"
        return f"({kind}){self._random.choice(FLOAT_CONSTANTS if kind in FLOATS else INTEGER_CONSTANTS)}"

    def _condition(self, depth: int) -> str:
        kind = self._random.choice(list(SCALARS))
        comparison = self._random.choice(["<", "<=", ">", ">=", "==", "!="])
        return f"({self._expression(kind, depth + 1)} {comparison} {self._expression(kind, depth + 1)})"

    def _expression(self, kind: str, depth: int) -> str:
        pick = self._random
        if depth > 3 or pick.random() < 0.15:
            name = self._variable(kind)
            return name if name and pick.random() < 0.85 else self._constant(kind)
        if kind in VECTORS:
            return self._vector(kind, depth + 1)
        if pick.random() < 0.12:
            vectors = [name for name, of in self._types.items() if of in VECTORS and VECTORS[of][0] == kind]
            if vectors:
                name = pick.choice(vectors)
                return f"{name}.{'xyzw'[pick.randrange(VECTORS[self._types[name]][1])]}"
        return self._float(kind, depth + 1) if kind in FLOATS else self._integer(kind, depth + 1)

    def _vector(self, kind: str, depth: int) -> str:
        pick = self._random
        element, count = VECTORS[kind]

        def another() -> str:
            return f"({kind}){self._expression(kind, depth)}"

        forms: list[Callable[[], str]] = [
            lambda: "(({}){{{}}})".format(kind, ", ".join(self._expression(element, depth + 1) for _ in range(count))),
            lambda: f"(({kind}){self._expression(element, depth)})",
            lambda: f"{self._variable(kind) or self._constant(kind)}.{''.join(pick.choices('xyzw'[:count], k=count))}",
        ]
        if element in FLOATS:
            forms += 4 * [lambda: f"({another()} {pick.choice('+-*')} {another()})"]
            forms += [lambda: f"(-{another()})", lambda: f"fma_of({another()}, {another()}, {another()})"]
        else:
            forms += 4 * [lambda: f"({another()} {pick.choice('+-*&|^')} {another()})"]
            forms += [
                lambda: f"({another()} {pick.choice(['<<', '>>'])} ({kind})({pick.randrange(8)}))",
                lambda: f"__builtin_elementwise_{pick.choice(['min', 'max'])}({another()}, {another()})",
                lambda: f"__builtin_elementwise_{pick.choice(['add_sat', 'sub_sat'])}({another()}, {another()})",
            ]
        return pick.choice(forms)()

    def _float(self, kind: str, depth: int) -> str:
        pick = self._random

        def another(of: str = kind) -> str:
            return self._expression(of, depth)

        forms: list[Callable[[], str]] = [
            lambda: f"fma_of({another()}, {another()}, {another()})",
            lambda: f"quotient<{kind}>({another()}, {another()})",
            lambda: f"of_{pick.choice(['floor', 'ceil', 'trunc', 'rint', 'sqrt'])}({another()})",
            lambda: f"{pick.choice(['less', 'more'])}<{kind}>({another()}, {another()})",
            lambda: f"magnitude({another()})",
            lambda: f"(-{another()})",
            lambda: f"with_sign({another()}, {another()})",
            lambda: f"{'as_half' if kind == '_Float16' else f'({kind})'}({another(pick.choice(list(INTEGERS)))})",
            lambda: f"({kind})({another(pick.choice([of for of in FLOATS if of != kind]))})",
            lambda: f"({self._condition(depth)} ? {another()} : {another()})",
        ] + 6 * [lambda: f"({another()} {pick.choice('+-*')} {another()})"]
        return pick.choice(forms)()

    def _integer(self, kind: str, depth: int) -> str:
        pick = self._random

        def another(of: str = kind) -> str:
            return self._expression(of, depth)

        def count_bits() -> str:
            word = f"(uint32_t){another()}"
            return pick.choice(
                [
                    f"__builtin_popcount({word})",
                    f"__builtin_popcountll((u64){another()})",
                    f"__builtin_clz({word} | 16)",
                    f"__builtin_ctz({word} | 16)",
                    f"__builtin_bitreverse32({word})",
                    f"__builtin_bswap32({word})",
                    f"__builtin_rotateleft32({word}, {pick.randrange(32)})",
                ]
            )

        forms: list[Callable[[], str]] = [
            lambda: f"({another()} {pick.choice(['<<', '>>'])} ({another()} & {INTEGERS[kind] - 1}))",
            lambda: f"{pick.choice(['quotient', 'remainder_of'])}<{kind}>({another()}, {another('uint8_t')} | 1)",
            lambda: f"{pick.choice(['less', 'more'])}<{kind}>({another()}, {another()})",
            lambda: f"({another()} * {another()} + {another()})",
            count_bits,
            lambda: f"((u64){another('uint32_t')} * {another('uint32_t')} >> 32)",
            lambda: f"((__int128){another('int64_t')} * {another('int64_t')} >> 64)",
            lambda: f"in_range<{kind}>({another(pick.choice(list(FLOATS)))})",
            lambda: another(pick.choice([of for of in INTEGERS if of != kind])),
            lambda: f"({self._condition(depth)} ? {another()} : {another()})",
        ] + 5 * [lambda: f"({another()} {pick.choice('+-*&|^')} {another()})"]
        return f"(({kind}){pick.choice(forms)()})"
