//===- TileGraph.h - The tile program as a small dataflow graph -----------===//
//
// What the planner reads: the body of one `scf.forall`, every op classified by its
// structure alone.
//
//===----------------------------------------------------------------------===//
#ifndef FA_TARGET_GPU_TILEGRAPH_H
#define FA_TARGET_GPU_TILEGRAPH_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <memory>

namespace mlir::fa {

/// A window of a tensor in global memory. `sizes` are the elements that exist; a tile may be
/// larger, then zeros stand behind them.
struct Window {
  Value tensor;                      ///< an argument of the function
  SmallVector<OpFoldResult> offsets; ///< in elements, one for each dim of the tensor
  SmallVector<int64_t> tileDims;     ///< the tensor's dim of each dim of the tile
  SmallVector<OpFoldResult> sizes;   ///< one for each dim of the tile
};

enum class NodeKind : uint8_t {
  Fill,   ///< every element is one scalar
  Load,   ///< a window of a tensor
  Dot,    ///< acc + a·b over one contracted dim
  Map,    ///< any elementwise arithmetic
  Reduce, ///< along rows
  Loop,   ///< scf.for
  Store   ///< a tile into a window of a result
};

/// The name of a kind as it stands in messages and attributes.
StringRef stringifyNodeKind(NodeKind kind);

/// How a reduction combines two values.
enum class Combiner : uint8_t { Add, Max, MaxNum, Min, MinNum };

struct Node {
  NodeKind kind;
  Operation *op;
  /// Load, Store: the place in global memory; for Store, `window.tensor` is the forall's
  /// output argument.
  Window window;
  /// Fill: the scalar, null for an uninitialised tile. Store: the tile.
  Value source;
  /// Fill of a dense constant: its value.
  TypedAttr constant;
  /// Dot: which input (0 or 1) has the rows of the result.
  unsigned rowInput = 0;
  /// Dot: the input whose zeros leave products out, whatever the other one holds there.
  std::optional<unsigned> guard;
  Combiner combiner = Combiner::Add;
  /// Loop: its body.
  std::vector<std::unique_ptr<Node>> body;

  linalg::GenericOp generic() const { return cast<linalg::GenericOp>(op); }
  scf::ForOp loop() const { return cast<scf::ForOp>(op); }
};

/// The graph of one forall. Tile values are SSA values of static tensor types.
class TileGraph {
public:
  /// Classifies the forall's body. Emits an error at the first op that fits no node.
  static FailureOr<TileGraph> build(scf::ForallOp forall);

  scf::ForallOp getForall() const { return forall; }

  std::vector<std::unique_ptr<Node>> body;
  /// The node that defines a tile value; loop-carried values have none.
  DenseMap<Value, Node *> definitions;

  /// The load that defines `value`, or null.
  Node *loadOf(Value value) const;
  /// Calls `visit` for every node, outer ones first, in program order.
  void walk(function_ref<void(Node &)> visit) const;

private:
  explicit TileGraph(scf::ForallOp forall) : forall(forall) {}

  scf::ForallOp forall;
};

} // namespace mlir::fa

#endif // FA_TARGET_GPU_TILEGRAPH_H
