package io.idlalayer.middleware.models.manifest;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The contents and the origin of a published version. Stored as JSON beside the version's files.
 *
 * @param formatVersion format of this manifest; this program writes {@link #FORMAT_VERSION}
 * @param application name of the application
 * @param partition application partition, from 0
 * @param version number of the version, from 1; grows with every publication
 * @param parentVersion version from which this version was trained; 0 for a first model
 * @param parentDigest digest of the parent's manifest; "" for a first model
 * @param createdAtMillis epoch milliseconds
 * @param inputOffsets next Kafka offset to read, by "topic-partition"
 * @param counts whole numbers such as {@code newSamples}, {@code replayedSamples}, {@code
 *     trainedNewSamples} (the sum over this version and all its ancestors), {@code updateNumber}
 * @param metrics measures such as {@code meanLossAfter}, {@code trainSeconds}
 * @param attributes texts such as {@code task}, {@code classes}, {@code rule}, {@code threads}
 * @param files every file of the version except the manifest
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record ModelManifest(
    int formatVersion,
    String application,
    int partition,
    long version,
    long parentVersion,
    String parentDigest,
    long createdAtMillis,
    SortedMap<String, Long> inputOffsets,
    SortedMap<String, Long> counts,
    SortedMap<String, Double> metrics,
    SortedMap<String, String> attributes,
    List<ModelFile> files) {

  public static final int FORMAT_VERSION = 1;

  /**
   * Name of the file with the embedding rows of a version; only versions of models with tables have
   * it.
   */
  public static final String ROWS_FILE = "rows.bin";

  /**
   * Name of the attribute that says which rows {@link #ROWS_FILE} has: {@link #FULL_ROWS} or {@link
   * #ROW_CHANGES}.
   */
  public static final String ROWS = "rows";

  /** Value of {@link #ROWS}: {@link #ROWS_FILE} has all rows. */
  public static final String FULL_ROWS = "full";

  /**
   * Value of {@link #ROWS}: {@link #ROWS_FILE} has the rows that differ from those of the parent
   * version.
   */
  public static final String ROW_CHANGES = "delta";

  /** Returns whether the version has a file with embedding rows, all of them or changes. */
  public boolean hasRows() {
    return attributes.containsKey(ROWS);
  }

  /** Returns the manifest's entry of a file; empty if the version has no such file. */
  public Optional<ModelFile> file(String name) {
    return files.stream().filter(file -> file.name().equals(name)).findFirst();
  }

  /**
   * One file of a version.
   *
   * @param sha256 lower-case hexadecimal
   */
  public record ModelFile(String name, long bytes, String sha256) {}
}
