package io.idlalayer.modelcontroller.training;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.onnx.OnnxModel;
import java.io.IOException;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Runs files with ONNX Runtime, and deletes the folders that it leaves with its native code. */
final class OnnxRuntime {
  private static final Set<Path> BEFORE = new HashSet<>();

  private OnnxRuntime() {}

  private static List<Path> nativeFolders() throws IOException {
    List<Path> found = new ArrayList<>();
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, "onnxruntime-java*")) {
      folders.forEach(found::add);
    }
    return found;
  }

  /** Called before the first run of a test class. */
  static void open() throws IOException {
    BEFORE.addAll(nativeFolders());
  }

  /** Called after the last run of a test class. */
  static void close() throws IOException {
    for (Path made : nativeFolders()) {
      if (!BEFORE.contains(made)) {
        try (Stream<Path> files = Files.walk(made)) {
          for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
            Files.delete(file);
          }
        }
      }
    }
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
