//===- EmitLoops.cpp - Loops, and the tiles that are on their way ---------===//
//
// The loops of a chain compute one sequence of tiles. Tile number t lies in slot t mod stages
// and is fetched `stages - 1` tiles before it is needed:
//
//   fetch tiles 0 … stages - 2
//   for every tile t:
//     wait for tile t; barrier        (all threads are done with tile t - 1, too)
//     fetch tile t + stages - 1       (into the slot of tile t - 1)
//     compute tile t
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace mlir::fa;

/// The next slot; slots are counted by their number.
Value Emitter::slotAfter(Value slot) {
  if (plan.stages == 1)
    return slot;
  Value next = add(slot, constant(1));
  Value isLast =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, constant(plan.stages));
  return arith::SelectOp::create(b, loc, isLast, constant(0), next);
}

/// Starts the copies of tile number `tile` of the sequence into `slot`, if there is such a tile.
LogicalResult Emitter::fetch(LoopChain &chain, Value tile, Value slot) {
  ChainState &state = chainStates[plan.chainOf.lookup(chain.loops.front())];
  Block *inside = addBlock(), *after = addBlock();
  Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, tile, state.total);
  LLVM::CondBrOp::create(b, loc, exists, inside, after);
  b.setInsertionPointToEnd(inside);

  // The position of the tile: in the last loop whose first tile is not behind it.
  Value position;
  for (auto [first, number] : llvm::zip(state.firsts, state.numbers)) {
    Value here = add(first, mul(arith::SubIOp::create(b, loc, tile, number), state.step));
    if (!position) {
      position = here;
      continue;
    }
    Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, tile, number);
    position = arith::SelectOp::create(b, loc, isHere, here, position);
  }
  setBounds(position, {0, kMaxDimSize});
  for (auto [load, source] : llvm::zip(chain.loads, chain.sources)) {
    const SharedTile &shared = plan.shared[plan.sharedOf.lookup(load->op->getResult(0))];
    Value offset = add(mul(slot, constant(shared.slotBytes)), constant(shared.offset));
    scopes.emplace_back();
    remember(source->loop().getInductionVar(), position);
    LogicalResult result = copyToShared(*load, offset);
    scopes.pop_back();
    if (failed(result))
      return failure();
  }
  LLVM::BrOp::create(b, loc, after);
  b.setInsertionPointToEnd(after);
  return success();
}

/// Numbers the tiles of all loops of the chain and fetches the first ones.
LogicalResult Emitter::startChain(LoopChain &chain) {
  ChainState &state = chainStates[plan.chainOf.lookup(chain.loops.front())];
  state = ChainState();
  state.total = constant(0);
  FailureOr<Value> step = scalar(chain.loops.front()->loop().getStep());
  if (failed(step))
    return failure();
  state.step = *step;
  for (Node *loop : chain.loops) {
    FailureOr<Value> low = scalar(loop->loop().getLowerBound());
    FailureOr<Value> high = scalar(loop->loop().getUpperBound());
    if (failed(low) || failed(high))
      return failure();
    if (!low->getType().isInteger(32) || !high->getType().isInteger(32))
      return loop->op->emitOpError("expects loop bounds that are sizes or positions");
    Value extent = arith::SubIOp::create(b, loc, *high, *low);
    extent = arith::MaxSIOp::create(b, loc, extent, constant(0));
    Value rounded = arith::SubIOp::create(b, loc, add(extent, state.step), constant(1));
    Value count = arith::DivUIOp::create(b, loc, rounded, state.step);
    state.firsts.push_back(*low);
    state.numbers.push_back(state.total);
    state.total = add(state.total, count);
  }
  state.number = state.slot = constant(0);
  // Inside another loop, slower threads may still read the slots.
  if (chain.loops.front()->op->getParentOfType<scf::ForOp>())
    barrier();
  for (int64_t tile = 0; tile < plan.stages - 1; ++tile) {
    if (failed(fetch(chain, constant(tile), constant(tile))))
      return failure();
    instructions.commitCopies(b, loc);
  }
  if (hasPendingCopies) {
    instructions.waitForCopies(b, loc, plan.stages - 1);
    barrier();
    hasPendingCopies = false;
    makeResident();
  }
  return success();
}

static SmallVector<Value> flatten(ArrayRef<Value> tilesOrScalars,
                                  function_ref<ValueRange(Value)> valuesOf) {
  SmallVector<Value> flat;
  for (Value value : tilesOrScalars)
    llvm::append_range(flat, valuesOf(value));
  return flat;
}

LogicalResult Emitter::emitLoop(Node &node) {
  scf::ForOp loop = node.loop();
  auto chainIt = plan.chainOf.find(&node);
  bool isChained = chainIt != plan.chainOf.end();
  // A copy: the plan is not changed by emission.
  LoopChain chain;
  if (isChained) {
    chain = plan.chains[chainIt->second];
    if (chain.loops.front() == &node && failed(startChain(chain)))
      return failure();
  }
  FailureOr<Value> low = scalar(loop.getLowerBound()), high = scalar(loop.getUpperBound()),
                   step = scalar(loop.getStep());
  if (failed(low) || failed(high) || failed(step))
    return failure();
  SmallVector<Value> inits;
  for (Value init : loop.getInitArgs()) {
    if (!tiles.count(init))
      return node.op->emitOpError("expects loop-carried values to be tiles");
    llvm::append_range(inits, tiles[init].values);
  }
  SmallVector<Value> starts = {*low};
  if (isChained)
    llvm::append_range(
        starts, ValueRange{chainStates[chainIt->second].number, chainStates[chainIt->second].slot});
  llvm::append_range(starts, inits);

  Block *top = addBlock(TypeRange(ValueRange(starts))), *body = addBlock(), *done = addBlock();
  LLVM::BrOp::create(b, loc, starts, top);
  b.setInsertionPointToEnd(top);
  Value variable = top->getArgument(0);
  setBounds(variable, {std::max<int64_t>(0, boundsOf(*low).low), boundsOf(*high).high - 1});
  Value isLeft = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, variable, *high);
  LLVM::CondBrOp::create(b, loc, isLeft, body, done);

  b.setInsertionPointToEnd(body);
  SmallVector<Value> next = {};
  if (isChained) {
    ChainState &state = chainStates[chainIt->second];
    state.number = top->getArgument(1);
    state.slot = top->getArgument(2);
    if (plan.stages > 1)
      instructions.waitForCopies(b, loc, plan.stages - 2);
    barrier();
    Value ahead = plan.stages == 1 ? state.number : add(state.number, constant(plan.stages - 1));
    // The slot before this one, which the tile before this one left.
    Value target = state.slot;
    if (plan.stages > 1) {
      Value isFirst =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, state.slot, constant(0));
      target = arith::SelectOp::create(b, loc, isFirst, constant(plan.stages - 1),
                                       arith::SubIOp::create(b, loc, state.slot, constant(1)));
    }
    if (failed(fetch(chain, ahead, target)))
      return failure();
    instructions.commitCopies(b, loc);
    if (plan.stages == 1) {
      instructions.waitForCopies(b, loc, 0);
      barrier();
    }
    llvm::append_range(next, ValueRange{add(state.number, constant(1)), slotAfter(state.slot)});
  }
  if (failed(emitLoopBody(node, variable,
                          top->getArguments().drop_front(starts.size() - inits.size()))))
    return failure();
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  SmallVector<Value> yielded(yield.getResults());
  for (Value value : yielded)
    if (!tiles.count(value))
      return node.op->emitOpError("expects loop-carried values to be tiles");
  SmallVector<Value> back = {add(variable, *step)};
  llvm::append_range(back, next);
  llvm::append_range(
      back, flatten(yielded, [&](Value value) { return ValueRange(tiles[value].values); }));
  LLVM::BrOp::create(b, loc, back, top);

  b.setInsertionPointToEnd(done);
  unsigned at = starts.size() - inits.size();
  for (auto [carried, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
    TileValues held = tiles[carried];
    for (Value &value : held.values)
      value = top->getArgument(at++);
    tiles[result] = held;
  }
  return success();
}

LogicalResult Emitter::emitLoopBody(Node &node, Value variable, ValueRange carried) {
  scf::ForOp loop = node.loop();
  scopes.emplace_back();
  remember(loop.getInductionVar(), variable);
  unsigned at = 0;
  for (Value argument : loop.getRegionIterArgs()) {
    TileValues held{plan.placeOf(argument), {}};
    for (int64_t i = 0, count = plan.valuesPerThread(argument); i < count; ++i)
      held.values.push_back(carried[at++]);
    tiles[argument] = held;
  }
  auto chainIt = plan.chainOf.find(&node);
  if (chainIt != plan.chainOf.end())
    for (const std::unique_ptr<Node> &inner : node.body) {
      Value tile = inner->op->getNumResults() ? inner->op->getResult(0) : Value();
      if (inner->kind != NodeKind::Load || plan.placeOf(tile) != Place::Shared)
        continue;
      const SharedTile &shared = plan.shared[plan.sharedOf.lookup(tile)];
      slotOffsets[tile] = add(mul(chainStates[chainIt->second].slot, constant(shared.slotBytes)),
                              constant(shared.offset));
    }
  LogicalResult result = emitNodes(node.body);
  scopes.pop_back();
  return result;
}
