"""Generates greedily by vLLM and says what it gave, as JSON: generate.py MODEL OUT [ARGUMENTS OF LLM, AS JSON].

Also `rounds`: how often; `apart`: the engine has a process of its own; `sampling`: arguments of SamplingParams.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

TOKENS = 12
PROMPTS = [list(range(5, 45)), [9, 4, 100], [300 + 7 * i for i in range(17)], [3]]


def main(model: str, out: str, arguments: dict[str, Any]) -> None:
    from vllm import LLM, SamplingParams
    from vllm.platforms import current_platform

    settings = {
        "skip_tokenizer_init": True,
        "enforce_eager": True,
        "max_model_len": 128,
        "max_num_seqs": 4,
        "kv_cache_memory_bytes": 1 << 24,
        "logprobs_mode": "raw_logits",
        "max_logprobs": -1,
        "enable_prefix_caching": False,
        "disable_log_stats": True,
    }
    rounds, apart = arguments.pop("rounds", 1), arguments.pop("apart", False)
    how = {"temperature": 0} | arguments.pop("sampling", {})
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = str(int(apart))
    llm = LLM(model, **settings | arguments)
    sampling = SamplingParams(**how, max_tokens=TOKENS, ignore_eos=True, detokenize=False, logprobs=-1)
    for _ in range(rounds):
        results = llm.generate([{"prompt_token_ids": prompt} for prompt in PROMPTS], sampling, use_tqdm=False)
    found: dict[str, Any] = {
        "platform": type(current_platform).__name__,
        "cached": [result.num_cached_tokens for result in results],
        "tokens": [list(result.outputs[0].token_ids) for result in results],
        "logits": [
            [[logits[token].logprob for token in sorted(logits)] for logits in result.outputs[0].logprobs]
            for result in results
        ],
    }
    if not apart:
        runner = llm.llm_engine.model_executor.driver_worker.worker.model_runner
        found |= {
            "modules": sorted({type(module).__name__ for module in runner.model.modules()}),
            "attention": sorted({group.backend.__name__ for groups in runner.attn_groups for group in groups}),
            "device": str(next(runner.model.parameters()).device),
            "cache": [str(runner.kv_caches[0].device), str(runner.kv_caches[0].dtype)],
        }
    wavesmith_torch = sys.modules.get("wavesmith.torch")
    found["host"] = wavesmith_torch.fallback_counts() if wavesmith_torch else {}
    Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]) if len(sys.argv) > 3 else {})
