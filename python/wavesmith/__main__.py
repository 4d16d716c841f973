"""`python -m wavesmith`: the programs from PyPI that run on emulated GPUs, and what of them is installed."""

from wavesmith import clients

for client in clients():
    versions = ", ".join(
        f"{package} {version or 'missing'}"
        for (package, _), version in zip(client.packages, client.installed, strict=True)
    )
    print(f"{client.name:10}{versions}; {'not ready' if client.problem else 'ready'}, started by {client.start}")
    if client.problem:
        print(f"{'':10}{client.problem}")
