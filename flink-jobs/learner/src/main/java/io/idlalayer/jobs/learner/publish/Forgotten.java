package io.idlalayer.jobs.learner.publish;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Collections;
import java.util.HexFormat;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The record of the events that a learner's model has forgotten.
 *
 * @param events hashes of the ids of all events whose requests to forget were answered: the model
 *     was trained again without them, or had never learned from them; at most {@link #MOST_EVENTS}.
 *     After a restore, they show which requests the restored model does not know
 * @param before the newest version that has possibly learned from one of these events, as have
 *     possibly all versions before it; 0 if there is none
 * @param unpublished whether no version has forgotten all of these events yet, so that {@code
 *     before} does not cover the last events
 */
public record Forgotten(SortedSet<Long> events, long before, boolean unpublished) {
  /** Largest number of events. Each manifest names all of them, with 16 characters for each. */
  public static final int MOST_EVENTS = 10_000;

  public static final Forgotten NOTHING = new Forgotten(new TreeSet<>(), 0, false);

  public Forgotten {
    events = Collections.unmodifiableSortedSet(new TreeSet<>(events));
  }

  /** Returns the number of events. */
  public int samples() {
    return events.size();
  }

  /** Returns the newest version that is to be deleted; 0 if there is none. */
  long deletedUpTo() {
    return unpublished ? 0 : before;
  }

  /** Returns this record with further events, which no published version has forgotten yet. */
  public Forgotten plus(Collection<Long> more) {
    return new Forgotten(with(more), before, true);
  }

  /** Returns this record with an event from which neither the model nor any version has learned. */
  public Forgotten answered(long event) {
    return new Forgotten(with(Collections.singleton(event)), before, unpublished);
  }

  private SortedSet<Long> with(Collection<Long> more) {
    TreeSet<Long> all = new TreeSet<>(events);
    all.addAll(more);
    return all;
  }

  /**
   * Returns this record after the publication of a version that has forgotten all of the events.
   */
  public Forgotten publishedAs(long version) {
    return new Forgotten(events, version - 1, false);
  }

  /** Returns the events as a text for {@link #events(String)}. */
  String eventsText() {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * events.size());
    events.forEach(bytes::putLong);
    return HexFormat.of().formatHex(bytes.array());
  }

  /**
   * Returns the events of a text.
   *
   * @throws IllegalArgumentException if the text is malformed
   */
  static SortedSet<Long> events(String text) {
    ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(text));
    if (bytes.remaining() % Long.BYTES != 0) {
      throw new IllegalArgumentException(
          "%d bytes are not a whole number of hashes of %d bytes"
              .formatted(bytes.remaining(), Long.BYTES));
    }
    TreeSet<Long> events = new TreeSet<>();
    while (bytes.hasRemaining()) {
      events.add(bytes.getLong());
    }
    return events;
  }
}
