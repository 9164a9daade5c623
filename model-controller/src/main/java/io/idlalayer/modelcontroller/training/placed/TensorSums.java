package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.placement.api.Division;
import io.idlalayer.middleware.placement.api.Piece;
import io.idlalayer.modelcontroller.training.placed.Tensors.Value;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Adds one tensor's array to another's: piece by piece if both are laid out alike, which gives the
 * same bits. One thread.
 */
final class TensorSums {
  private record Shape(DataType type, long length) {}

  /** Arrays that move from piece to piece. */
  private record Pair(INDArray sum, INDArray given) {}

  private final Tensors tensors;
  private final Map<Shape, Pair> pairs = new HashMap<>();

  TensorSums(Tensors tensors) {
    this.tensors = tensors;
  }

  /** Runs the kernel that adds; the given tensor is of no use afterwards. */
  void add(String name, Value sum, Value given) throws InterruptedException {
    List<Tensor> both = List.of(sum.tensor(), given.tensor());
    if (!alike(sum, given)) {
      tensors.run(
          new Tensors.Call(name, both, List.of(sum.tensor())),
          () -> sum.array().addi(given.array()));
      return;
    }
    DataType type = sum.array().dataType();
    List<Integer> widths = List.of(type.width(), type.width());
    Division division = new Division(List.of(new Division.Section(sum.array().length(), widths)));
    List<Division.Cut> cuts = tensors.cut(division);
    tensors.runPieces(
        new Tensors.Call(name, both, List.of(sum.tensor()), division),
        cuts,
        List.of(Piece.Use.CHANGES, Piece.Use.READS),
        (piece, addresses) -> add(type, cuts.get(piece).elements(), addresses));
  }

  private void add(DataType type, long length, long[] addresses) {
    Shape shape = new Shape(type, length);
    Pair made = pairs.get(shape);
    if (made == null) {
      made = new Pair(vector(addresses[0], shape), vector(addresses[1], shape));
      pairs.put(shape, made);
    } else {
      NativeArrays.move(made.sum(), addresses[0]);
      NativeArrays.move(made.given(), addresses[1]);
    }
    made.sum().addi(made.given());
  }

  private static INDArray vector(long address, Shape shape) {
    return NativeArrays.at(address, shape.type(), new long[] {shape.length()}, new long[] {1}, 'c');
  }

  /** Whether both fill their tensors, and equal elements are at equal places. */
  private static boolean alike(Value sum, Value given) {
    return whole(sum)
        && whole(given)
        && sum.array().dataType() == given.array().dataType()
        && Arrays.equals(sum.array().shape(), given.array().shape())
        && Arrays.equals(sum.array().stride(), given.array().stride());
  }

  private static boolean whole(Value value) {
    return value.array().offset() == 0 && value.array().length() == value.tensor().array.length();
  }
}
