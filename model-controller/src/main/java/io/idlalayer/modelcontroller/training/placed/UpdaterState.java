package io.idlalayer.modelcontroller.training.placed;

import java.util.ArrayList;
import java.util.List;
import org.deeplearning4j.nn.api.Trainable;
import org.deeplearning4j.nn.updater.UpdaterBlock;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * Where the state of a layer's updaters is in the state of the whole network. A network joins
 * neighbouring parameters with equal updaters in a block, of which each quantity (Adam's m, then
 * its v) lies in one piece.
 */
final class UpdaterState {
  private record Piece(long network, long layer, long length) {}

  private final List<Piece> pieces = new ArrayList<>();

  /**
   * @param whole blocks of the network
   * @param own blocks of the layer alone
   * @param firstParameter of the layer in the network's parameters
   */
  UpdaterState(List<UpdaterBlock> whole, List<UpdaterBlock> own, long firstParameter) {
    for (UpdaterBlock block : own) {
      long first = firstParameter + block.getParamOffsetStart();
      add(holding(whole, first), block, first);
    }
  }

  /**
   * Of a layer whose state is laid out by pieces.
   *
   * @param whole blocks of the network
   * @param firstParameter of the layer in the network's parameters
   */
  static UpdaterState ofPieces(List<UpdaterBlock> whole, UpdatePieces own, long firstParameter) {
    UpdaterState state = new UpdaterState(List.of(), List.of(), firstParameter);
    for (UpdatePieces.Part part : own.parts()) {
      long first = firstParameter + part.first();
      UpdaterBlock block = holding(whole, first);
      for (int i = 0; i < part.quantities(); i++) {
        state.pieces.add(
            new Piece(
                place(block, first, i), part.firstState() + i * part.length(), part.length()));
      }
    }
    return state;
  }

  /** Where a quantity of a parameter is in the state of the network. */
  private static long place(UpdaterBlock block, long parameter, int quantity) {
    long length = (long) block.getParamOffsetEnd() - block.getParamOffsetStart();
    return block.getUpdaterViewOffsetStart()
        + quantity * length
        + parameter
        - block.getParamOffsetStart();
  }

  private static UpdaterBlock holding(List<UpdaterBlock> whole, long parameter) {
    for (UpdaterBlock block : whole) {
      if (parameter >= block.getParamOffsetStart() && parameter < block.getParamOffsetEnd()) {
        return block;
      }
    }
    throw new IllegalStateException("no updater block holds parameter " + parameter);
  }

  private void add(UpdaterBlock whole, UpdaterBlock own, long first) {
    long length = (long) own.getParamOffsetEnd() - own.getParamOffsetStart();
    long quantities =
        length == 0
            ? 0
            : (own.getUpdaterViewOffsetEnd() - own.getUpdaterViewOffsetStart()) / length;
    for (int i = 0; i < quantities; i++) {
      pieces.add(
          new Piece(place(whole, first, i), own.getUpdaterViewOffsetStart() + i * length, length));
    }
  }

  /** Elements of state that the updaters of a layer have. */
  static long length(Trainable layer) {
    long length = 0;
    for (var entry : layer.paramTable(false).entrySet()) {
      length +=
          layer.getConfig().getUpdaterByParam(entry.getKey()).stateSize(entry.getValue().length());
    }
    return length;
  }

  /** Copies the layer's part of the network's state. Both are vectors. */
  void take(INDArray network, INDArray layer) {
    for (Piece piece : pieces) {
      part(layer, piece.layer(), piece.length())
          .assign(part(network, piece.network(), piece.length()));
    }
  }

  /** Copies the layer's state into the network's. Both are vectors. */
  void give(INDArray layer, INDArray network) {
    for (Piece piece : pieces) {
      part(network, piece.network(), piece.length())
          .assign(part(layer, piece.layer(), piece.length()));
    }
  }

  static INDArray part(INDArray vector, long from, long length) {
    return vector.get(NDArrayIndex.interval(from, from + length));
  }
}
