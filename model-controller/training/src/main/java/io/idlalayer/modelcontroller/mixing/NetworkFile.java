package io.idlalayer.modelcontroller.mixing;

import static io.idlalayer.modelruntime.artifact.ModelArtifact.COEFFICIENTS_ENTRY;
import static io.idlalayer.modelruntime.artifact.ModelArtifact.CONFIGURATION_ENTRY;
import static io.idlalayer.modelruntime.artifact.ModelArtifact.UPDATER_STATE_ENTRY;

import io.idlalayer.modelruntime.artifact.BoundedBytes;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.StoredArray;
import io.idlalayer.modelruntime.artifact.ZipEntries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The file of a network, taken apart: its configuration, and the numbers of its parameters and of
 * its updater state in the order of Deeplearning4j. Immutable, but its arrays are not copied.
 *
 * @param entries the entries of the zip by name
 * @param parameters all parameters
 * @param state the updater state; empty if the updater has none
 */
public record NetworkFile(Map<String, byte[]> entries, float[] parameters, float[] state) {
  private static final List<String> ENTRIES =
      List.of(CONFIGURATION_ENTRY, COEFFICIENTS_ENTRY, UPDATER_STATE_ENTRY);

  /** Time of all entries, so that equal networks give equal bytes. */
  private static final LocalDateTime ENTRY_TIME = LocalDateTime.of(1980, 2, 1, 0, 0);

  /**
   * Reads the file of a network.
   *
   * @throws MalformedModelException if it is not the file of a network of 32-bit numbers
   */
  public static NetworkFile decode(byte[] file) throws MalformedModelException {
    Map<String, byte[]> entries = ZipEntries.read(file, ENTRIES, ZipEntries.LARGEST_BYTES);
    ZipEntries.required(entries, CONFIGURATION_ENTRY);
    float[] parameters =
        numbers(ZipEntries.required(entries, COEFFICIENTS_ENTRY), COEFFICIENTS_ENTRY);
    byte[] state = entries.get(UPDATER_STATE_ENTRY);
    return new NetworkFile(
        entries, parameters, state == null ? new float[0] : numbers(state, UPDATER_STATE_ENTRY));
  }

  private static float[] numbers(byte[] entry, String name) throws MalformedModelException {
    ByteBuffer in = ByteBuffer.wrap(entry);
    StoredArray array = StoredArray.read(in, name);
    StoredArray.checkEnd(in, name);
    float[] values = array.floats();
    if (values == null) {
      throw new MalformedModelException(
          name + " has numbers of 64 bits; networks of 32-bit numbers are mixed");
    }
    return values;
  }

  byte[] configuration() {
    return entries.getOrDefault(CONFIGURATION_ENTRY, new byte[0]);
  }

  /**
   * Refuses a file whose numbers of parameters or of updater state differ from those of this file.
   * Such files cannot be mixed.
   *
   * @throws MalformedModelException if the numbers differ
   */
  void requireLike(NetworkFile other) throws MalformedModelException {
    if (other.parameters.length != parameters.length || other.state.length != state.length) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "a network of %d parameters and %d numbers of updater state is not mixed with one of"
                  + " %d and %d",
              other.parameters.length,
              other.state.length,
              parameters.length,
              state.length));
    }
  }

  /**
   * Returns the bytes of this network's file with other numbers in place of the numbers of this
   * object. The arrays have the same lengths.
   */
  public byte[] encode(float[] newParameters, float[] newState) {
    Map<String, byte[]> changed = new LinkedHashMap<>();
    for (String name : ENTRIES) {
      byte[] entry = entries.get(name);
      if (entry != null) {
        changed.put(name, entry);
      }
    }
    changed.computeIfPresent(COEFFICIENTS_ENTRY, (name, entry) -> with(entry, newParameters));
    changed.computeIfPresent(UPDATER_STATE_ENTRY, (name, entry) -> with(entry, newState));
    BoundedBytes bytes = new BoundedBytes(ModelArtifact.NETWORK_FILE);
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.setMethod(ZipOutputStream.STORED);
      for (Map.Entry<String, byte[]> each : changed.entrySet()) {
        CRC32 checksum = new CRC32();
        checksum.update(each.getValue());
        ZipEntry entry = new ZipEntry(each.getKey());
        entry.setTimeLocal(ENTRY_TIME);
        entry.setSize(each.getValue().length);
        entry.setCrc(checksum.getValue());
        zip.putNextEntry(entry);
        zip.write(each.getValue());
        zip.closeEntry();
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  private static byte[] with(byte[] entry, float[] values) {
    int head = entry.length - values.length * Float.BYTES;
    byte[] changed = Arrays.copyOf(entry, entry.length);
    ByteBuffer.wrap(changed, head, values.length * Float.BYTES).slice().asFloatBuffer().put(values);
    return changed;
  }

  /** Returns numbers as bytes, big-endian, as they are stored beside models and in state. */
  public static byte[] bytes(float[] values) {
    byte[] bytes = new byte[values.length * Float.BYTES];
    ByteBuffer.wrap(bytes).asFloatBuffer().put(values);
    return bytes;
  }

  /** Returns the numbers that {@link #bytes} has written. */
  public static float[] floats(byte[] bytes) {
    float[] values = new float[bytes.length / Float.BYTES];
    ByteBuffer.wrap(bytes).asFloatBuffer().get(values);
    return values;
  }
}
