package io.idlalayer.modelcontroller.training;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A network as DL4J's own zip, readable by {@link ModelSerializer} everywhere, but without the time
 * of day in it: the same network gives the same bytes. Weights hardly compress, so they are stored
 * with the least effort.
 */
final class NetworkZip {
  /** The earliest time a zip entry can carry without time zone trouble: 1980-02-01. */
  private static final long ENTRY_TIME_MILLIS = 318_211_200_000L;

  private NetworkZip() {}

  static byte[] encode(MultiLayerNetwork network) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.setLevel(Deflater.BEST_SPEED);
      entry(zip, "configuration.json");
      zip.write(network.getLayerWiseConfigurations().toJson().getBytes(StandardCharsets.UTF_8));
      entry(zip, "coefficients.bin");
      write(zip, network.params());
      INDArray updaterState = network.getUpdater().getStateViewArray();
      if (updaterState != null && updaterState.length() > 0) {
        entry(zip, "updaterState.bin");
        write(zip, updaterState);
      }
    }
    return bytes.toByteArray();
  }

  private static void entry(ZipOutputStream zip, String name) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTime(ENTRY_TIME_MILLIS);
    zip.putNextEntry(entry);
  }

  private static void write(ZipOutputStream zip, INDArray array) throws IOException {
    DataOutputStream out = new DataOutputStream(zip);
    Nd4j.write(array, out);
    out.flush();
  }

  /**
   * Reads a network with its updater state.
   *
   * @throws IOException if the bytes are not such a zip
   */
  static MultiLayerNetwork decode(byte[] bytes) throws IOException {
    try {
      return ModelSerializer.restoreMultiLayerNetwork(new ByteArrayInputStream(bytes), true);
    } catch (RuntimeException broken) {
      throw new IOException("not a readable DL4J model: " + broken.getMessage(), broken);
    }
  }
}
