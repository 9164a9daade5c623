package io.idlalayer.modelcontroller.training;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.GradientUpdater;

/**
 * Variables and updater state of a SameDiff graph as a zip, without the graph. SameDiff's own file
 * writes its maps in no particular order, and this way equal states give equal bytes.
 */
final class SameDiffState {
  private static final int FORMAT_VERSION = 1;
  private static final String INDEX = "samediff.json";
  private static final String ARRAYS = "arrays.bin";
  private static final ObjectMapper JSON = new ObjectMapper();

  private SameDiffState() {}

  /**
   * @param iterations steps so far, which updaters go by
   * @param arrays names in the order of the arrays
   */
  private record Index(int formatVersion, int iterations, List<String> arrays) {}

  static byte[] encode(SameDiff graph) throws IOException {
    Map<String, INDArray> arrays = arrays(graph);
    int iterations = graph.getTrainingConfig().getIterationCount();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.setLevel(Deflater.BEST_SPEED);
      NetworkZip.entry(zip, INDEX);
      zip.write(
          JSON.writeValueAsBytes(
              new Index(FORMAT_VERSION, iterations, List.copyOf(arrays.keySet()))));
      NetworkZip.entry(zip, ARRAYS);
      for (INDArray array : arrays.values()) {
        try (INDArray copy = array.dup('c')) {
          NetworkZip.write(zip, copy);
        }
      }
    }
    return bytes.toByteArray();
  }

  /** Variables and updater state of a graph, by a name that no two share, in order. */
  static Map<String, INDArray> arrays(SameDiff graph) {
    TreeMap<String, INDArray> arrays = new TreeMap<>();
    for (SDVariable variable : graph.variables()) {
      if (SameDiffFile.trained(variable)) {
        arrays.put("values of " + variable.name(), variable.getArr());
      }
    }
    for (String name : graph.getUpdaterMap().keySet()) {
      GradientUpdater<?> updater = Objects.requireNonNull(graph.getUpdaterMap().get(name));
      updater.getState().forEach((key, array) -> arrays.put(key + " of " + name, array));
    }
    return arrays;
  }

  /**
   * Reads into a graph of the same variables and updaters.
   *
   * @throws IOException if the bytes are no such state, or of another graph
   */
  static void decode(SameDiff graph, byte[] state) throws IOException {
    Map<String, byte[]> entries = entries(state);
    byte[] index = entries.get(INDEX);
    byte[] content = entries.get(ARRAYS);
    if (index == null || content == null) {
      throw new IOException(
          "not a readable SameDiff model: it has no %s and %s".formatted(INDEX, ARRAYS));
    }
    Index read = JSON.readValue(index, Index.class);
    if (read.formatVersion() != FORMAT_VERSION) {
      throw new IOException(
          "the SameDiff model is in format %d, and not in format %d"
              .formatted(read.formatVersion(), FORMAT_VERSION));
    }
    Map<String, INDArray> arrays = arrays(graph);
    if (!List.copyOf(arrays.keySet()).equals(read.arrays())) {
      throw new IOException(
          "the SameDiff model has %s, but %s are trained; another training.updater starts afresh, in another work directory"
              .formatted(read.arrays(), arrays.keySet()));
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
    for (Map.Entry<String, INDArray> each : arrays.entrySet()) {
      try (INDArray stored = Nd4j.read(in)) {
        assign(each.getKey(), each.getValue(), stored);
      } catch (RuntimeException broken) {
        throw new IOException("not a readable SameDiff model: " + each.getKey(), broken);
      }
    }
    graph.getTrainingConfig().setIterationCount(read.iterations());
  }

  private static void assign(String name, INDArray own, INDArray stored) throws IOException {
    if (!Arrays.equals(own.shape(), stored.shape())) {
      throw new IOException(
          "the SameDiff model has %s of shape %s, the graph of shape %s"
              .formatted(name, Arrays.toString(stored.shape()), Arrays.toString(own.shape())));
    }
    own.assign(stored);
  }

  /** Reading an entry to its end checks its sum. */
  private static Map<String, byte[]> entries(byte[] state) throws IOException {
    Map<String, byte[]> entries = new HashMap<>();
    try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(state))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        entries.put(entry.getName(), zip.readAllBytes());
      }
    }
    return entries;
  }
}
