package io.idlalayer.modelloader.network;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.modelruntime.artifact.BoundedBytes;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ZipEntries;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.Deflater;
import java.util.zip.ZipOutputStream;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.GradientUpdater;

/**
 * Writes and reads the variables and the updater state of a SameDiff graph as a zip, without the
 * graph. SameDiff's own file writes its maps in no particular order, and this way equal states give
 * equal bytes.
 */
final class SameDiffState {
  private static final int FORMAT_VERSION = 1;
  private static final String INDEX = "samediff.json";
  private static final String ARRAYS = "arrays.bin";
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private SameDiffState() {}

  /**
   * @param iterations number of updates so far, on which updaters depend
   * @param arrays names of the arrays, in their order
   */
  private record Index(int formatVersion, int iterations, List<String> arrays) {}

  static byte[] encode(SameDiff graph) throws IOException {
    Map<String, INDArray> arrays = arrays(graph);
    int iterations = graph.getTrainingConfig().getIterationCount();
    BoundedBytes bytes = new BoundedBytes(ModelArtifact.NETWORK_FILE);
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

  /**
   * Returns the variables and the updater state of a graph by unique names, in the order of the
   * names.
   */
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
   * Reads a state into a graph with equal variables and updaters.
   *
   * @param largestBytes limit of the entries together, unpacked
   * @throws MalformedModelException if the bytes are not a state, or belong to another graph
   */
  static void decode(SameDiff graph, byte[] state, long largestBytes)
      throws MalformedModelException {
    Map<String, byte[]> entries = ZipEntries.read(state, List.of(INDEX, ARRAYS), largestBytes);
    Index read = index(ZipEntries.required(entries, INDEX));
    ByteBuffer in = ByteBuffer.wrap(ZipEntries.required(entries, ARRAYS));
    Map<String, INDArray> arrays = arrays(graph);
    if (!List.copyOf(arrays.keySet()).equals(read.arrays())) {
      throw new MalformedModelException(
          "the SameDiff model has %s, but %s are trained; another training.updater starts afresh, in another work directory"
              .formatted(read.arrays(), arrays.keySet()));
    }
    for (Map.Entry<String, INDArray> each : arrays.entrySet()) {
      try (INDArray stored = StoredArrays.read(in, each.getKey())) {
        assign(each.getKey(), each.getValue(), stored);
      }
    }
    StoredArrays.checkEnd(in, ARRAYS);
    graph.getTrainingConfig().setIterationCount(read.iterations());
  }

  private static Index index(byte[] content) throws MalformedModelException {
    Index read;
    try {
      read = JSON.readValue(content, Index.class);
    } catch (IOException broken) {
      throw new MalformedModelException(INDEX + " cannot be read: " + broken.getMessage(), broken);
    }
    if (read == null || read.formatVersion() != FORMAT_VERSION || read.iterations() < 0) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "the SameDiff model is in format %s, and not in format %d",
              read == null ? "none" : read.formatVersion(),
              FORMAT_VERSION));
    }
    return read;
  }

  private static void assign(String name, INDArray own, INDArray stored)
      throws MalformedModelException {
    if (!Arrays.equals(own.shape(), stored.shape())) {
      throw new MalformedModelException(
          "the SameDiff model has %s of shape %s, the graph of shape %s"
              .formatted(name, Arrays.toString(stored.shape()), Arrays.toString(own.shape())));
    }
    own.assign(stored);
  }
}
