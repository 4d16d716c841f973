"""Tables that kernels of mixtures of experts read: which rows are whose, with every expert serving as many tokens."""

from pathlib import Path

import numpy as np


def write(folder: Path, experts: int, tokens: int, of_token: int, tile: int) -> dict[str, str]:
    """Files of the sorted tokens, of the blocks' experts, and of the number of sorted tokens, by name.

    An entry is a token, and in the upper 8 bits which of its experts is meant; each expert's entries fill whole tiles.
    What fills them up is no token. There are as many blocks as uneven experts might need.

    Args:
        tile: rows that a workgroup multiplies.
    """
    pairs = np.arange(tokens * of_token, dtype=np.int32)
    each = len(pairs) // experts
    blocks = -(-each // tile)
    most = min(len(pairs), len(pairs) // tile + experts)
    none = np.int32(of_token << 24 | tokens)
    rows = np.full((most, tile), none, np.int32)
    for expert in range(experts):
        own = pairs[expert::experts]
        filled = np.full(blocks * tile, none, np.int32)
        filled[:each] = own // of_token | (own % of_token) << 24
        rows[expert * blocks : (expert + 1) * blocks] = filled.reshape(blocks, tile)
    served = np.zeros(most, np.int32)
    served[: experts * blocks] = np.repeat(np.arange(experts), blocks)
    tables = {"tokens": rows.ravel(), "experts": served, "count": np.array([experts * blocks * tile], np.int32)}
    paths = {name: folder / f"{name}.npy" for name in tables}
    for name, path in paths.items():
        np.save(path, tables[name])
    return {name: str(path) for name, path in paths.items()}
