"""Dense linear algebra that is called from Python; what factorises and solves is in `native/linalg`."""

from wavesmith.torch._linalg import exponential, identity, products

__all__ = ["exponential", "identity", "products"]
