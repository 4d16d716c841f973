#!/usr/bin/env bash
# mi300a_test.sh WAVESMITH: a few rows of the MI300A programs, compiled, run under modelled time and judged. 77: there is no
# compiler for HIP.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/few.csv" <<'CSV'
kernel_name,problem_size,iterations,avg_ms,min_ms,max_ms
vectoradd,16777216,51,0.0515,0.0510,0.0534
fir,4096_taps64,51,0.0105,0.0097,0.0375
kmeans,pts4096_feat32_clus5,51,0.0174,0.0170,0.0180
nbody,1024_particles,51,0.1807,0.1792,0.1827
floydwarshall,64_nodes,51,0.1668,0.1425,0.2211
matrixtranspose,4096x4096,51,0.0365,0.0360,0.0386
memcopy_h2d,8MB,51,0.1601,0.1566,0.1985
CSV
if ! said=$("$1" validate mi300a --data "$folder/few.csv" 2>"$folder/errors"); then
  cat "$folder/errors"
  grep -q "could not be compiled" "$folder/errors" && exit 77
  exit 1
fi
echo "$said"
# Measured on the GPU; the model must stay near, row by row.
awk '/^mi300a_mean = / { found = 1; if ($3 > 0.15 || $6 + 0 != 7) bad = 1 } END { exit !found || bad }' <<<"$said"
