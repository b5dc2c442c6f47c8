// RUN: fa-opt %s --fuse-attention=to=op -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not="fuse-attention | Category"
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// IR-NOT: fa.attention

// One near-miss per reason that a softmax is refused for; each function gets exactly one remark.

func.func private @first(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>) -> tensor<3x7xf32> {
  %c = arith.constant dense<0.0> : tensor<3x7xf32>
  %s = linalg.matmul ins(%q, %k : tensor<3x5xf32>, tensor<5x7xf32>) outs(%c : tensor<3x7xf32>) -> tensor<3x7xf32>
  return %s : tensor<3x7xf32>
}
func.func private @max(%s: tensor<3x7xf32>) -> tensor<3xf32> {
  %c = arith.constant dense<0xFF800000> : tensor<3xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<3x7xf32>) outs(%c : tensor<3xf32>) dimensions = [1]
  return %m : tensor<3xf32>
}
func.func private @sum(%e: tensor<3x7xf32>) -> tensor<3xf32> {
  %c = arith.constant dense<0.0> : tensor<3xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<3x7xf32>) outs(%c : tensor<3xf32>) dimensions = [1]
  return %l : tensor<3xf32>
}
func.func private @spread(%r: tensor<3xf32>) -> tensor<3x7xf32> {
  %c = tensor.empty() : tensor<3x7xf32>
  %b = linalg.broadcast ins(%r : tensor<3xf32>) outs(%c : tensor<3x7xf32>) dimensions = [1]
  return %b : tensor<3x7xf32>
}

// CHECK: fuse-attention | Category:fa | Function=subtracts_sum |{{.*}}the exponent subtracts a sum
func.func @subtracts_sum(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = func.call @first(%q, %k) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %e0 = math.exp %s : tensor<3x7xf32>
  %m = func.call @sum(%e0) : (tensor<3x7xf32>) -> tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %l = func.call @sum(%e) : (tensor<3x7xf32>) -> tensor<3xf32>
  %lb = func.call @spread(%l) : (tensor<3xf32>) -> tensor<3x7xf32>
  %p = arith.divf %e, %lb : tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=max_of_others |{{.*}}the row maximum that is subtracted is not the maximum of the same scores
func.func @max_of_others(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = func.call @first(%q, %k) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %n = arith.negf %s : tensor<3x7xf32>
  %m = func.call @max(%n) : (tensor<3x7xf32>) -> tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %l = func.call @sum(%e) : (tensor<3x7xf32>) -> tensor<3xf32>
  %lb = func.call @spread(%l) : (tensor<3xf32>) -> tensor<3x7xf32>
  %p = arith.divf %e, %lb : tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=subtracts_magnitude |{{.*}}the exponent subtracts something else than the row maximum of the same scores
func.func @subtracts_magnitude(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = func.call @first(%q, %k) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %m0 = func.call @max(%s) : (tensor<3x7xf32>) -> tensor<3xf32>
  %m = math.absf %m0 : tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %l = func.call @sum(%e) : (tensor<3x7xf32>) -> tensor<3xf32>
  %lb = func.call @spread(%l) : (tensor<3xf32>) -> tensor<3x7xf32>
  %p = arith.divf %e, %lb : tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=subtracts_twice |{{.*}}the exponent subtracts a multiple of the row maximum
func.func @subtracts_twice(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = func.call @first(%q, %k) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %m0 = func.call @max(%s) : (tensor<3x7xf32>) -> tensor<3xf32>
  %m = arith.addf %m0, %m0 : tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %l = func.call @sum(%e) : (tensor<3x7xf32>) -> tensor<3xf32>
  %lb = func.call @spread(%l) : (tensor<3xf32>) -> tensor<3x7xf32>
  %p = arith.divf %e, %lb : tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=log_sum_twice |{{.*}}the exponent subtracts a multiple of the logarithm of the sum
func.func @log_sum_twice(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = func.call @first(%q, %k) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %m = func.call @max(%s) : (tensor<3x7xf32>) -> tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %l = func.call @sum(%e) : (tensor<3x7xf32>) -> tensor<3xf32>
  %g = math.log %l : tensor<3xf32>
  %g2 = arith.addf %g, %g : tensor<3xf32>
  %gb = func.call @spread(%g2) : (tensor<3xf32>) -> tensor<3x7xf32>
  %y = arith.subf %x, %gb : tensor<3x7xf32>
  %p = math.exp %y : tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=log_of_maximum |{{.*}}the weights are divided by something else than the sum of their exponentials
func.func @log_of_maximum(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = func.call @first(%q, %k) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %m = func.call @max(%s) : (tensor<3x7xf32>) -> tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %l = func.call @sum(%e) : (tensor<3x7xf32>) -> tensor<3xf32>
  %g = math.log %m : tensor<3xf32>
  %gb = func.call @spread(%g) : (tensor<3xf32>) -> tensor<3x7xf32>
  %y = arith.subf %x, %gb : tensor<3x7xf32>
  %p = math.exp %y : tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=sink_without_maximum |{{.*}}the extra term of the sum is not the exponential of a sink
func.func @sink_without_maximum(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>, %r: tensor<3xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = func.call @first(%q, %k) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %m = func.call @max(%s) : (tensor<3x7xf32>) -> tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %l = func.call @sum(%e) : (tensor<3x7xf32>) -> tensor<3xf32>
  %t = math.exp %r : tensor<3xf32>
  %l2 = arith.addf %l, %t : tensor<3xf32>
  %lb = func.call @spread(%l2) : (tensor<3xf32>) -> tensor<3x7xf32>
  %p = arith.divf %e, %lb : tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=sink_in_maximum_only |{{.*}}the maximum has an extra term that the sum does not have
func.func @sink_in_maximum_only(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>, %r: tensor<3xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = func.call @first(%q, %k) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %m0 = func.call @max(%s) : (tensor<3x7xf32>) -> tensor<3xf32>
  %m = arith.maximumf %m0, %r : tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %l = func.call @sum(%e) : (tensor<3x7xf32>) -> tensor<3xf32>
  %lb = func.call @spread(%l) : (tensor<3xf32>) -> tensor<3x7xf32>
  %p = arith.divf %e, %lb : tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=two_exponentials |{{.*}}the weights are not one exponential
func.func @two_exponentials(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = func.call @first(%q, %k) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %m = func.call @max(%s) : (tensor<3x7xf32>) -> tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %l = func.call @sum(%e) : (tensor<3x7xf32>) -> tensor<3xf32>
  %w = math.exp %s : tensor<3x7xf32>
  %u = arith.mulf %e, %w : tensor<3x7xf32>
  %lb = func.call @spread(%l) : (tensor<3xf32>) -> tensor<3x7xf32>
  %p = arith.divf %u, %lb : tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=divided_twice |{{.*}}the weights are divided by their sum twice
func.func @divided_twice(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = func.call @first(%q, %k) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %m = func.call @max(%s) : (tensor<3x7xf32>) -> tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %l = func.call @sum(%e) : (tensor<3x7xf32>) -> tensor<3xf32>
  %lb = func.call @spread(%l) : (tensor<3xf32>) -> tensor<3x7xf32>
  %p0 = arith.divf %e, %lb : tensor<3x7xf32>
  %p = arith.divf %p0, %lb : tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=never_divided |{{.*}}the exponentials are never divided by their row sum
func.func @never_divided(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = func.call @first(%q, %k) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %m = func.call @max(%s) : (tensor<3x7xf32>) -> tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %o = linalg.matmul ins(%e, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=sum_from_one |{{.*}}the sum of the exponentials does not start at 0
func.func @sum_from_one(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = func.call @first(%q, %k) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %m = func.call @max(%s) : (tensor<3x7xf32>) -> tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %one = arith.constant dense<1.0> : tensor<3xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<3x7xf32>) outs(%one : tensor<3xf32>) dimensions = [1]
  %lb = func.call @spread(%l) : (tensor<3xf32>) -> tensor<3x7xf32>
  %p = arith.divf %e, %lb : tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=product_added_before_division |{{.*}}the second product accumulates into something else than 0
func.func @product_added_before_division(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>, %c: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = func.call @first(%q, %k) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %m = func.call @max(%s) : (tensor<3x7xf32>) -> tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %l = func.call @sum(%e) : (tensor<3x7xf32>) -> tensor<3xf32>
  %u = linalg.matmul ins(%e, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%c : tensor<3x4xf32>) -> tensor<3x4xf32>
  %ec = tensor.empty() : tensor<3x4xf32>
  %lb = linalg.broadcast ins(%l : tensor<3xf32>) outs(%ec : tensor<3x4xf32>) dimensions = [1]
  %o = arith.divf %u, %lb : tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=scores_from_sum |{{.*}}the scores are a sum over something else than a product of query and key
func.func @scores_from_sum(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>, %d: tensor<3x7x5xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %c = arith.constant dense<0.0> : tensor<3x7xf32>
  %s = linalg.reduce { arith.addf } ins(%d : tensor<3x7x5xf32>) outs(%c : tensor<3x7xf32>) dimensions = [2]
  %m = func.call @max(%s) : (tensor<3x7xf32>) -> tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %l = func.call @sum(%e) : (tensor<3x7xf32>) -> tensor<3xf32>
  %lb = func.call @spread(%l) : (tensor<3xf32>) -> tensor<3x7xf32>
  %p = arith.divf %e, %lb : tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=scores_from_maximum |{{.*}}the scores are a reduction that is no sum of products
func.func @scores_from_maximum(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>, %d: tensor<3x7x5xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %c = arith.constant dense<0xFF800000> : tensor<3x7xf32>
  %s = linalg.reduce { arith.maximumf } ins(%d : tensor<3x7x5xf32>) outs(%c : tensor<3x7xf32>) dimensions = [2]
  %m = func.call @max(%s) : (tensor<3x7xf32>) -> tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %l = func.call @sum(%e) : (tensor<3x7xf32>) -> tensor<3xf32>
  %lb = func.call @spread(%l) : (tensor<3xf32>) -> tensor<3x7xf32>
  %p = arith.divf %e, %lb : tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}

// CHECK: fuse-attention | Category:fa | Function=gradient_of_scores |{{.*}}the weights are multiplied by another product, as in a gradient
func.func @gradient_of_scores(%q: tensor<3x5xf32>, %k: tensor<5x7xf32>, %v: tensor<7x4xf32>, %q2: tensor<3x5xf32>, %k2: tensor<5x7xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %s = func.call @first(%q, %k) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %m = func.call @max(%s) : (tensor<3x7xf32>) -> tensor<3xf32>
  %mb = func.call @spread(%m) : (tensor<3xf32>) -> tensor<3x7xf32>
  %x = arith.subf %s, %mb : tensor<3x7xf32>
  %e = math.exp %x : tensor<3x7xf32>
  %l = func.call @sum(%e) : (tensor<3x7xf32>) -> tensor<3xf32>
  %lb = func.call @spread(%l) : (tensor<3xf32>) -> tensor<3x7xf32>
  %p0 = arith.divf %e, %lb : tensor<3x7xf32>
  %h = func.call @first(%q2, %k2) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %p = arith.mulf %p0, %h : tensor<3x7xf32>
  %o = linalg.matmul ins(%p, %v : tensor<3x7xf32>, tensor<7x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %o : tensor<3x4xf32>
}
