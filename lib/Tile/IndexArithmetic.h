//===- IndexArithmetic.h - Index arithmetic that folds as it is built -----===//
#ifndef FA_LIB_TILE_INDEXARITHMETIC_H
#define FA_LIB_TILE_INDEXARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

namespace mlir::fa {

/// Index arithmetic at a builder; constants fold at once.
class IndexArithmetic {
public:
  IndexArithmetic(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value get(OpFoldResult value) const {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  }
  Value get(int64_t value) const { return get(builder.getIndexAttr(value)); }

  Value add(Value lhs, Value rhs) const { return create<arith::AddIOp>(lhs, rhs); }
  Value sub(Value lhs, Value rhs) const { return create<arith::SubIOp>(lhs, rhs); }
  Value mul(Value lhs, int64_t rhs) const { return create<arith::MulIOp>(lhs, get(rhs)); }
  Value min(Value lhs, Value rhs) const { return create<arith::MinSIOp>(lhs, rhs); }
  Value max(Value lhs, Value rhs) const { return create<arith::MaxSIOp>(lhs, rhs); }
  Value floorDiv(Value lhs, int64_t rhs) const {
    return rhs == 1 ? lhs : create<arith::FloorDivSIOp>(lhs, get(rhs));
  }
  Value ceilDiv(Value lhs, int64_t rhs) const {
    return rhs == 1 ? lhs : create<arith::CeilDivSIOp>(lhs, get(rhs));
  }
  /// The largest multiple of `step` up to `value`, which is not negative.
  Value alignDown(Value value, int64_t step) const {
    if (step == 1)
      return value;
    return mul(create<arith::DivUIOp>(value, get(step)), step);
  }
  /// The smallest multiple of `step` from `value` on, which is not negative.
  Value alignUp(Value value, int64_t step) const {
    return alignDown(add(value, get(step - 1)), step);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) const {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, lhs, rhs);
  }
  Value select(Value condition, Value lhs, Value rhs) const {
    return builder.createOrFold<arith::SelectOp>(loc, condition, lhs, rhs);
  }
  Value both(Value lhs, Value rhs) const { return create<arith::AndIOp>(lhs, rhs); }

private:
  template <typename Op> Value create(Value lhs, Value rhs) const {
    return builder.createOrFold<Op>(loc, lhs, rhs);
  }

  OpBuilder &builder;
  Location loc;
};

} // namespace mlir::fa

#endif // FA_LIB_TILE_INDEXARITHMETIC_H
