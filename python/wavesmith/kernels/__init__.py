"""Wavesmith's own kernels, for arrays of NumPy, PyTorch, CuPy, JAX and every other package that speaks DLPack.

>>> import numpy, wavesmith
>>> wavesmith.use("mi355x")
>>> a, b = numpy.ones((100, 64), numpy.float16), numpy.ones((64, 30), numpy.float16)
>>> wavesmith.kernels.gemm(a, b, activation="gelu")       # 100 x 30, float16

Nothing is compiled: the kernels were when Wavesmith was built. Arrays in the GPU's memory are used where they lie, and
work is put into a stream; arrays in the host's memory are copied to the GPU, and results back.
"""

from __future__ import annotations

from wavesmith.kernels._all_reduce import AllReduce
from wavesmith.kernels._attention import attention, attention_dropout
from wavesmith.kernels._decode import cache_write, decode
from wavesmith.kernels._elementwise import elementwise
from wavesmith.kernels._experts import combine, sort_experts
from wavesmith.kernels._kernel_library import Activation, Array
from wavesmith.kernels._products import gemm, gemm_tiles
from wavesmith.kernels._quantise import Scaling, dequantise, quantise
from wavesmith.kernels._reduce import reduce
from wavesmith.kernels._router import router
from wavesmith.kernels._rows import gated, layer_norm, rms_norm, rope, softmax
from wavesmith.kernels._transpose import copy, transpose

__all__ = [
    "Activation",
    "AllReduce",
    "Array",
    "Scaling",
    "attention",
    "attention_dropout",
    "cache_write",
    "combine",
    "copy",
    "decode",
    "dequantise",
    "elementwise",
    "gated",
    "gemm",
    "gemm_tiles",
    "layer_norm",
    "quantise",
    "reduce",
    "rms_norm",
    "rope",
    "router",
    "softmax",
    "sort_experts",
    "transpose",
]
