package io.idlalayer.jobs.survey;

import io.idlalayer.jobs.events.Surveyed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Counts names in bounded memory, by the algorithm Space-Saving: a new name replaces the rarest
 * name and inherits its count as an error. Counts are reported without the error, so they are never
 * too high. Confined to one thread.
 */
final class NameCounts {
  private static final int PLACES = 32;
  private static final int CHARACTERS_MAX = 64;

  private final List<Entry> entries = new ArrayList<>();

  private static final class Entry {
    String name;
    long count;
    long error;

    Entry(String name, long count, long error) {
      this.name = name;
      this.count = count;
      this.error = error;
    }

    long sure() {
      return count - error;
    }
  }

  void add(String whole) {
    String name = Texts.cut(whole, CHARACTERS_MAX);
    Entry rarest = null;
    for (Entry each : entries) {
      if (each.name.equals(name)) {
        each.count++;
        return;
      }
      if (rarest == null || each.count < rarest.count) {
        rarest = each;
      }
    }
    if (entries.size() < PLACES || rarest == null) {
      entries.add(new Entry(name, 1, 0));
    } else {
      rarest.name = name;
      rarest.error = rarest.count;
      rarest.count++;
    }
  }

  List<Surveyed.NameCount> commonest() {
    return entries.stream()
        .sorted(Comparator.comparingLong(Entry::sure).reversed())
        .limit(Surveyed.MOST)
        .map(each -> new Surveyed.NameCount(each.name, each.sure()))
        .toList();
  }

  List<String> names() {
    return entries.stream().map(each -> each.name).toList();
  }

  /** Returns count and error of each name, in the order of {@link #names}. */
  long[] numbers() {
    return entries.stream()
        .flatMapToLong(e -> java.util.stream.LongStream.of(e.count, e.error))
        .toArray();
  }

  static NameCounts of(List<String> names, long[] numbers) {
    NameCounts counts = new NameCounts();
    for (int i = 0; i < names.size(); i++) {
      counts.entries.add(new Entry(names.get(i), numbers[2 * i], numbers[2 * i + 1]));
    }
    return counts;
  }
}
