package io.idlalayer.jobs.topics;

/**
 * A record that was refused, with the reason and the place from which it was read. Its size is
 * bounded: an event is cut to {@link #EVENT_BYTES_MAX}, and texts are cut.
 *
 * @param topic topic of the record; "" if the event came from a stream without positions, in this
 *     case partition and offset are -1
 * @param event the bytes of the event, or their beginning
 * @param length number of bytes that arrived
 * @param origin file and line that the producer sent, "" if unknown
 */
public record DeadLetter(
    String application,
    String topic,
    int partition,
    long offset,
    String reason,
    String origin,
    byte[] event,
    long length) {
  /** Largest number of bytes that a dead letter keeps of its event. */
  public static final int EVENT_BYTES_MAX = 64 << 10;
}
