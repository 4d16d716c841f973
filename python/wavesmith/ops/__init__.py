"""The kernel library's operators for PyTorch's tensors, of AMD's GPUs in PyTorch for ROCm and of `wavesmith`.

>>> import torch, wavesmith.ops
>>> x, weight = torch.randn(8, 4096, device="wavesmith"), torch.ones(4096, device="wavesmith")
>>> wavesmith.ops.rms_norm(x, weight)

Each is `torch.ops.wavesmith.NAME` with its arguments documented: work goes into the tensors' current stream, nothing is
copied, results are new. `torch.compile`, autograd, `torch.vmap` and autocast know them. What breaks a rule raises a
RuntimeError that names argument and rule; what `wavesmith_kernels.h` states of errors holds.
"""

from wavesmith._sampling import sample, sampling_probabilities, verify_drafts
from wavesmith.ops._attention import attention, cache_write, latent_attention, paged_attention, rope
from wavesmith.ops._common import Activation as Activation
from wavesmith.ops._common import Scaling as Scaling
from wavesmith.ops._elements import add, copy, dequantise, elementwise, quantise, transpose
from wavesmith.ops._products import gemm, grouped_gemm, linear
from wavesmith.ops._rows import gated, gelu_and_mul, layer_norm, log_softmax, reduce, rms_norm, silu_and_mul, softmax

__all__ = [
    "add",
    "attention",
    "cache_write",
    "copy",
    "dequantise",
    "elementwise",
    "gated",
    "gelu_and_mul",
    "gemm",
    "grouped_gemm",
    "latent_attention",
    "layer_norm",
    "linear",
    "log_softmax",
    "paged_attention",
    "quantise",
    "reduce",
    "rms_norm",
    "rope",
    "sample",
    "sampling_probabilities",
    "silu_and_mul",
    "softmax",
    "transpose",
    "verify_drafts",
]
