package io.idlalayer.jobs.topics;

import io.idlalayer.middleware.sample.MalformedSampleException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;

/**
 * The headers of a record on the dead-letter topic, with the facts about its event: the product's
 * headers, and also the headers that Kafka Connect and Kafka Streams write, which tools for dead
 * letters know. For each fact, reading uses the first of the three headers that a record has.
 * Reading never fails: a missing or damaged value becomes empty, or -1.
 */
public final class DeadLetterHeaders {
  private static final String CONNECT = "__connect.errors.";
  private static final String STREAMS = "__streams.errors.";
  private static final String EXCEPTION = MalformedSampleException.class.getName();

  /** The stage of a sink connector in which it reads the value of a record. */
  private static final String STAGE = "VALUE_CONVERTER";

  private static final List<String> REASON =
      List.of("idla-reason", CONNECT + "exception.message", STREAMS + "message");

  /** A connector is not an application, so only the product's own header is read. */
  private static final String APPLICATION = "idla-application";

  private static final List<String> TOPIC = names("topic");
  private static final List<String> PARTITION = names("partition");
  private static final List<String> OFFSET = names("offset");

  private DeadLetterHeaders() {}

  private static List<String> names(String fact) {
    return List.of("idla-" + fact, CONNECT + fact, STREAMS + fact);
  }

  /** Adds the facts about a dead letter to the headers of its record. */
  public static void add(Headers to, DeadLetter letter) {
    Map<String, String> headers = new LinkedHashMap<>();
    put(headers, REASON, letter.reason());
    headers.put(APPLICATION, letter.application());
    headers.put(CONNECT + "connector.name", letter.application());
    if (!letter.topic().isEmpty()) {
      put(headers, TOPIC, letter.topic());
      put(headers, PARTITION, Integer.toString(letter.partition()));
      put(headers, OFFSET, Long.toString(letter.offset()));
    }
    headers.put(EventHeaders.LENGTH, Long.toString(letter.length()));
    if (!letter.origin().isEmpty()) {
      headers.put(EventHeaders.SOURCE, letter.origin());
    }
    headers.put(CONNECT + "stage", STAGE);
    headers.put(CONNECT + "exception.class.name", EXCEPTION);
    headers.put(STREAMS + "exception", EXCEPTION);
    headers.forEach((name, value) -> to.add(name, value.getBytes(StandardCharsets.UTF_8)));
  }

  private static void put(Map<String, String> headers, List<String> names, String value) {
    names.forEach(name -> headers.put(name, value));
  }

  /** Returns the letter in a record of the dead-letter topic. */
  public static DeadLetter read(ConsumerRecord<byte[], byte[]> record) {
    Headers headers = record.headers();
    byte[] event = record.value() == null ? new byte[0] : record.value();
    long length = EventHeaders.length(headers);
    return new DeadLetter(
        EventHeaders.text(headers, APPLICATION),
        text(headers, TOPIC),
        (int) Math.min(Integer.MAX_VALUE, number(headers, PARTITION)),
        number(headers, OFFSET),
        text(headers, REASON),
        EventHeaders.text(headers, EventHeaders.SOURCE),
        event,
        length < 0 ? event.length : length);
  }

  /** Returns the value of the first of some headers that has one. */
  private static String text(Headers headers, List<String> names) {
    return names.stream()
        .map(name -> EventHeaders.text(headers, name))
        .filter(value -> !value.isEmpty())
        .findFirst()
        .orElse("");
  }

  private static long number(Headers headers, List<String> names) {
    try {
      return Math.max(-1, Long.parseLong(text(headers, names)));
    } catch (NumberFormatException damaged) {
      return -1;
    }
  }
}
