// RUN: fa-opt %s --fa-cpu-keep-tile-programs --canonicalize | FileCheck %s

// The loop stays, though it runs once.
// CHECK-LABEL: @once
// CHECK: %[[BOUND:.*]] = builtin.unrealized_conversion_cast %{{.*}} : i64 to index
// CHECK: scf.forall (%{{.*}}) = (0) to (%[[BOUND]]) step (4)
func.func @once(%x: tensor<3xf32>, %out: tensor<3xf32>) -> tensor<3xf32> {
  %r = scf.forall (%i) = (0) to (3) step (4) shared_outs(%o = %out) -> (tensor<3xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%i] [3] [1] : tensor<3xf32> into tensor<3xf32>
    }
  }
  return %r : tensor<3xf32>
}

// One that runs more often, or never, needs nothing.
// CHECK-LABEL: @often
// CHECK: scf.forall (%{{.*}}) in (2)
func.func @often(%x: tensor<1xf32>, %out: tensor<2xf32>) -> tensor<2xf32> {
  %r = scf.forall (%i) in (2) shared_outs(%o = %out) -> (tensor<2xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%i] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  return %r : tensor<2xf32>
}
