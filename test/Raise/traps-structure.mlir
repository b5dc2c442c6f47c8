// RUN: fa-opt %s --fuse-attention=to=op -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not="fuse-attention | Category"
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// RUN: fa-run %s --function=two_values --verify --tile=3x5
// RUN: fa-run %s --function=one_value_for_all --verify --tile=3x5
// RUN: fa-run %s --function=casts --verify --tile=3x5 --dims=7

// Other users, no softmax, loops, side effects and casts around what looks like attention.

// Linear attention: two products without a softmax are two products.
// IR-LABEL: @no_softmax(
// IR-NOT: fa.attention
// IR: return
func.func @no_softmax(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %z2 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%s, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z2 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o : tensor<2x3x4xf32>
}

// CHECK: [Missed] fuse-attention | Category:fa | Function=no_second_product |{{.*}}a softmax whose weights no product with values follows
// IR-LABEL: @no_second_product(
// IR-NOT: fa.attention
// IR: return
func.func @no_second_product(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x3x7xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  return %p2 : tensor<2x3x7xf32>
}

// Two second products share one softmax: both become attention, and the weights vanish.
// CHECK: [Passed] fuse-attention | Category:fa | Function=two_values |
// CHECK: [Passed] fuse-attention | Category:fa | Function=two_values |
// IR-LABEL: @two_values(
// IR: fa.attention
// IR: fa.attention
// IR: return
func.func @two_values(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %w: tensor<2x7x6xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x6xf32>) {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z3 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  %z4 = arith.constant dense<0.0> : tensor<2x3x6xf32>
  %o5 = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %w : tensor<2x3x7xf32>, tensor<2x7x6xf32>) outs(%z4 : tensor<2x3x6xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x6xf32>
  return %o, %o5 : tensor<2x3x4xf32>, tensor<2x3x6xf32>
}

// The weights leave the function beside two products.
// CHECK: [Missed] fuse-attention | Category:fa | Function=weights_also_returned |{{.*}}the scores or the weights are also needed by 'func.return': they have to be in memory anyway
// IR-LABEL: @weights_also_returned(
// IR-NOT: fa.attention
// IR: return
func.func @weights_also_returned(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %w: tensor<2x7x6xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x6xf32>, tensor<2x3x7xf32>) {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z3 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  %z4 = arith.constant dense<0.0> : tensor<2x3x6xf32>
  %o5 = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %w : tensor<2x3x7xf32>, tensor<2x7x6xf32>) outs(%z4 : tensor<2x3x6xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x6xf32>
  return %o, %o5, %p2 : tensor<2x3x4xf32>, tensor<2x3x6xf32>, tensor<2x3x7xf32>
}

// A sum of the weights over the queries needs all of them.
// CHECK: [Missed] fuse-attention | Category:fa | Function=sum_of_the_weights_returned |{{.*}}the scores or the weights are also needed by 'func.return'
// IR-LABEL: @sum_of_the_weights_returned(
// IR-NOT: fa.attention
// IR: return
func.func @sum_of_the_weights_returned(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x7xf32>) {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x7xf32>
  %l = linalg.reduce { arith.addf } ins(%p2 : tensor<2x3x7xf32>) outs(%z3 : tensor<2x7xf32>) dimensions = [1]
  %z4 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z4 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  return %o, %l : tensor<2x3x4xf32>, tensor<2x7xf32>
}

// The scores are stored in a buffer.
// CHECK: [Missed] fuse-attention | Category:fa | Function=scores_stored |{{.*}}the scores or the weights are also needed by
// IR-LABEL: @scores_stored(
// IR-NOT: fa.attention
// IR: return
func.func @scores_stored(%q: tensor<2x3x5xf32>, %k: tensor<2x7x5xf32>, %v: tensor<2x7x4xf32>, %buffer: memref<2x3x7xf32>) -> tensor<2x3x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x3x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %k : tensor<2x3x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x3x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<2x3x7xf32>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<2x3x7xf32>) outs(%e : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x3x4xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %v : tensor<2x3x7xf32>, tensor<2x7x4xf32>) outs(%z3 : tensor<2x3x4xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  bufferization.materialize_in_destination %s in restrict writable %buffer : (tensor<2x3x7xf32>, memref<2x3x7xf32>) -> ()
  return %o : tensor<2x3x4xf32>
}

// Query, key and value are the same value.
// CHECK: [Passed] fuse-attention | Category:fa | Function=one_value_for_all |
// IR-LABEL: @one_value_for_all(
// IR: fa.attention query(%arg0) key(%arg0) value(%arg0)
func.func @one_value_for_all(%q: tensor<2x7x5xf32>) -> tensor<2x7x5xf32> {
  %z1 = arith.constant dense<0.0> : tensor<2x7x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, d, n) -> (b, m, d)>, affine_map<(b, m, d, n) -> (b, n, d)>, affine_map<(b, m, d, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %q : tensor<2x7x5xf32>, tensor<2x7x5xf32>) outs(%z1 : tensor<2x7x7xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e = tensor.empty() : tensor<2x7x7xf32>
  %p2 = linalg.softmax dimension(2) ins(%s : tensor<2x7x7xf32>) outs(%e : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %z3 = arith.constant dense<0.0> : tensor<2x7x5xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n, e) -> (b, m, n)>, affine_map<(b, m, n, e) -> (b, n, e)>, affine_map<(b, m, n, e) -> (b, m, e)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%p2, %q : tensor<2x7x7xf32>, tensor<2x7x5xf32>) outs(%z3 : tensor<2x7x5xf32>) {
  ^bb0(%b0: f32, %b1: f32, %acc: f32):
    %p = arith.mulf %b0, %b1 : f32
    %r = arith.addf %acc, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x7x5xf32>
  return %o : tensor<2x7x5xf32>
}

// Online softmax in a loop is fused already: the loop stays.
// CHECK: [Missed] fuse-attention | Category:fa | Function=online_softmax |{{.*}}the softmax is an online one already
// IR-LABEL: @online_softmax(
// IR-NOT: fa.attention
// IR: scf.for
// IR: return
func.func @online_softmax(%q: tensor<3x5xf32>, %k: tensor<8x5xf32>, %v: tensor<8x4xf32>) -> tensor<3x4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %zo = arith.constant dense<0.0> : tensor<3x4xf32>
  %zs = arith.constant dense<0.0> : tensor<3x2xf32>
  %z1 = arith.constant dense<0.0> : tensor<3xf32>
  %lo = arith.constant dense<0xFF800000> : tensor<3xf32>
  %e32 = tensor.empty() : tensor<3x2xf32>
  %e34 = tensor.empty() : tensor<3x4xf32>
  %r:3 = scf.for %n = %c0 to %c8 step %c2 iter_args(%acc = %zo, %m = %lo, %l = %z1) -> (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>) {
    %kt = tensor.extract_slice %k[%n, 0] [2, 5] [1, 1] : tensor<8x5xf32> to tensor<2x5xf32>
    %vt = tensor.extract_slice %v[%n, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
    %ek = tensor.empty() : tensor<5x2xf32>
    %kT = linalg.transpose ins(%kt : tensor<2x5xf32>) outs(%ek : tensor<5x2xf32>) permutation = [1, 0]
    %s = linalg.matmul ins(%q, %kT : tensor<3x5xf32>, tensor<5x2xf32>) outs(%zs : tensor<3x2xf32>) -> tensor<3x2xf32>
    %m2 = linalg.reduce { arith.maximumf } ins(%s : tensor<3x2xf32>) outs(%m : tensor<3xf32>) dimensions = [1]
    %mb = linalg.broadcast ins(%m2 : tensor<3xf32>) outs(%e32 : tensor<3x2xf32>) dimensions = [1]
    %x = arith.subf %s, %mb : tensor<3x2xf32>
    %p = math.exp %x : tensor<3x2xf32>
    %dm = arith.subf %m, %m2 : tensor<3xf32>
    %alpha = math.exp %dm : tensor<3xf32>
    %l1 = arith.mulf %l, %alpha : tensor<3xf32>
    %l2 = linalg.reduce { arith.addf } ins(%p : tensor<3x2xf32>) outs(%l1 : tensor<3xf32>) dimensions = [1]
    %ab = linalg.broadcast ins(%alpha : tensor<3xf32>) outs(%e34 : tensor<3x4xf32>) dimensions = [1]
    %acc1 = arith.mulf %acc, %ab : tensor<3x4xf32>
    %acc2 = linalg.matmul ins(%p, %vt : tensor<3x2xf32>, tensor<2x4xf32>) outs(%acc1 : tensor<3x4xf32>) -> tensor<3x4xf32>
    scf.yield %acc2, %m2, %l2 : tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>
  }
  %lb = linalg.broadcast ins(%r#2 : tensor<3xf32>) outs(%e34 : tensor<3x4xf32>) dimensions = [1]
  %o = arith.divf %r#0, %lb : tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// The key is read before the cache is overwritten, the value after: both reads keep their places.
// CHECK: [Passed] fuse-attention | Category:fa | Function=cache_between |
// IR-LABEL: @cache_between(
// IR: %[[K:.*]] = call @read_cache()
// IR: call @write_cache
// IR: %[[V:.*]] = call @read_cache()
// IR: fa.attention query(%arg0) key(%[[K]]) value(%[[V]])
func.func private @read_cache() -> tensor<7x5xf32>
func.func private @write_cache(tensor<7x5xf32>)
func.func @cache_between(%q: tensor<3x5xf32>, %new: tensor<7x5xf32>) -> tensor<3x5xf32> {
  %zs = arith.constant dense<0.0> : tensor<3x7xf32>
  %zo = arith.constant dense<0.0> : tensor<3x5xf32>
  %ek = tensor.empty() : tensor<5x7xf32>
  %es = tensor.empty() : tensor<3x7xf32>
  %k = func.call @read_cache() : () -> tensor<7x5xf32>
  %kT = linalg.transpose ins(%k : tensor<7x5xf32>) outs(%ek : tensor<5x7xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kT : tensor<3x5xf32>, tensor<5x7xf32>) outs(%zs : tensor<3x7xf32>) -> tensor<3x7xf32>
  func.call @write_cache(%new) : (tensor<7x5xf32>) -> ()
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %v = func.call @read_cache() : () -> tensor<7x5xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x5xf32>) outs(%zo : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %o : tensor<3x5xf32>
}

// A tensor that is a view of a buffer is read where the IR reads it: a store between would be seen too late.
// CHECK: [Missed] fuse-attention | Category:fa | Function=buffer_overwritten |{{.*}}a buffer that an operand is a view of may be overwritten before the second product
// IR-LABEL: @buffer_overwritten(
// IR-NOT: fa.attention
// IR: return
func.func @buffer_overwritten(%q: tensor<3x5xf32>, %buffer: memref<5x7xf32>, %v: tensor<7x4xf32>, %new: f32) -> tensor<3x4xf32> {
  %zs = arith.constant dense<0.0> : tensor<3x7xf32>
  %zo = arith.constant dense<0.0> : tensor<3x4xf32>
  %es = tensor.empty() : tensor<3x7xf32>
  %k = bufferization.to_tensor %buffer restrict : memref<5x7xf32> to tensor<5x7xf32>
  %s = linalg.matmul ins(%q, %k : tensor<3x5xf32>, tensor<5x7xf32>) outs(%zs : tensor<3x7xf32>) -> tensor<3x7xf32>
  linalg.fill ins(%new : f32) outs(%buffer : memref<5x7xf32>)
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// Asserts stay, and a cast proves no size: the key has as many rows as it says at run time.
// CHECK: [Passed] fuse-attention | Category:fa | Function=casts |
// IR-LABEL: @casts(
// IR: cf.assert
// IR: fa.attention
func.func @casts(%q: tensor<3x5xf32>, %k: tensor<?x5xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %zs = arith.constant dense<0.0> : tensor<3x7xf32>
  %zo = arith.constant dense<0.0> : tensor<3x4xf32>
  %ek = tensor.empty() : tensor<5x7xf32>
  %es = tensor.empty() : tensor<3x7xf32>
  %n = tensor.dim %k, %c0 : tensor<?x5xf32>
  %same = arith.cmpi eq, %n, %c7 : index
  cf.assert %same, "mismatching contracting dimension"
  %k7 = tensor.cast %k : tensor<?x5xf32> to tensor<7x5xf32>
  %kT = linalg.transpose ins(%k7 : tensor<7x5xf32>) outs(%ek : tensor<5x7xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kT : tensor<3x5xf32>, tensor<5x7xf32>) outs(%zs : tensor<3x7xf32>) -> tensor<3x7xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<3x7xf32>) outs(%es : tensor<3x7xf32>) -> tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zo : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}
