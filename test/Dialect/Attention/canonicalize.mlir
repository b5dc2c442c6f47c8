// RUN: fa-opt %s --canonicalize | FileCheck %s

#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
#row = affine_map<(m, n, d, e) -> (m)>
#column = affine_map<(m, n, d, e) -> (n)>
#scores = affine_map<(m, n, d, e) -> (m, n)>

// An extra that no region reads goes, with its map and its argument.
// CHECK-LABEL: func @unused_extra
// CHECK-SAME: (%[[Q:.*]]: tensor<4x8xf32>, %[[K:.*]]: tensor<6x8xf32>, %[[V:.*]]: tensor<6x2xf32>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<6xf32>)
// CHECK: fa.attention query(%[[Q]]) key(%[[K]]) value(%[[V]]) extras(%[[Y]])
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: index, %{{.*}}: index, %[[COLUMN:.*]]: f32):
// CHECK-NEXT: arith.addf %{{.*}}, %[[COLUMN]]
func.func @unused_extra(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %x: tensor<4xf32>, %y: tensor<6xf32>) -> tensor<4x2xf32> {
  %o = fa.attention query(%q) key(%k) value(%v) extras(%x, %y)
      roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #row, #column, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4xf32>, tensor<6xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index, %row: f32, %column: f32):
    %sum = arith.addf %s, %column : f32
    fa.yield %sum : f32
  }
  return %o : tensor<4x2xf32>
}

// The same value by the same map is one extra; by another map it is another one.
// CHECK-LABEL: func @twin_extras
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<4xf32>)
// CHECK: extras(%[[X]], %[[X]])
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: index, %{{.*}}: index, %[[ROW:.*]]: f32, %[[COLUMN:.*]]: f32):
// CHECK-NEXT: arith.mulf %[[ROW]], %[[ROW]]
func.func @twin_extras(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>, %v: tensor<4x2xf32>, %x: tensor<4xf32>) -> tensor<4x2xf32> {
  %o = fa.attention query(%q) key(%k) value(%v) extras(%x, %x, %x)
      roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #row, #row, #column, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index, %a: f32, %b: f32, %c: f32):
    %square = arith.mulf %a, %b : f32
    %scaled = arith.mulf %square, %c : f32
    %sum = arith.addf %s, %scaled : f32
    fa.yield %sum : f32
  }
  return %o : tensor<4x2xf32>
}

// An extra that only the probability region reads stays.
// CHECK-LABEL: func @probability_extra
// CHECK: extras(%{{.*}}) results(lse)
func.func @probability_extra(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %keep: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4xf32>) {
  %o:2 = fa.attention query(%q) key(%k) value(%v) extras(%keep) results(lse)
      roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #scores, #o, #row] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4xf32>) score {
  ^bb0(%s: f32, %m: index, %n: index, %x: f32):
    fa.yield %s : f32
  } probability {
  ^bb0(%p: f32, %m: index, %n: index, %x: f32):
    %kept = arith.mulf %p, %x : f32
    fa.yield %kept : f32
  }
  return %o#0, %o#1 : tensor<4x2xf32>, tensor<4xf32>
}

// Optional results without users go; the others, the sink and the schedule stay.
// CHECK-LABEL: func @unused_results
// CHECK: %{{.*}}, %[[MAX:.*]] = fa.attention {{.*}} sink(%{{.*}}) results(row_max)
// CHECK-NEXT: roles <query, key, head_dim, value_dim> maps [#{{.*}}, #{{.*}}, #{{.*}}, #[[ROW:.*]], #{{.*}}, #[[ROW]]] empty_rows <zero> schedule <query_tile = 4, key_tile = 2>
// CHECK: return %{{.*}}, %[[MAX]]
func.func @unused_results(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %sink: tensor<4xf32>) -> (tensor<4x2xf32>, tensor<4xf32>) {
  %o:4 = fa.attention query(%q) key(%k) value(%v) sink(%sink) results(lse, row_max, probabilities)
      roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #row, #o, #row, #row, #scores] empty_rows <zero> schedule <query_tile = 4, key_tile = 2>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>, tensor<4xf32>) -> (tensor<4x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x6xf32>) score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return %o#0, %o#2 : tensor<4x2xf32>, tensor<4xf32>
}

// Without users it is dead: it has no effects.
// CHECK-LABEL: func @dead
// CHECK-NEXT: return
func.func @dead(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>) {
  %o = fa.attention query(%q) key(%k) value(%v)
      roles <query, key, head_dim, value_dim> maps [#q, #k, #v, #o] empty_rows <nan>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> score {
  ^bb0(%s: f32, %m: index, %n: index):
    fa.yield %s : f32
  }
  return
}
