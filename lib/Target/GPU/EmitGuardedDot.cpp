//===- EmitGuardedDot.cpp - Products with a zero factor left out ----------===//
//
// A matrix instruction multiplies all elements, and 0 · NaN is NaN. Infinities and NaN are rare,
// so the block looks for them in the column operand first, and only if there are any
//   - multiplies with zeros in their places,
//   - and counts, by further products, which elements of the result they reach by a factor that is
//     not zero, and adds them there.
// The counts are products of small integers: the sign of the row factor as 1 or 1024, and
// indicators of what is or acts like +inf and -inf (NaN acts like both).
//
//===----------------------------------------------------------------------===//

#include "DotShape.h"
#include "Emitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::fa;

/// The count of factors below zero begins at this bit.
static constexpr int64_t kNegativeBit = 10;

namespace {

/// The bits of an element type in a 32-bit register, which holds two 16-bit elements or one f32.
struct FloatBits {
  uint32_t top;      ///< the sign bits
  uint32_t lowest;   ///< the lowest bits
  uint32_t infinity; ///< +inf in every element
  uint32_t one;      ///< 1.0, in the lowest element
  uint32_t shift;    ///< of the sign bit to the element's lowest

  explicit FloatBits(Type element) {
    bool isWide = element.isF32();
    one = isWide ? 0x3f800000 : element.isBF16() ? 0x3f80 : 0x3c00;
    infinity = isWide ? 0x7f800000 : element.isBF16() ? 0x7f807f80 : 0x7c007c00;
    top = isWide ? 0x80000000 : 0x80008000;
    shift = isWide ? 31 : 15;
    lowest = top >> shift;
  }
  uint32_t all() const { return shift == 31 ? ~0u : (1u << (shift + 1)) - 1; }
};

/// Arithmetic on registers of elements.
struct Bits {
  OpBuilder &b;
  Location loc;
  FloatBits format;

  Value constant(uint32_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value both(Value a, Value c) { return arith::AndIOp::create(b, loc, a, c); }
  Value either(Value a, Value c) { return arith::OrIOp::create(b, loc, a, c); }
  Value inverse(Value a) { return arith::XOrIOp::create(b, loc, a, constant(~0u)); }

  /// Sets the top bits where the magnitude is at least infinity plus `more`; other bits are left
  /// as they come. No element carries into the next one.
  Value reaches(Value word, uint32_t more) {
    Value magnitude = both(word, constant(~format.top));
    uint32_t missing = format.top - format.infinity - more;
    return arith::AddIOp::create(b, loc, magnitude, constant(missing));
  }
  /// `each` in every element whose top bit is set, 0 in the others.
  Value spread(Value tops, uint32_t each) {
    Value low = arith::ShRUIOp::create(b, loc, tops, constant(format.shift));
    return arith::MulIOp::create(b, loc, low, constant(each));
  }

  Value specials(Value word) { return both(reaches(word, 0), constant(format.top)); }
  /// Zero where an element is infinite or NaN.
  Value finite(Value word) { return both(word, inverse(spread(specials(word), format.all()))); }
  /// 1.0 where an element is NaN or the infinity of that sign.
  Value actsLike(Value word, bool isNegative) {
    Value isNan = both(reaches(word, format.lowest), constant(format.top));
    Value signs = isNegative ? word : inverse(word);
    return spread(either(isNan, both(specials(word), signs)), format.one);
  }
};

} // namespace

/// Whether the operand's tile in shared memory has an infinity or NaN, as i1: the same for the
/// whole block.
Value Emitter::findSpecials(Value load) {
  const SharedTile &tile = plan.shared[plan.sharedOf.lookup(load)];
  Bits bits{b, loc, FloatBits(cast<RankedTensorType>(load.getType()).getElementType())};
  auto vector = VectorType::get(4, b.getI32Type());
  Value found = constant(0);
  Value start = add(slotOffsetOf(load), mul(thread, constant(kUnitBytes)));
  int64_t atOnce = plan.threads() * kUnitBytes;
  for (int64_t offset = 0; offset < tile.slotBytes; offset += atOnce) {
    // The last threads read an earlier unit again.
    Value place = start;
    if (offset + atOnce > tile.slotBytes) {
      Value within = mul(thread, constant(kUnitBytes));
      within =
          arith::MinSIOp::create(b, loc, within, constant(tile.slotBytes - offset - kUnitBytes));
      place = add(slotOffsetOf(load), within);
    }
    Value words = LLVM::LoadOp::create(b, loc, vector, sharedPointer(place, offset),
                                       /*alignment=*/kUnitBytes);
    for (int64_t i = 0; i < 4; ++i)
      found = bits.either(
          found, bits.reaches(LLVM::ExtractElementOp::create(b, loc, words, constant(i)), 0));
  }
  return anyInBlock(bits.both(found, bits.constant(bits.format.top)));
}

/// Whether an i32 is not 0 in some thread of the block, as i1. All threads meet here.
Value Emitter::anyInBlock(Value value) {
  auto isSet = [&](Value number) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, number, constant(0));
  };
  Type i32 = b.getI32Type();
  auto either = NVVM::BarrierReductionAttr::get(b.getContext(), NVVM::BarrierReduction::OR);
  Value predicate = arith::ExtUIOp::create(b, loc, i32, isSet(value));
  return isSet(NVVM::BarrierOp::create(b, loc, i32, Value(), Value(), either, predicate).getRes());
}

LogicalResult Emitter::emitGuardedDot(Node &node, MutableArrayRef<Value> product) {
  Block *plain = addBlock(), *guarded = addBlock();
  Block *after = addBlock(TypeRange(ValueRange(product)));
  Value hasSpecials = findSpecials(DotShape(node).columns);
  LLVM::CondBrOp::create(b, loc, hasSpecials, guarded, plain);
  for (Block *block : {plain, guarded}) {
    b.setInsertionPointToEnd(block);
    SmallVector<Value> values(product);
    if (failed(block == plain ? multiplyAll(node, values) : multiplyGuarded(node, values)))
      return failure();
    LLVM::BrOp::create(b, loc, values, after);
  }
  b.setInsertionPointToEnd(after);
  llvm::copy(after->getArguments(), product.begin());
  return success();
}

/// 1 for a positive factor, 2^kNegativeBit for a negative one, else 0.
Value Emitter::signOf(Value value) {
  Type type = value.getType();
  auto number = [&](double x) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, x));
  };
  auto is = [&](arith::CmpFPredicate predicate) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, value, number(0));
  };
  Value sign = arith::SelectOp::create(b, loc, is(arith::CmpFPredicate::OLT),
                                       number(1 << kNegativeBit), number(0));
  return arith::SelectOp::create(b, loc, is(arith::CmpFPredicate::OGT), number(1), sign);
}

/// product += rows · columns, the finite part last. The barriers keep registers of one step from
/// being held for later ones.
LogicalResult Emitter::multiplyGuarded(Node &node, MutableArrayRef<Value> product) {
  DotShape shape(node);
  if (shape.depth >= int64_t(1) << kNegativeBit)
    return node.op->emitOpError("is too deep to leave out products");
  SmallVector<SmallVector<Value>> signs;
  for (int64_t step = 0; step < shape.steps(); ++step)
    for (int64_t fragment = 0; fragment < plan.rowFragments; ++fragment)
      signs.push_back(packFragment(shape.rows, shape.element, fragment, step,
                                   [&](Value value) { return signOf(value); }));
  for (int64_t column = 0; column < shape.columnFragments; ++column)
    addSpecials(node, column, signs, product);

  Bits bits{b, loc, FloatBits(shape.element)};
  for (int64_t step = 0; step < shape.steps(); ++step) {
    SmallVector<SmallVector<Value>> rows;
    for (int64_t fragment = 0; fragment < plan.rowFragments; ++fragment) {
      FailureOr<SmallVector<Value>> operand = rowOperand(node, fragment, step);
      if (failed(operand))
        return failure();
      rows.push_back(*operand);
    }
    for (int64_t column = 0; column < shape.columnFragments; ++column) {
      SmallVector<Value> finite;
      for (Value word : loadColumnFragment(node, column, step))
        finite.push_back(bits.finite(word));
      finite = instructions.prepareColumns(b, loc, shape.element, finite);
      for (int64_t fragment = 0; fragment < plan.rowFragments; ++fragment)
        instructions.multiply(b, loc, shape.element, rows[fragment], finite,
                              product.slice(shape.fragmentAt(fragment, column), 4));
    }
    barrier();
  }
  return success();
}

/// The two registers of a column fragment at one step of the depth.
SmallVector<Value> Emitter::loadColumnFragment(Node &node, int64_t column, int64_t step) {
  SmallVector<Value> pair = loadColumnOperand(node, column / 2, step);
  return {pair[2 * (column % 2)], pair[2 * (column % 2) + 1]};
}

/// What infinities and NaN add to a column of fragments; `signs` by step and fragment.
void Emitter::addSpecials(Node &node, int64_t column, ArrayRef<SmallVector<Value>> signs,
                          MutableArrayRef<Value> product) {
  DotShape shape(node);
  Bits bits{b, loc, FloatBits(shape.element)};
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  SmallVector<Value> above(plan.rowFragments * 4, zero), below = above;
  for (int64_t step = 0; step < shape.steps(); ++step) {
    SmallVector<Value> positive, negative;
    for (Value word : loadColumnFragment(node, column, step)) {
      positive.push_back(bits.actsLike(word, /*isNegative=*/false));
      negative.push_back(bits.actsLike(word, /*isNegative=*/true));
    }
    for (int64_t fragment = 0; fragment < plan.rowFragments; ++fragment) {
      ArrayRef<Value> rows = signs[step * plan.rowFragments + fragment];
      auto count = [&](ArrayRef<Value> columns, SmallVectorImpl<Value> &counts) {
        instructions.multiplyIntegers(b, loc, shape.element, rows, columns,
                                      MutableArrayRef(counts).slice(fragment * 4, 4));
      };
      count(positive, above);
      count(negative, below);
    }
  }
  // Few columns are reached, and a block of its own needs few registers.
  Value isReached = constant(0);
  for (Value count : llvm::concat<Value>(above, below))
    isReached = bits.either(isReached, arith::BitcastOp::create(b, loc, b.getI32Type(), count));
  SmallVector<Value> reached;
  for (int64_t i = 0; i < plan.rowFragments * 4; ++i)
    reached.push_back(product[shape.fragmentAt(i / 4, column) + i % 4]);
  Block *inside = addBlock(), *after = addBlock(TypeRange(ValueRange(reached)));
  LLVM::CondBrOp::create(b, loc, anyInBlock(isReached), inside, ValueRange(), after, reached);
  b.setInsertionPointToEnd(inside);
  for (int64_t i = 0; i < plan.rowFragments * 4; ++i)
    addInfinities(above[i], below[i], reached[i]);
  LLVM::BrOp::create(b, loc, reached, after);
  b.setInsertionPointToEnd(after);
  for (int64_t i = 0; i < plan.rowFragments * 4; ++i)
    product[shape.fragmentAt(i / 4, column) + i % 4] = after->getArgument(i);
}

/// Adds infinities to an element of the product that was reached by `above` positive and `below`
/// negative ones.
void Emitter::addInfinities(Value above, Value below, Value &product) {
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  above = arith::FPToSIOp::create(b, loc, i32, above);
  below = arith::FPToSIOp::create(b, loc, i32, below);
  // A factor below zero turns the sign.
  auto addIf = [&](Value byPositive, Value byNegative, double infinity) {
    Value low = arith::AndIOp::create(b, loc, byPositive, constant((1 << kNegativeBit) - 1));
    Value high = arith::ShRUIOp::create(b, loc, byNegative, constant(kNegativeBit));
    Value count = arith::OrIOp::create(b, loc, low, high);
    Value isReached = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, count, constant(0));
    Value term = arith::SelectOp::create(
        b, loc, isReached, arith::ConstantOp::create(b, loc, b.getFloatAttr(f32, infinity)),
        arith::ConstantOp::create(b, loc, b.getFloatAttr(f32, 0)));
    product = arith::AddFOp::create(b, loc, product, term);
  };
  double infinity = std::numeric_limits<double>::infinity();
  addIf(above, below, infinity);
  addIf(below, above, -infinity);
}
