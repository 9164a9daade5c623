package io.idlalayer.modelcontroller.training;

import java.util.SortedMap;

/**
 * A trained model as files, ready to be published or kept in state. Contents must not be changed.
 *
 * @param files contents by name; {@code model.zip} is the DL4J network with its updater state,
 *     {@code scaler.json} the feature scaler
 */
public record ModelArtifact(SortedMap<String, byte[]> files) {
  public static final String NETWORK_FILE = "model.zip";
  public static final String SCALER_FILE = "scaler.json";
  public static final String SPEC_FILE = "spec.json";

  /** Size of all files in bytes. */
  public long bytes() {
    return files.values().stream().mapToLong(content -> content.length).sum();
  }
}
