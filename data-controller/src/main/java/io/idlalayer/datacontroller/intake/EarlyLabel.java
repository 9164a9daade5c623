package io.idlalayer.datacontroller.intake;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.Arrays;

/**
 * A label that waits for the features of its event, in its stored form: a sample that has only the
 * label, and the record that brought it.
 *
 * @param sample the encoded sample, which has only an id and a label
 * @param record the record, whose event is cut to {@link #EVENT_BYTES_MAX}
 */
public record EarlyLabel(byte[] sample, EventRecord record) {
  /** Largest number of bytes that are stored of the event. */
  static final int EVENT_BYTES_MAX = 1 << 10;

  private static final StateFormat FORMAT = StateFormat.first("early label");

  /** Returns the stored form of the label. */
  public byte[] encode() {
    byte[] event = record.event();
    return FORMAT
        .writer()
        .putBytes(1, sample)
        .putText(2, record.topic())
        .putInt(3, record.partition())
        .putLong(4, record.offset())
        .putText(5, record.origin())
        .putBytes(6, event.length > EVENT_BYTES_MAX ? Arrays.copyOf(event, EVENT_BYTES_MAX) : event)
        .putLong(7, record.length())
        .bytes();
  }

  /**
   * Decodes the bytes that {@link #encode} returned.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are damaged
   */
  public static EarlyLabel decode(byte[] stored) {
    StateReader in = FORMAT.reader(stored);
    return new EarlyLabel(
        in.getBytes(1),
        new EventRecord(
            in.getText(2),
            in.getInt(3),
            in.getLong(4),
            in.getText(5),
            in.getBytes(6),
            in.getLong(7)));
  }
}
