package io.idlalayer.jobs.topics;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;

/**
 * The headers of a record on the dead-letter topic, with the facts about its event. Reading never
 * fails: a missing or damaged value becomes empty, or -1.
 */
public final class DeadLetterHeaders {
  private static final String REASON = "idla-reason";
  private static final String APPLICATION = "idla-application";
  private static final String TOPIC = "idla-topic";
  private static final String PARTITION = "idla-partition";
  private static final String OFFSET = "idla-offset";

  private DeadLetterHeaders() {}

  /** Adds the facts about a dead letter to the headers of its record. */
  public static void add(Headers to, DeadLetter letter) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(REASON, letter.reason());
    headers.put(APPLICATION, letter.application());
    if (!letter.topic().isEmpty()) {
      headers.put(TOPIC, letter.topic());
      headers.put(PARTITION, Integer.toString(letter.partition()));
      headers.put(OFFSET, Long.toString(letter.offset()));
    }
    headers.put(EventHeaders.LENGTH, Long.toString(letter.length()));
    if (!letter.origin().isEmpty()) {
      headers.put(EventHeaders.SOURCE, letter.origin());
    }
    headers.forEach((name, value) -> to.add(name, value.getBytes(StandardCharsets.UTF_8)));
  }

  /** Returns the letter in a record of the dead-letter topic. */
  public static DeadLetter read(ConsumerRecord<byte[], byte[]> record) {
    Headers headers = record.headers();
    byte[] event = record.value() == null ? new byte[0] : record.value();
    long length = EventHeaders.length(headers);
    return new DeadLetter(
        EventHeaders.text(headers, APPLICATION),
        EventHeaders.text(headers, TOPIC),
        (int) Math.min(Integer.MAX_VALUE, number(headers, PARTITION)),
        number(headers, OFFSET),
        EventHeaders.text(headers, REASON),
        EventHeaders.text(headers, EventHeaders.SOURCE),
        event,
        length < 0 ? event.length : length);
  }

  private static long number(Headers headers, String name) {
    try {
      return Math.max(-1, Long.parseLong(EventHeaders.text(headers, name)));
    } catch (NumberFormatException damaged) {
      return -1;
    }
  }
}
