package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.modelcontroller.training.placed.Tensors.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.deeplearning4j.nn.graph.vertex.GraphVertex;
import org.deeplearning4j.nn.graph.vertex.VertexIndices;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The errors that come back to the vertices of a graph; those of several readers are added. */
final class VertexErrors {
  private final GraphVertex[] vertices;
  private final Tensors tensors;
  private final TensorSums sums;

  /** By index of the vertex. */
  private final @Nullable Value[] errors;

  /** Whether a vertex behind it has run backward, and gave no error. */
  private final boolean[] reached;

  private final boolean[] lost;

  VertexErrors(GraphVertex[] vertices, Tensors tensors) {
    this.vertices = vertices;
    this.tensors = tensors;
    sums = new TensorSums(tensors);
    errors = new Value[vertices.length];
    reached = new boolean[vertices.length];
    lost = new boolean[vertices.length];
  }

  void clear() {
    Arrays.fill(errors, null);
    Arrays.fill(reached, false);
    Arrays.fill(lost, false);
  }

  @Nullable Value of(int vertex) {
    return errors[vertex];
  }

  /** An error for a vertex. */
  record Handed(int vertex, Value error) {}

  /**
   * Which vertices before one get which of its errors, in the order in which the library gives
   * them; inputs get none.
   *
   * @param made in the order of the inputs, each in a tensor of its own
   */
  List<Handed> assign(GraphVertex from, @Nullable INDArray[] made) {
    errors[from.getVertexIndex()] = null;
    List<Handed> handed = new ArrayList<>();
    int next = 0;
    for (VertexIndices input : from.getInputVertices()) {
      int before = input.getVertexIndex();
      // The library does not advance here either.
      if (!lost[before]) {
        INDArray error = made[next++];
        lost[before] = !reached[before] && error == null;
        if (error != null && !vertices[before].isInputVertex()) {
          handed.add(new Handed(before, tensors.value(error)));
        }
      }
      reached[before] = true;
    }
    return handed;
  }

  /** Sets an error, or adds it to the one that is there. */
  void add(Handed handed) throws InterruptedException {
    int vertex = handed.vertex();
    Value given = handed.error();
    Value sum = errors[vertex];
    if (sum == null) {
      errors[vertex] = given;
    } else {
      sums.add("sum " + vertices[vertex].getVertexName(), sum, given);
      tensors.afterKernel(List.of(given.tensor()));
    }
  }
}
