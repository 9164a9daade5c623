package io.idlalayer.jobs.mixing;

import io.idlalayer.middleware.models.manifest.ModelManifest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * The entries about the round in the manifest of a mixed version: the number of the round and, for
 * each learner, its state when the version was published. The entries begin with {@code mixing.},
 * and the entries of partition 3 with {@code mixing.3.}.
 *
 * @param waitMillis longest time in milliseconds that a round waited for a learner
 * @param notes sentences to report about the round
 */
public record MixedVersion(
    long round, long waitMillis, List<Contributor> contributors, List<String> notes) {
  private static final String ROUND = "mixing.round";
  private static final String WAIT = "mixing.wait-millis";
  private static final String NOTES = "mixing.notes";
  private static final String SEPARATOR = "; ";

  public MixedVersion {
    contributors = List.copyOf(contributors);
    notes = List.copyOf(notes);
  }

  /**
   * Returns the entries in a manifest; empty if the manifest does not belong to a mixed version.
   */
  public static Optional<MixedVersion> of(ModelManifest manifest) {
    Long round = manifest.counts().get(ROUND);
    if (round == null) {
      return Optional.empty();
    }
    List<Contributor> contributors = new ArrayList<>();
    for (Map.Entry<String, String> each : manifest.attributes().entrySet()) {
      String[] parts = each.getKey().split("\\.", -1);
      if (parts.length == 3 && parts[0].equals("mixing") && parts[2].equals("incarnation")) {
        contributors.add(contributor(Integer.parseInt(parts[1]), each.getValue(), manifest));
      }
    }
    contributors.sort(Comparator.comparingInt(Contributor::partition));
    String notes = manifest.attributes().getOrDefault(NOTES, "");
    return Optional.of(
        new MixedVersion(
            round,
            manifest.counts().getOrDefault(WAIT, 0L),
            contributors,
            notes.isEmpty() ? List.of() : List.of(notes.split(SEPARATOR, -1))));
  }

  private static Contributor contributor(
      int partition, String incarnation, ModelManifest manifest) {
    Map<String, Long> counts = manifest.counts();
    return new Contributor(
        partition,
        incarnation,
        counts.getOrDefault(key(partition, "version"), 0L),
        manifest.attributes().getOrDefault(key(partition, "digest"), ""),
        counts.getOrDefault(key(partition, "rows"), 0L),
        counts.getOrDefault(key(partition, "trained"), 0L),
        offsets(manifest.attributes().getOrDefault(key(partition, "offsets"), "")),
        counts.getOrDefault(key(partition, "idle"), 0L) != 0);
  }

  /** Adds these entries to a manifest. */
  public void putInto(SortedMap<String, Long> counts, SortedMap<String, String> attributes) {
    counts.put(ROUND, round);
    counts.put(WAIT, waitMillis);
    for (Contributor each : contributors) {
      int partition = each.partition();
      attributes.put(key(partition, "incarnation"), each.incarnation());
      attributes.put(key(partition, "digest"), each.digest());
      attributes.put(key(partition, "offsets"), text(each.offsets()));
      counts.put(key(partition, "version"), each.version());
      counts.put(key(partition, "rows"), each.rows());
      counts.put(key(partition, "trained"), each.trained());
      counts.put(key(partition, "idle"), each.idle() ? 1L : 0L);
    }
    if (!notes.isEmpty()) {
      attributes.put(NOTES, String.join(SEPARATOR, notes));
    }
  }

  /** Returns the name of the metric that has the length of a partition's progress. */
  public static String progressKey(int partition) {
    return key(partition, "progress");
  }

  private static String key(int partition, String name) {
    return String.format(Locale.ROOT, "mixing.%d.%s", partition, name);
  }

  private static String text(SortedMap<String, Long> offsets) {
    StringJoiner text = new StringJoiner(" ");
    offsets.forEach((name, next) -> text.add(name + "=" + next));
    return text.toString();
  }

  private static SortedMap<String, Long> offsets(String text) {
    SortedMap<String, Long> offsets = new TreeMap<>();
    for (String each : text.isEmpty() ? new String[0] : text.split(" ", -1)) {
      int at = each.lastIndexOf('=');
      offsets.put(each.substring(0, at), Long.parseLong(each.substring(at + 1)));
    }
    return offsets;
  }

  /** Returns the entry about a learner; empty if the version does not name the learner. */
  public Optional<Contributor> of(int partition) {
    return contributors.stream().filter(each -> each.partition() == partition).findFirst();
  }

  /**
   * Returns whether another version has learned as much of each partition as this version: as many
   * samples, or all samples up to the same offsets.
   *
   * @param others entries of the other version about the learners
   */
  public boolean reachedBy(List<Contributor> others) {
    for (Contributor mine : contributors) {
      boolean reached =
          others.stream()
              .filter(each -> each.partition() == mine.partition())
              .anyMatch(each -> each.trained() >= mine.trained() || readAsFar(each, mine));
      if (!reached && mine.trained() > 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean readAsFar(Contributor other, Contributor mine) {
    return other.idle()
        && !mine.offsets().isEmpty()
        && mine.offsets().entrySet().stream()
            .allMatch(each -> other.offsets().getOrDefault(each.getKey(), -1L) >= each.getValue());
  }
}
