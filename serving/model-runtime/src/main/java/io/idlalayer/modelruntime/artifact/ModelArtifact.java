package io.idlalayer.modelruntime.artifact;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A trained model as files, ready to be published or kept in state. Contents must not be changed.
 *
 * @param files contents by name; {@code model.zip} is the network with its updater state: DL4J's
 *     own zip, or the values of a SameDiff graph; {@code scaler.json} is the feature scaler, {@code
 *     spec.json} the specification; {@code mixture.json} are the experts that are averaged, if the
 *     network is not the only one; {@code start.json} is where the first version began, if that was
 *     a file
 */
public record ModelArtifact(SortedMap<String, byte[]> files) {
  public static final String NETWORK_FILE = "model.zip";
  public static final String SCALER_FILE = "scaler.json";
  public static final String SPEC_FILE = "spec.json";
  public static final String MIXTURE_FILE = "mixture.json";

  /** File that says which network the first version began with; see {@link ModelStart}. */
  public static final String START_FILE = "start.json";

  /** Names of the entries in the file of a Deeplearning4j network. */
  public static final String CONFIGURATION_ENTRY = "configuration.json";

  public static final String COEFFICIENTS_ENTRY = "coefficients.bin";

  public static final String UPDATER_STATE_ENTRY = "updaterState.bin";

  /**
   * File of the feature scaler that the samples of one learner give, while its network is trained
   * with the scaler of a model that several learners learn together. Only such learners have it.
   */
  public static final String STATISTICS_FILE = "statistics.json";

  /** File of a second network, which only the trainer needs; it is not published. */
  public static final String HELD_OUT_FILE = "held-out.zip";

  /**
   * Returns the content of a file that every model must have.
   *
   * @throws MalformedModelException if the model does not have it
   */
  public byte[] file(String name) throws MalformedModelException {
    byte[] content = files.get(name);
    if (content == null) {
      throw new MalformedModelException("the model has no " + name);
    }
    return content;
  }

  /** Returns the files that serving needs. */
  public SortedMap<String, byte[]> served() {
    SortedMap<String, byte[]> served = new TreeMap<>(files);
    served.remove(HELD_OUT_FILE);
    return served;
  }

  /** Returns the size of all files together, in bytes. */
  public long bytes() {
    return files.values().stream().mapToLong(content -> content.length).sum();
  }
}
