"""Triton on emulated AMD GPUs, with a PyTorch that knows only the CPU.

Triton finds this package by the entry point group ``triton.backends`` and imports ``compiler`` and
``driver``. The compiler is Triton's own for AMD GPUs; the driver launches through the HIP library of
Wavesmith. Tensors are the CPU's: the emulated GPU reaches the memory of the process as an APU does.
"""
