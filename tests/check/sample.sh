#!/bin/sh
# A part of the corpus that takes seconds: a few mutants of each kind of some kernels of ours. Usage: PYTHON BUILD
set -e
here=$(dirname "$0")
[ -x "$2/bin/kernels_test" ] || exit 77
launches=$(mktemp -d)
trap 'rm -rf "$launches"' EXIT
only='^ours (mi300x|rx9070xt) (radix_move_32|softmax_bf16_512x[48]|norm_256x[24])$'
"$1" "$here/launches.py" --build "$2" --launches "$launches" --only "$only"
"$1" "$here/corpus.py" --build "$2" --launches "$launches" --only "$only" --most 4 --jobs 1 --at-least 1
