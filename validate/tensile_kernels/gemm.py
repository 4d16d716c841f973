"""Multiplies matrices by rocBLAS, as its tuning does: packed operands, beta 0.

    gemm.py TYPES LAYOUT M N BATCH K

TYPES and LAYOUT are Tensile's and BLAS's names: HHS_BH TN. It multiplies twice, so that the second time finds in the
caches what the first one left. Exit code 3: rocBLAS does not take the problem.
"""

import ctypes
import sys

# rocblas_datatype (rocblas-types.h), and the types of operands, result and arithmetic that Tensile's names stand for.
F16, F32, F64, C32, C64, I8, I32, BF16 = 150, 151, 152, 154, 155, 160, 162, 168
BYTES = {F16: 2, F32: 4, F64: 8, C32: 8, C64: 16, I8: 1, I32: 4, BF16: 2}
TYPES = {
    "SB": (F32, F32, F32),
    "SB_MX": (F32, F32, F32),
    "DB": (F64, F64, F64),
    "CB": (C32, C32, C32),
    "ZB": (C64, C64, C64),
    "HB": (F16, F16, F16),
    "HHS_BH": (F16, F16, F32),
    "HSS_BH": (F16, F32, F32),
    "BBS_BH": (BF16, BF16, F32),
    "BSS_BH": (BF16, F32, F32),
    "I8II_BH": (I8, I32, I32),
}
OPERATIONS = {"N": 111, "T": 112, "C": 113}
XF32_MATH = 1  # rocblas_xf32_xdl_math_op
UNSUPPORTED = 3


class Runtime:
    """HIP's functions and a library's; one that fails ends the program with its name."""

    def __init__(self, library):
        self.hip = ctypes.CDLL("libamdhip64.so.7")
        self.library = ctypes.CDLL(library)

    def checked(self, library, name, *arguments):
        status = getattr(library, name)(*arguments)
        if status:
            print(f"{name}: status {status}", file=sys.stderr)
            sys.exit(1 if library is self.hip else UNSUPPORTED)

    def library_call(self, name, *arguments):
        self.checked(self.library, name, *arguments)

    def allocate(self, size):
        pointer = ctypes.c_void_p()
        self.checked(self.hip, "hipMalloc", ctypes.byref(pointer), ctypes.c_size_t(max(size, 256)))
        return pointer

    def finish(self):
        self.checked(self.hip, "hipDeviceSynchronize")


def scalar(kind, value):
    """alpha or beta in the arithmetic's type."""
    if kind == F16:
        return ctypes.c_uint16(0x3C00 if value else 0)
    if kind == I32:
        return ctypes.c_int32(value)
    return ((ctypes.c_double if kind in (F64, C64) else ctypes.c_float) * 2)(value, 0)


def main(types, layout, *sizes):
    m, n, batch, k = (int(size) for size in sizes)
    operand, result, compute = TYPES[types]
    blas = Runtime("librocblas.so.5")
    handle = ctypes.c_void_p()
    blas.library_call("rocblas_create_handle", ctypes.byref(handle))
    if types == "SB_MX":
        blas.library_call("rocblas_set_math_mode", handle, XF32_MATH)
    matrices = (operand, m, k, layout[0]), (operand, k, n, layout[1]), (result, m, n, "N")
    a, b, c = (
        # pointer, type, leading dimension, stride between the matrices of a batch
        (
            blas.allocate(rows * columns * batch * BYTES[kind]),
            kind,
            rows if order == "N" else columns,
            ctypes.c_int64(rows * columns),
        )
        for kind, rows, columns, order in matrices
    )
    alpha, beta = scalar(compute, 1), scalar(compute, 0)
    operations = OPERATIONS[layout[0]], OPERATIONS[layout[1]]
    products = m, n, k, ctypes.byref(alpha), *a, *b, ctypes.byref(beta), *c, *c, batch, compute
    standard_algorithm = 0, 0, 0
    for _ in range(2):
        blas.library_call("rocblas_gemm_strided_batched_ex", handle, *operations, *products, *standard_algorithm)
    blas.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
