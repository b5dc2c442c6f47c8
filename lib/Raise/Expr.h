//===- Expr.h - What a tensor element is, as an expression of its indices -===//
//
// Recognition asks "is this value a softmax of that product", not "which ops spell it". So every
// element of a tensor is described by a hash-consed scalar expression over loop indices (atoms);
// equal meaning, as far as the folding rules know, is pointer equality.
//
// Floating-point values have one type here, `f64`, whatever the IR's: conversions between float
// types are dropped (the floating-point contract allows it), so that a softmax computed in f32
// between f16 products reads as one chain. Integer values keep their type.
//
//===----------------------------------------------------------------------===//
#ifndef FA_LIB_RAISE_EXPR_H
#define FA_LIB_RAISE_EXPR_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Allocator.h"

namespace mlir::fa {

enum class ExprKind {
  Constant, ///< `attr`: a FloatAttr of f64, or an IntegerAttr
  Atom,     ///< loop index number `number`
  Scalar,   ///< the SSA scalar `value`
  Dim,      ///< the size of dimension `number` of the tensor `value`
  Load,     ///< element `operands` of the tensor `value`
  Apply,    ///< the scalar op `name` with attributes `attr` on `operands`
  Linear,   ///< `number` + Σ coefficients[i]·operands[i], of type index
  FloorDiv, ///< operands[0] floordiv `number`, of type index
  Mod,      ///< operands[0] mod `number`, of type index
  Marker,   ///< a floating-point value that has no expression yet, number `number`
};

/// One node. Immutable and unique within its ExprContext.
struct ExprNode : llvm::FoldingSetNode {
  ExprKind kind;
  Type type;
  StringAttr name;
  Attribute attr;
  Value value;
  int64_t number = 0;
  ArrayRef<const ExprNode *> operands;
  ArrayRef<int64_t> coefficients;
  /// Creation order: operands of commutative ops are sorted by it.
  unsigned id = 0;
  /// The atoms that the expression depends on, one bit each.
  uint64_t atoms = 0;
  /// Bounds of an integer value, both inclusive; INT64_MIN and INT64_MAX where unknown.
  int64_t low = INT64_MIN, high = INT64_MAX;

  void Profile(llvm::FoldingSetNodeID &id) const;
  bool isOp(StringRef opName) const { return kind == ExprKind::Apply && name == opName; }
  /// The value of an integer constant.
  std::optional<int64_t> getInt() const;
  /// The value of a floating-point constant.
  std::optional<double> getFloat() const;
  bool isFloat(double wanted) const { return getFloat() == wanted; }
};
using Expr = const ExprNode *;

/// Adds every load in `e` to `loads`; what stands in their indices is left aside.
void collectLoads(Expr e, llvm::SetVector<Expr> &loads);

/// Owns expressions, folds them as they are made, and knows which sizes are equal.
class ExprContext {
public:
  explicit ExprContext(MLIRContext *context);

  MLIRContext *getContext() { return context; }
  Type getFloatType() { return floatType; }
  Type getIndexType() { return indexType; }

  Expr constant(Attribute value);
  Expr constant(double value);
  Expr constant(int64_t value, Type type);
  Expr index(int64_t value) { return constant(value, indexType); }
  /// A fresh loop index in [0, size).
  Expr atom(Expr size);
  Expr scalar(Value value);
  Expr marker(int64_t number);
  Expr dim(Value tensor, int64_t dimension);
  Expr load(Value tensor, ArrayRef<Expr> indices);
  Expr apply(StringRef name, DictionaryAttr attributes, ArrayRef<Expr> operands, Type type);
  Expr apply(StringRef name, ArrayRef<Expr> operands);
  Expr select(Expr condition, Expr whenTrue, Expr whenFalse);
  Expr logicalNot(Expr condition);

  Expr add(Expr a, Expr b) { return combine(a, 1, b, 1); }
  Expr subtract(Expr a, Expr b) { return combine(a, 1, b, -1); }
  Expr scale(Expr a, int64_t factor) { return combine(a, factor, index(0), 0); }
  /// Product of two index expressions, linear when one is constant.
  Expr multiply(Expr a, Expr b);
  Expr floorDiv(Expr a, int64_t divisor);
  Expr mod(Expr a, int64_t divisor);
  /// The index expression behind an integer that was computed from indices and sizes, or null.
  Expr asIndex(Expr integer);
  /// `index` as an integer of `type`.
  Expr castIndex(Expr index, Type type);

  /// `e` with every key of `replacements` replaced; folds again. The map gains the results.
  Expr substitute(Expr e, llvm::DenseMap<Expr, Expr> &replacements);

  unsigned getNumAtoms() const { return atomSizes.size(); }
  Expr getAtom(unsigned number) const { return atomNodes[number]; }
  Expr getAtomSize(unsigned number) const { return atomSizes[number]; }
  /// The number of values of an index that takes every value from 0 on, or null if not known.
  Expr getExtent(Expr index);

  /// States that two sizes are equal: linalg ops require it of dimensions with one loop.
  void equate(Expr a, Expr b);
  bool sameSize(Expr a, Expr b);
  /// True once there are more nodes than a sane attention needs.
  bool isExhausted() const { return nodes.size() > kMaxNodes; }

private:
  static constexpr size_t kMaxNodes = 200000;

  Expr unique(ExprNode &node);
  Expr linear(int64_t constant, ArrayRef<std::pair<Expr, int64_t>> terms);
  Expr combine(Expr a, int64_t factorA, Expr b, int64_t factorB);
  Expr foldFloat(StringRef name, ArrayRef<Expr> operands, Type type);
  Expr foldInteger(StringRef name, DictionaryAttr attributes, ArrayRef<Expr> operands, Type type);
  Expr foldIntegerCast(StringRef name, Expr operand, Type type);
  Expr foldCompare(StringRef name, DictionaryAttr attributes, ArrayRef<Expr> operands);
  Expr foldSelect(ArrayRef<Expr> operands);
  Expr foldLogic(StringRef name, ArrayRef<Expr> operands);
  Expr findSize(Expr e);

  MLIRContext *context;
  Type floatType, indexType;
  llvm::BumpPtrAllocator allocator;
  llvm::FoldingSet<ExprNode> nodes;
  SmallVector<Expr> atomNodes, atomSizes;
  llvm::DenseMap<Expr, Expr> sizeParents;
};

} // namespace mlir::fa

#endif // FA_LIB_RAISE_EXPR_H
