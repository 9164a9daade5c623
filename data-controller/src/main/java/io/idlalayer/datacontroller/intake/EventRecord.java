package io.idlalayer.datacontroller.intake;

/**
 * The record that brought an event.
 *
 * @param topic topic of the record; "" if topic, partition and offset are unknown
 * @param origin place from which a producer read the event, such as a file and a line; "" if it is
 *     unknown
 * @param event the event as it arrived, or its beginning
 * @param length number of bytes that arrived
 */
public record EventRecord(
    String topic, int partition, long offset, String origin, byte[] event, long length) {
  /** Stands for a record of which nothing is known. */
  public static final EventRecord UNKNOWN = new EventRecord("", 0, 0, "", new byte[0], 0);
}
