package io.idlalayer.modelruntime.artifact;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Locale;

/**
 * The trained network with which the first version of a lineage began. Each version of the lineage
 * has it.
 *
 * @param file name of the file, without its folder
 * @param sha256 digest of the file, lower-case hexadecimal
 * @param bytes size of the file
 * @param scaled whether the scaler began with the file too. If not, the weights took the numbers as
 *     they are, and follow the scale until it is known well
 */
public record ModelStart(
    int formatVersion, String file, String sha256, long bytes, boolean scaled) {
  private static final int FORMAT_VERSION = 1;

  /**
   * Number of samples after which the scale of a column is known well: about as many as its mean
   * remembers.
   */
  private static final long KNOWN_AFTER = 8_192;

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);

  public ModelStart(String file, String sha256, long bytes, boolean scaled) {
    this(FORMAT_VERSION, file, sha256, bytes, scaled);
  }

  /** Returns whether the weights of a model with this scaler follow a change of its scale. */
  public boolean follows(FeatureScaler scaler) {
    return !scaled && scaler.seen() < KNOWN_AFTER;
  }

  /** Returns the file and its digest, for messages. */
  public String describe() {
    return "%s (SHA-256 %s)".formatted(file, sha256);
  }

  public byte[] encode() {
    try {
      return JSON.writeValueAsBytes(this);
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * @throws MalformedModelException if it is in another format, or damaged
   */
  public static ModelStart decode(byte[] file) throws MalformedModelException {
    try {
      ModelStart start = JSON.readValue(file, ModelStart.class);
      if (start.formatVersion == FORMAT_VERSION && start.file != null && start.sha256 != null) {
        return start;
      }
      throw new MalformedModelException(
          String.format(Locale.ROOT, "start.json is damaged, or not in format %d", FORMAT_VERSION));
    } catch (MalformedModelException refused) {
      throw refused;
    } catch (IOException broken) {
      throw new MalformedModelException("start.json is damaged: " + broken.getMessage(), broken);
    }
  }
}
