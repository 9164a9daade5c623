package io.idlalayer.jobs.mixing;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The mixed model with which new mixed models are compared: the last mixed model that was found
 * good. Immutable; the files are not copied.
 *
 * @param version number of the model's published version; 0 if the model was withheld, so that only
 *     learners have it
 * @param contained for each partition the digest of the contribution that the model contains
 */
public record Baseline(
    long version, SortedMap<String, byte[]> files, SortedMap<Integer, String> contained) {
  private static final StateFormat FORMAT = StateFormat.first("baseline of mixed models");

  /** Returns the encoded state. */
  public byte[] encode() {
    return FORMAT
        .writer()
        .putLong(1, version)
        .putTexts(2, List.copyOf(files.keySet()))
        .putList(3, List.copyOf(files.values()))
        .putInts(4, contained.keySet().stream().mapToInt(Integer::intValue).toArray())
        .putTexts(5, List.copyOf(contained.values()))
        .bytes();
  }

  /**
   * Decodes what {@link #encode} has written.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not an encoded
   *     baseline
   */
  public static Baseline decode(byte[] bytes) {
    StateReader in = FORMAT.reader(bytes);
    SortedMap<String, byte[]> files = new TreeMap<>();
    List<String> names = in.getTexts(2);
    List<byte[]> contents = in.getList(3);
    for (int i = 0; i < names.size(); i++) {
      files.put(names.get(i), contents.get(i));
    }
    SortedMap<Integer, String> contained = new TreeMap<>();
    int[] partitions = in.getInts(4);
    List<String> digests = in.getTexts(5);
    if (partitions.length != digests.size()) {
      throw in.refused(
          "it has %d partitions and %d digests".formatted(partitions.length, digests.size()));
    }
    for (int i = 0; i < partitions.length; i++) {
      contained.put(partitions[i], digests.get(i));
    }
    return new Baseline(in.getLong(1), files, contained);
  }
}
