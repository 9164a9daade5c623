package io.idlalayer.jobs.survey;

import io.idlalayer.jobs.events.Surveyed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Counts refused events by the kind of their reason, each with its first event, in bounded memory:
 * see {@link NameCounts} for how the rarest kind is replaced. Confined to one thread.
 */
final class RefusedKinds {
  static final int PLACES = 48;

  private final List<Entry> entries = new ArrayList<>();

  private static final class Entry {
    String kind;
    Refused first;
    long count;
    long error;

    Entry(String kind, Refused first, long count, long error) {
      this.kind = kind;
      this.first = first;
      this.count = count;
      this.error = error;
    }

    long sure() {
      return count - error;
    }
  }

  void add(String kind, Refused event) {
    Entry rarest = null;
    for (Entry each : entries) {
      if (each.kind.equals(kind)) {
        each.count++;
        return;
      }
      if (rarest == null || each.count < rarest.count) {
        rarest = each;
      }
    }
    if (entries.size() < PLACES || rarest == null) {
      entries.add(new Entry(kind, event, 1, 0));
    } else {
      rarest.kind = kind;
      rarest.first = event;
      rarest.error = rarest.count;
      rarest.count++;
    }
  }

  List<Surveyed.RefusedKind> commonest() {
    return entries.stream()
        .sorted(Comparator.comparingLong(Entry::sure).reversed())
        .limit(Surveyed.MOST)
        .map(
            each ->
                new Surveyed.RefusedKind(
                    each.first.reason(),
                    each.sure(),
                    each.first.input(),
                    each.first.offset(),
                    each.first.origin(),
                    each.first.example()))
        .toList();
  }

  /** Returns five texts for each kind: the kind, and four texts about its first event. */
  List<String> texts() {
    List<String> texts = new ArrayList<>();
    for (Entry each : entries) {
      Refused first = each.first;
      texts.addAll(
          List.of(each.kind, first.reason(), first.input(), first.origin(), first.example()));
    }
    return texts;
  }

  /** Returns count, error and offset of each kind, in the order of {@link #texts}. */
  long[] numbers() {
    return entries.stream()
        .flatMapToLong(each -> LongStream.of(each.count, each.error, each.first.offset()))
        .toArray();
  }

  static RefusedKinds of(List<String> texts, long[] numbers) {
    RefusedKinds kinds = new RefusedKinds();
    for (int i = 0; 5 * i < texts.size(); i++) {
      List<String> own = texts.subList(5 * i, 5 * i + 5);
      Refused first =
          new Refused(own.get(1), own.get(2), numbers[3 * i + 2], own.get(3), own.get(4));
      kinds.entries.add(new Entry(own.get(0), first, numbers[3 * i], numbers[3 * i + 1]));
    }
    return kinds;
  }
}
