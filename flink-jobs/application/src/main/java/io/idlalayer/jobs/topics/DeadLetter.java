package io.idlalayer.jobs.topics;

/**
 * A quarantined record with the reason and the place it was read from. Bounded: what of an event is
 * beyond {@link #EVENT_BYTES_MAX} is left out, and texts are cut.
 *
 * @param event the bytes as they arrived, or their beginning
 * @param length how many bytes arrived
 * @param origin file and line as told by the producer, "" if unknown
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
  /** Most bytes that are kept of an event. */
  public static final int EVENT_BYTES_MAX = 64 << 10;
}
