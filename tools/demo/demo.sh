#!/bin/sh
# The compiler at work, on one screen. usage: demo.sh BUILD
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")"
PATH="$build/bin:$PATH"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A heading, and a command that is shown before it runs.
say() { printf '\n== %s\n' "$*"; }
show() {
  printf '$ %s\n' "$*"
  "$@" 2>&1
}
# Of remarks, the place and the sentence.
remarks() {
  sed -nE 's/^([^ ]*): remark: \[([A-Za-z]*)\].*(Remark|Reason)="([^"]*)".*/\1 \2: \4/p' | fold -s -w 100
}

say "A Llama model as PyTorch exports it: $(grep -c 'linalg\.' llama.mlir) linalg ops, none of them attention"
echo '$ fa-opt llama.mlir --fuse-attention'
fa-opt llama.mlir --fuse-attention 2>&1 >"$scratch/loops.mlir" | remarks

say "A softmax over the queries looks like it and is not: left as it came, with the reason"
echo '$ fa-opt near-miss.mlir --fuse-attention'
fa-opt near-miss.mlir --fuse-attention 2>&1 >/dev/null | remarks

say "What a causal attention of 512 positions asks of a GPU"
show fa-opt attention.mlir --fa-report=machine=h200 -o /dev/null | grep -vE 'remark|linalg|\^$|^  (dims|values)'

say "The model on this CPU: fused, unfused and in 64 bits"
show fa-run llama.mlir --inputs=llama.npz --verify

say "The longer one, timed"
show fa-run attention.mlir --random --verify --time

say "Its gradient, derived from the same IR: weights recomputed tile by tile, never stored"
echo '$ fa-opt attention.mlir --fa-differentiate=function=attention -o gradient.mlir'
fa-opt attention.mlir --fa-differentiate=function=attention -o "$scratch/gradient.mlir" 2>/dev/null
echo '$ fa-run gradient.mlir --function=attention_vjp --random --verify --time'
fa-run "$scratch/gradient.mlir" --function=attention_vjp --random --verify --time 2>&1

say "The same for a GPU"
ptx=$scratch/attention.ptx
count() { grep -c "$1" "$ptx" || true; }
echo '$ fa-compile attention.mlir --machine=sm_80 --emit=ptx -o attention.ptx'
fa-compile attention.mlir --machine=sm_80 --emit=ptx --quiet -o "$ptx"
echo "$(wc -l <"$ptx") lines of PTX: $(count mma.sync) mma.sync, $(count cp.async) cp.async," \
  "$(count '\.local') uses of local memory"
if fa-run --collect-env | grep -q 'cuda:0'; then
  show fa-run attention.mlir --device=cuda --random --verify --time
else
  echo "No GPU here. On a machine with one, fa-run and attention.fa are enough:"
  echo '$ fa-compile attention.mlir --machine=sm_80 -o attention.fa'
  fa-compile attention.mlir --machine=sm_80 --quiet -o "$scratch/attention.fa"
fi
