"""Multiplies matrices by hipBLASLt, as its tuning does: packed operands, beta 0.

    gemm_hipblaslt.py TYPES LAYOUT M N BATCH K SOLUTION

TYPES and LAYOUT are Tensile's and BLAS's names: HSS_BH_Bias_HAS_SAV_UserArgs TN; SOLUTION is the kernel's number in the
library. It multiplies twice, so that the second time finds in the caches what the first one left. Kernels that also
store what goes into the activation (_Aux) are asked for by GELU_AUX, whose arithmetic a tuning run that stores it too
need not have. Exit code 3: hipBLASLt does not take the problem with that kernel.
"""

import ctypes
import sys

from gemm import BF16, BYTES, F16, F32, I8, I32, OPERATIONS, UNSUPPORTED, Runtime, scalar

# The types of operands, result and arithmetic that the first part of Tensile's names stands for.
TYPES = {
    "HHS": (F16, F16, F32),
    "HSS": (F16, F32, F32),
    "BBS": (BF16, BF16, F32),
    "BSS": (BF16, F32, F32),
    "I8": (I8, I8, I32),
    "I8II": (I8, I32, I32),
}
HIP_TYPES = {F32: 0, F16: 2, I8: 3, I32: 10, BF16: 14}  # hipDataType (library_types.h)
COMPUTE = {F32: 2, I32: 9}  # hipblasComputeType_t (hipblas-common.h)
# hipblaslt.h: hipblasLtMatmulDescAttributes_t, hipblasLtMatmulPreferenceAttributes_t, hipblasLtEpilogue_t
TRANSPOSE_A, TRANSPOSE_B, EPILOGUE, AUX_POINTER, AUX_LEADING = 0, 1, 2, 10, 11
MOST_WORKSPACE = 1
GELU_AUX = 160
WORKSPACE = 64 << 20
MOST_KERNELS = 10000


class Heuristic(ctypes.Structure):
    """hipblasLtMatmulHeuristicResult_t."""

    _fields_ = (
        ("solution", ctypes.c_int32),  # hipblasLtMatmulAlgo_t: 16 bytes that begin with the kernel's number
        ("algorithm", ctypes.c_uint8 * 12),
        ("most_workspace", ctypes.c_size_t),
        ("workspace", ctypes.c_size_t),
        ("state", ctypes.c_int),
        ("waves", ctypes.c_float),
        ("reserved", ctypes.c_int * 4),
    )


class Hipblaslt(Runtime):
    def __init__(self):
        super().__init__("libhipblaslt.so.1")
        self.handle = ctypes.c_void_p()
        self.library_call("hipblasLtCreate", ctypes.byref(self.handle))

    def object(self, create, *arguments):
        made = ctypes.c_void_p()
        self.library_call(create, ctypes.byref(made), *arguments)
        return made

    def layout(self, kind, rows, columns):
        """Of a packed matrix in column-major order."""
        sizes = ctypes.c_uint64(rows), ctypes.c_uint64(columns), ctypes.c_int64(rows)
        return self.object("hipblasLtMatrixLayoutCreate", HIP_TYPES[kind], *sizes)

    def set(self, setter, of, attribute, value):
        self.library_call(setter, of, attribute, ctypes.byref(value), ctypes.c_size_t(ctypes.sizeof(value)))


def types_of(name):
    """Of Tensile's name: "HSS_BH_Bias_HAS_SAV_UserArgs"; None: others."""
    return TYPES.get(name.partition("_")[0].removesuffix("BH"))


def main(types, layout, m, n, batch, k, solution):
    m, n, k = int(m), int(n), int(k)
    if batch != "1":
        print("one product, no batch", file=sys.stderr)
        sys.exit(UNSUPPORTED)
    operand, result, compute = types_of(types)
    blas = Hipblaslt()
    matrices = (operand, m, k, layout[0]), (operand, k, n, layout[1]), (result, m, n, "N")
    a, b, c = (blas.allocate(rows * columns * BYTES[kind]) for kind, rows, columns, _ in matrices)
    shapes = [blas.layout(kind, *((r, s) if order == "N" else (s, r))) for kind, r, s, order in matrices]
    product = blas.object("hipblasLtMatmulDescCreate", COMPUTE[compute], HIP_TYPES[compute])
    describe = "hipblasLtMatmulDescSetAttribute"
    blas.set(describe, product, TRANSPOSE_A, ctypes.c_int32(OPERATIONS[layout[0]]))
    blas.set(describe, product, TRANSPOSE_B, ctypes.c_int32(OPERATIONS[layout[1]]))
    if "_Aux" in types:
        blas.set(describe, product, EPILOGUE, ctypes.c_int32(GELU_AUX))
        blas.set(describe, product, AUX_POINTER, blas.allocate(m * n * BYTES[result]))
        blas.set(describe, product, AUX_LEADING, ctypes.c_int64(m))
    preference = blas.object("hipblasLtMatmulPreferenceCreate")
    blas.set("hipblasLtMatmulPreferenceSetAttribute", preference, MOST_WORKSPACE, ctypes.c_uint64(WORKSPACE))
    all_of_them, count = (Heuristic * MOST_KERNELS)(), ctypes.c_int()
    choice = (*shapes, shapes[2], preference, MOST_KERNELS, all_of_them, ctypes.byref(count))
    blas.library_call("hipblasLtMatmulAlgoGetHeuristic", blas.handle, product, *choice)
    found = [each for each in all_of_them[: count.value] if each.solution == int(solution)]
    if not found:
        print(f"hipBLASLt does not offer kernel {solution} for it", file=sys.stderr)
        sys.exit(UNSUPPORTED)
    alpha, beta, workspace = scalar(compute, 1), scalar(compute, 0), blas.allocate(WORKSPACE)
    operands = ctypes.byref(alpha), a, shapes[0], b, shapes[1], ctypes.byref(beta), c, shapes[2], c, shapes[2]
    for _ in range(2):
        how = ctypes.byref(found[0]), workspace, ctypes.c_size_t(WORKSPACE), None
        blas.library_call("hipblasLtMatmul", blas.handle, product, *operands, *how)
    blas.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
