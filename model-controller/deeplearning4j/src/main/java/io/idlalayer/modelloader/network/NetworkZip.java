package io.idlalayer.modelloader.network;

import io.idlalayer.modelruntime.artifact.BoundedBytes;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ZipEntries;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Writes and reads networks in DL4J's zip format, readable by its {@code ModelSerializer}
 * everywhere, but without the time of day: equal networks give equal bytes. Weights hardly
 * compress, so they are stored with the least effort.
 */
final class NetworkZip {
  private static final String CONFIGURATION = ModelArtifact.CONFIGURATION_ENTRY;
  private static final String COEFFICIENTS = ModelArtifact.COEFFICIENTS_ENTRY;
  private static final String UPDATER_STATE = ModelArtifact.UPDATER_STATE_ENTRY;

  /**
   * Time of all zip entries. It is constant in all files and time zones, so that equal networks
   * give equal bytes.
   */
  private static final LocalDateTime ENTRY_TIME = LocalDateTime.of(1980, 2, 1, 0, 0);

  private NetworkZip() {}

  /**
   * @param updaterState null or empty if the updater has none
   */
  static byte[] encode(String configuration, INDArray parameters, @Nullable INDArray updaterState)
      throws IOException {
    BoundedBytes bytes = new BoundedBytes(ModelArtifact.NETWORK_FILE);
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.setLevel(Deflater.BEST_SPEED);
      entry(zip, CONFIGURATION);
      zip.write(configuration.getBytes(StandardCharsets.UTF_8));
      entry(zip, COEFFICIENTS);
      write(zip, parameters);
      if (updaterState != null && updaterState.length() > 0) {
        entry(zip, UPDATER_STATE);
        write(zip, updaterState);
      }
    }
    return bytes.toByteArray();
  }

  /** Returns whether all numbers are finite, and their sum as well. */
  static boolean finite(@Nullable INDArray values) {
    return values == null
        || values.length() == 0
        || Double.isFinite(values.norm1Number().doubleValue());
  }

  static void entry(ZipOutputStream zip, String name) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(ENTRY_TIME);
    zip.putNextEntry(entry);
  }

  static void write(ZipOutputStream zip, INDArray array) throws IOException {
    DataOutputStream out = new DataOutputStream(zip);
    Nd4j.write(array, out);
    out.flush();
  }

  /**
   * Reads a network with its updater state. Nothing but configuration, coefficients and updater
   * state is opened: DL4J's own reader would deserialise Java objects that lie beside them.
   *
   * @throws MalformedModelException if the bytes are not such a zip, or not of this specification
   */
  static ArrayNetwork decode(ModelSpec spec, byte[] bytes, long largestBytes)
      throws MalformedModelException {
    Map<String, byte[]> entries =
        ZipEntries.read(bytes, List.of(CONFIGURATION, COEFFICIENTS, UPDATER_STATE), largestBytes);
    String configuration =
        new String(ZipEntries.required(entries, CONFIGURATION), StandardCharsets.UTF_8);
    INDArray parameters = array(ZipEntries.required(entries, COEFFICIENTS), COEFFICIENTS);
    byte[] state = entries.get(UPDATER_STATE);
    INDArray updaterState = state == null ? null : array(state, UPDATER_STATE);
    try {
      return Dl4jConfiguration.restore(spec, configuration, parameters, updaterState);
    } catch (IllegalArgumentException refused) {
      throw new MalformedModelException("model.zip: " + refused.getMessage(), refused);
    } finally {
      if (updaterState != null && updaterState.closeable()) {
        updaterState.close();
      }
    }
  }

  private static INDArray array(byte[] content, String name) throws MalformedModelException {
    ByteBuffer in = ByteBuffer.wrap(content);
    INDArray array = StoredArrays.read(in, name);
    StoredArrays.checkEnd(in, name);
    return array;
  }
}
