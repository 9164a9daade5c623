package io.idlalayer.modelcontroller.training;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelloader.serve.OnnxRuntimeFolders;
import java.io.IOException;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs files with ONNX Runtime. As an extension of a test it deletes the native code after it. */
final class OnnxRuntime implements AfterAllCallback {
  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    OnnxRuntimeFolders.deleteOwn();
  }

  /** The values of an output for rows of numbers. */
  static double[][] run(byte[] file, List<Sample> samples, String output) throws Exception {
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    int width = samples.get(0).dense().length;
    double[] flat = samples.stream().flatMapToDouble(each -> Arrays.stream(each.dense())).toArray();
    try (OrtSession session = environment.createSession(file)) {
      String input = session.getInputNames().iterator().next();
      boolean doubles = input.equals(OnnxModel.FEATURES);
      long[] shape = {samples.size(), width};
      FloatBuffer floats = FloatBuffer.allocate(flat.length);
      for (double each : flat) {
        floats.put((float) each);
      }
      try (OnnxTensor given =
              doubles
                  ? OnnxTensor.createTensor(environment, DoubleBuffer.wrap(flat), shape)
                  : OnnxTensor.createTensor(environment, floats.rewind(), shape);
          OrtSession.Result result = session.run(Map.of(input, given), Set.of(output))) {
        OnnxValue value = result.get(0);
        Object rows = value.getValue();
        if (rows instanceof float[][] matrix) {
          return Arrays.stream(matrix).map(OnnxRuntime::doubles).toArray(double[][]::new);
        }
        return Arrays.stream((double[]) rows)
            .mapToObj(each -> new double[] {each})
            .toArray(double[][]::new);
      }
    }
  }

  private static double[] doubles(float[] values) {
    double[] doubles = new double[values.length];
    Arrays.setAll(doubles, i -> values[i]);
    return doubles;
  }
}
