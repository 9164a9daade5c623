package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.ByteArrayOutputStream;
import java.util.SplittableRandom;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;

/** SameDiff graphs as users write them. */
final class SameDiffGraphs {
  private SameDiffGraphs() {}

  /** A residual block, from "in" to "logits". */
  static SameDiff residual(SampleSchema schema) {
    boolean regression = schema.label().task() == Task.REGRESSION;
    int outputs = regression ? 1 : schema.label().classes().size();
    SameDiff graph = SameDiff.create();
    SDVariable in = graph.placeHolder("in", DataType.FLOAT, -1, schema.denseWidth());
    SDVariable first =
        graph.nn.tanh(
            in.mmul(values(graph, "w1", schema.denseWidth(), 16)).add(values(graph, "b1", 1, 16)));
    SDVariable block = graph.nn.tanh(first.mmul(values(graph, "w2", 16, 16))).add(first);
    block.mmul(values(graph, "w3", 16, outputs)).add("logits", values(graph, "b3", 1, outputs));
    return graph;
  }

  static SDVariable values(SameDiff graph, String name, long rows, long columns) {
    SplittableRandom random = new SplittableRandom(name.hashCode());
    float[] values = new float[(int) (rows * columns)];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) (random.nextDouble() - 0.5);
    }
    return graph.var(name, Nd4j.create(values, new long[] {rows, columns}, 'c'));
  }

  static byte[] saved(SameDiff graph) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    graph.save(bytes, false);
    return bytes.toByteArray();
  }

  static ModelSpec.Network.SameDiffGraph network(SameDiff graph) {
    return new ModelSpec.Network.SameDiffGraph(saved(graph), "in", "logits");
  }
}
