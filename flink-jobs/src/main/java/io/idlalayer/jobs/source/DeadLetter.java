package io.idlalayer.jobs.source;

/**
 * A quarantined event with the reason and the place it was read from.
 *
 * @param event the bytes as they arrived
 * @param origin file and line as told by the producer, "" if unknown
 */
public record DeadLetter(
    String application,
    String topic,
    int partition,
    long offset,
    String reason,
    String origin,
    byte[] event) {}
