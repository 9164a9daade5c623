package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.topics.EventHeaders;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The records of an input that are in the topic. Each partition is counted as the job reads it:
 * within one identity of the input, the job skips a record whose number is not above the last
 * number of its partition.
 *
 * <p>A producer that gave up a record and sent later ones left a hole. The missing record is sent
 * under another identity of the input, because the job would skip it under the first one. A hole
 * needs a failed batch that was in flight together with later ones, so there are at most as many as
 * a producer's memory has batches ({@code buffer.memory} / {@code batch.size}, 2,048 unless set); a
 * hole takes two numbers, however many records are missing.
 *
 * <p>The producer's own thread can call this class with acknowledgements.
 */
final class SentRecords {
  /**
   * Largest number of identities of one input: the first identity, and one more each time that some
   * records are still missing after missing records were sent.
   */
  static final int IDENTITIES = 8;

  private static final int HOLES_MAX = 1 << 16;

  private final long[] inputs = new long[IDENTITIES];
  private InputProgress noted;
  private List<Partition> partitions;

  /**
   * Creates the set of records that a noted progress lists; records sent after the note are still
   * to be found.
   */
  SentRecords(InputProgress noted) {
    this.noted = noted;
    partitions = partitions(noted);
    for (int i = 0; i < IDENTITIES; i++) {
      inputs[i] = EventHeaders.inputNumber(i == 0 ? noted.id() : noted.id() + "/" + i);
    }
  }

  private static List<Partition> partitions(InputProgress noted) {
    List<Partition> partitions = new ArrayList<>();
    for (int i = 0; i < noted.partitions(); i++) {
      partitions.add(
          new Partition(
              noted.partitions(),
              noted.following(i, Math.max(noted.base(), noted.sent().get(i))),
              noted.next().get(i)));
    }
    return partitions;
  }

  String name() {
    return noted.name();
  }

  synchronized int partitions() {
    return partitions.size();
  }

  /** Returns the partition to which the record with a number goes. */
  synchronized int partition(long number) {
    return noted.partition(number);
  }

  synchronized boolean contains(long number) {
    return number <= noted.base() || partitions.get(noted.partition(number)).contains(number);
  }

  /** Returns the highest number that is in the topic. Records with lower numbers can be missing. */
  synchronized long highest() {
    return Math.max(
        noted.base(), partitions.stream().mapToLong(Partition::highest).max().orElse(0));
  }

  /** Returns how many of the records up to a number are in the topic. */
  synchronized long count(long upTo) {
    long count = Math.min(noted.base(), upTo);
    for (int i = 0; i < partitions.size(); i++) {
      count += partitions.get(i).count(noted.following(i, noted.base()), upTo);
    }
    return count;
  }

  /**
   * Returns the identity under which a record must be sent so that the job accepts it.
   *
   * @throws IOException if holes were left in holes too often
   */
  synchronized EventHeaders.Identity identity(long number) throws IOException {
    long[] last = partitions.get(noted.partition(number)).last;
    for (int i = 0; i < IDENTITIES; i++) {
      if (last[i] < number) {
        return new EventHeaders.Identity(inputs[i], number);
      }
    }
    throw new IOException(
        ("record %d of %s was given up %d times while later ones arrived; send the input under"
                + " another name to another application, or look why the broker loses records")
            .formatted(number, noted.name(), IDENTITIES));
  }

  /**
   * Adds a record that was found in the topic. Records must be passed in the order of their
   * offsets.
   *
   * @param cut whether the topic's retention has removed records before it; missing records of this
   *     input before it then count as sent
   * @return whether it is a record of this input
   * @throws IOException if there are more holes than a producer can leave
   */
  synchronized boolean found(
      int partition, EventHeaders.Identity identity, long offset, boolean cut) throws IOException {
    Partition into = partitions.get(partition);
    int which = which(identity);
    if (which < 0
        || identity.number() <= noted.base()
        || noted.partition(identity.number()) != partition) {
      return false;
    }
    if (cut && which == 0) {
      into.removedBefore(identity.number());
    }
    into.add(which, identity.number(), offset);
    if (into.missing.size() > HOLES_MAX) {
      throw new IOException(
          ("partition %d of topic %s has more than %d holes among the records of %s: "
                  + "did another producer write records with its header %s?")
              .formatted(partition, noted.topic(), HOLES_MAX, noted.name(), EventHeaders.INPUT));
    }
    return true;
  }

  private int which(EventHeaders.Identity identity) {
    for (int i = 0; i < IDENTITIES; i++) {
      if (inputs[i] == identity.input()) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Adds a record that the broker has acknowledged.
   *
   * @return false if an earlier record of its partition is missing, so that the topic must be read
   */
  synchronized boolean acknowledged(EventHeaders.Identity identity, long offset) {
    Partition into = partitions.get(noted.partition(identity.number()));
    return into.lowestMissing() == identity.number()
        && into.add(which(identity), identity.number(), offset);
  }

  /** Returns whether no record below the highest number is missing. */
  private boolean isWhole() {
    return partitions.stream().allMatch(each -> each.missing.isEmpty());
  }

  /**
   * Returns the progress to note; only records without a gap before them count as sent.
   *
   * @param open whether records are possibly in flight
   */
  synchronized InputProgress progress(boolean open) {
    return noted.reached(
        noted.base(),
        partitions.stream().mapToLong(Partition::sent).toArray(),
        partitions.stream().mapToLong(each -> each.next).toArray(),
        open || !isWhole());
  }

  /**
   * Spreads the following records over all partitions that the topic has now. All records up to the
   * number {@code complete} must be in the topic, and no record with a higher number is allowed to
   * be in the topic or in flight.
   */
  synchronized void grow(long complete, int newPartitions) {
    InputProgress now = progress(true);
    noted =
        now.reached(
            complete,
            Arrays.copyOf(now.sent().stream().mapToLong(Long::longValue).toArray(), newPartitions),
            Arrays.copyOf(now.next().stream().mapToLong(Long::longValue).toArray(), newPartitions),
            true);
    partitions = partitions(noted);
  }

  /** The records of an input that go to one partition; their numbers differ by a fixed distance. */
  private static final class Partition {
    final int distance;
    final long[] last = new long[IDENTITIES];

    /** The ranges of missing records: first missing number to last. */
    final TreeMap<Long, Long> missing = new TreeMap<>();

    /** The number of the first record after the highest one in the topic. */
    long following;

    /** The offset after all records that were seen. */
    long end;

    /**
     * Offset before which no record is missing; the topic is searched from here on for records that
     * are not noted.
     */
    long next;

    Partition(int distance, long following, long next) {
      this.distance = distance;
      this.following = following;
      this.end = next;
      this.next = next;
      last[0] = highest();
    }

    long highest() {
      return Math.max(0, following - distance);
    }

    boolean contains(long number) {
      Map.Entry<Long, Long> hole = missing.floorEntry(number);
      return number < following && (hole == null || hole.getValue() < number);
    }

    long lowestMissing() {
      return missing.isEmpty() ? following : missing.firstKey();
    }

    /** Returns the number up to which all records are in the topic. */
    long sent() {
      return Math.max(0, lowestMissing() - distance);
    }

    long count(long first, long upTo) {
      long count = numbers(first, Math.min(upTo, following - 1));
      for (Map.Entry<Long, Long> hole : missing.entrySet()) {
        count -= numbers(hole.getKey(), Math.min(upTo, hole.getValue()));
      }
      return count;
    }

    private long numbers(long first, long upTo) {
      return upTo < first ? 0 : (upTo - first) / distance + 1;
    }

    void removedBefore(long number) {
      following = Math.max(following, number);
    }

    boolean add(int identity, long number, long offset) {
      boolean taken = number > last[identity];
      if (taken) {
        last[identity] = number;
        if (number < following) {
          fill(number);
        } else {
          if (number > following) {
            missing.put(following, number - distance);
          }
          following = number + distance;
        }
      }
      end = Math.max(end, offset + 1);
      if (missing.isEmpty()) {
        next = end;
      }
      return taken;
    }

    private void fill(long number) {
      Map.Entry<Long, Long> hole = missing.floorEntry(number);
      if (hole == null || hole.getValue() < number) {
        return;
      }
      missing.remove(hole.getKey());
      if (hole.getKey() < number) {
        missing.put(hole.getKey(), number - distance);
      }
      if (number < hole.getValue()) {
        missing.put(number + distance, hole.getValue());
      }
    }
  }
}
