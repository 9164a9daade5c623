package io.idlalayer.jobs.proposal;

import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Some records of an input: all records at its beginning, and further records spread over the rest.
 *
 * @param records the records in the order of the input
 * @param front how many of these records are from the beginning without a gap
 * @param read how many records were read to choose these
 * @param whole whether all records of the input were read
 */
public record EventRows(List<byte[]> records, int front, long read, boolean whole) {
  private static final long KEPT_BYTES_MAX = 16L << 20;
  private static final long READ_BYTES_MAX = 1L << 30;

  public EventRows {
    records = List.copyOf(records);
  }

  /**
   * Reads an input. At most 1 GiB of it is read, and records of at most 16 MiB in all are returned.
   *
   * @param most number of records to return at most
   */
  public static EventRows read(RecordReader input, int most) throws IOException {
    Choice choice = new Choice(most);
    while (choice.takesMore()) {
      if (!input.next()) {
        return choice.rows(true);
      }
      choice.add(input.record());
    }
    return choice.rows(false);
  }

  /** Returns these rows with other bytes of each record. */
  EventRows with(UnaryOperator<byte[]> converted) {
    return new EventRows(records.stream().map(converted).toList(), front, read, whole);
  }

  /** Chooses records of an input while they come one by one. Confined to one thread. */
  public static final class Choice {
    private final int mostFront;
    private final int mostSpread;
    private final List<byte[]> front = new ArrayList<>();
    private List<byte[]> spread = new ArrayList<>();
    private long frontBytes;
    private long spreadBytes;
    private long stride = 1;
    private long read;
    private long readBytes;
    private boolean frontFull;

    public Choice(int most) {
      mostFront = Math.max(1, (most + 1) / 2);
      mostSpread = most - mostFront;
    }

    /** Returns whether another record can change the choice. */
    public boolean takesMore() {
      return readBytes < READ_BYTES_MAX && !(frontFull && mostSpread == 0);
    }

    public void add(byte[] record) {
      read++;
      readBytes += record.length;
      if (!frontFull) {
        front.add(record);
        frontBytes += record.length;
        frontFull = front.size() == mostFront || frontBytes >= KEPT_BYTES_MAX / 2;
      } else if ((read - front.size()) % stride == 0) {
        spread.add(record);
        spreadBytes += record.length;
        if (spread.size() > mostSpread || spreadBytes >= KEPT_BYTES_MAX / 2) {
          thin();
        }
      }
    }

    /**
     * Drops every second of the records that are spread over the rest, and takes half as many
     * records from now on.
     */
    private void thin() {
      List<byte[]> half = new ArrayList<>();
      spreadBytes = 0;
      for (int i = 1; i < spread.size(); i += 2) {
        half.add(spread.get(i));
        spreadBytes += spread.get(i).length;
      }
      spread = half;
      stride *= 2;
    }

    public EventRows rows(boolean whole) {
      List<byte[]> all = new ArrayList<>(front);
      all.addAll(spread);
      return new EventRows(all, front.size(), read, whole);
    }
  }
}
