package io.idlalayer.modelcontroller.training;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.deeplearning4j.util.ModelSerializer;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A network as DL4J's own zip, readable by {@link ModelSerializer} everywhere, but without the time
 * of day in it: the same network gives the same bytes. Weights hardly compress, so they are stored
 * with the least effort.
 */
final class NetworkZip {
  private static final String CONFIGURATION = "configuration.json";

  /** The earliest time a zip entry can carry without time zone trouble: 1980-02-01. */
  private static final long ENTRY_TIME_MILLIS = 318_211_200_000L;

  private NetworkZip() {}

  /**
   * @param updaterState null or empty if the updater has none
   */
  static byte[] encode(String configuration, INDArray parameters, @Nullable INDArray updaterState)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.setLevel(Deflater.BEST_SPEED);
      entry(zip, CONFIGURATION);
      zip.write(configuration.getBytes(StandardCharsets.UTF_8));
      entry(zip, "coefficients.bin");
      write(zip, parameters);
      if (updaterState != null && updaterState.length() > 0) {
        entry(zip, "updaterState.bin");
        write(zip, updaterState);
      }
    }
    return bytes.toByteArray();
  }

  /** Whether all numbers are finite, and their sum too. */
  static boolean finite(@Nullable INDArray values) {
    return values == null
        || values.length() == 0
        || Double.isFinite(values.norm1Number().doubleValue());
  }

  static void entry(ZipOutputStream zip, String name) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTime(ENTRY_TIME_MILLIS);
    zip.putNextEntry(entry);
  }

  static void write(ZipOutputStream zip, INDArray array) throws IOException {
    DataOutputStream out = new DataOutputStream(zip);
    Nd4j.write(array, out);
    out.flush();
  }

  /**
   * Reads a network with its updater state.
   *
   * @throws IOException if the bytes are not such a zip
   */
  static TrainableNetwork decode(byte[] bytes) throws IOException {
    try {
      return Dl4jConfiguration.isGraph(configuration(bytes))
          ? new GraphNetwork(
              ModelSerializer.restoreComputationGraph(new ByteArrayInputStream(bytes), true))
          : new StackedNetwork(
              ModelSerializer.restoreMultiLayerNetwork(new ByteArrayInputStream(bytes), true));
    } catch (RuntimeException broken) {
      throw new IOException("not a readable DL4J model: " + broken.getMessage(), broken);
    }
  }

  private static String configuration(byte[] bytes) throws IOException {
    try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(bytes))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (entry.getName().equals(CONFIGURATION)) {
          return new String(zip.readAllBytes(), StandardCharsets.UTF_8);
        }
      }
    }
    throw new IOException("not a readable DL4J model: it has no " + CONFIGURATION);
  }
}
