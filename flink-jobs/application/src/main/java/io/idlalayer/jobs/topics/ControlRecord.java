package io.idlalayer.jobs.topics;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.middleware.sample.MalformedSampleException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A request to an application, as JSON on its control topic: {@code {"version": 1, "type": "end",
 * "application": "clicks", "id": "...", "after": {"0": 1200, "1": 1180}}}. Decoding is strict, and
 * throws no other exception than the declared one.
 *
 * @param id END: name of the end in a learner's status; RETRACT, FORGET and EXPLAIN: id of the
 *     sample; 1 to {@link #ID_BYTES_MAX} bytes of UTF-8. TRAIN: ""
 * @param after next offset by partition of the input topic, which is a number, or by name and
 *     partition of any topic of events or labels, such as {@code clicks-labels-0}. The request is
 *     carried out when the input is read up to these offsets; if the map is empty, it is carried
 *     out at once
 */
public record ControlRecord(
    Type type, String application, String id, SortedMap<String, Long> after) {
  /** Largest length of a request's id in bytes. */
  public static final int ID_BYTES_MAX = 1_024;

  /**
   * Largest length of an encoded request in bytes, enough for the positions of 10,000 partitions.
   */
  public static final int BYTES_MAX = 512 << 10;

  private static final int VERSION = 1;
  private static final Pattern PARTITION =
      Pattern.compile("([A-Za-z0-9._-]{1,249}-)?(0|[1-9][0-9]{0,6})");
  private static final int PARTITIONS_MAX = 10_000;
  private static final Set<String> FIELDS = Set.of("version", "type", "application", "id", "after");
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);

  /** The kinds of requests to an application. */
  public enum Type {
    /** Learn and publish everything that was sent before, and report the end in the status. */
    END,
    /** Train the waiting samples without waiting for the update rule. */
    TRAIN,
    /** Take back the label of an event. */
    RETRACT,
    /** Take back the label of an event, and forget what was learned from its sample. */
    FORGET,
    /** Answer why a sample has its life stage. */
    EXPLAIN
  }

  public ControlRecord {
    after = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(after));
  }

  /** Returns the request as JSON bytes. */
  public byte[] encode() {
    ObjectNode node = JSON.createObjectNode();
    node.put("version", VERSION);
    node.put("type", type.name().toLowerCase(Locale.ROOT));
    node.put("application", application);
    node.put("id", id);
    ObjectNode positions = node.putObject("after");
    after.forEach(positions::put);
    try {
      return JSON.writeValueAsBytes(node);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * Reads the JSON of a request.
   *
   * @throws MalformedSampleException with the reason if it is not valid
   */
  public static ControlRecord decode(byte[] bytes) throws MalformedSampleException {
    if (bytes.length > BYTES_MAX) {
      throw refused("%d bytes; at most %d".formatted(bytes.length, BYTES_MAX));
    }
    JsonNode node;
    try {
      node = JSON.readTree(bytes);
    } catch (IOException noJson) {
      throw refused("no JSON: " + EventHeaders.cut(String.valueOf(noJson.getMessage()), 200));
    }
    if (node == null || !node.isObject()) {
      throw refused("a JSON object is expected");
    }
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      if (!FIELDS.contains(field.getKey())) {
        throw refused("unknown field '" + EventHeaders.cut(field.getKey(), 100) + "'");
      }
    }
    if (!node.path("version").isInt() || node.path("version").intValue() != VERSION) {
      throw refused("version is not " + VERSION);
    }
    Type type = type(text(node, "type"));
    String id = text(node, "id");
    if (type != Type.TRAIN && id.isEmpty()) {
      throw refused("id is missing");
    }
    if (id.getBytes(StandardCharsets.UTF_8).length > ID_BYTES_MAX) {
      throw refused("id has more than " + ID_BYTES_MAX + " bytes");
    }
    return new ControlRecord(type, text(node, "application"), id, positions(node.path("after")));
  }

  private static String text(JsonNode node, String field) throws MalformedSampleException {
    JsonNode value = node.path(field);
    if (value.isMissingNode()) {
      return "";
    }
    if (!value.isTextual()) {
      throw refused(field + " is not text");
    }
    return value.textValue();
  }

  private static Type type(String name) throws MalformedSampleException {
    for (Type type : Type.values()) {
      if (type.name().toLowerCase(Locale.ROOT).equals(name)) {
        return type;
      }
    }
    throw refused("unknown type '" + EventHeaders.cut(name, 100) + "'");
  }

  private static SortedMap<String, Long> positions(JsonNode node) throws MalformedSampleException {
    SortedMap<String, Long> positions = new TreeMap<>();
    if (node.isMissingNode()) {
      return positions;
    }
    if (!node.isObject() || node.size() > PARTITIONS_MAX) {
      throw refused("after is not an object of at most " + PARTITIONS_MAX + " partitions");
    }
    for (Map.Entry<String, JsonNode> each : node.properties()) {
      boolean number = PARTITION.matcher(each.getKey()).matches();
      JsonNode next = each.getValue();
      if (!number || !next.isIntegralNumber() || !next.canConvertToLong() || next.longValue() < 0) {
        throw refused("after has a value that is not an offset of a partition");
      }
      positions.put(each.getKey(), next.longValue());
    }
    return positions;
  }

  private static MalformedSampleException refused(String why) {
    return new MalformedSampleException("control record", why);
  }

  /** Encodes offsets by names of partitions, as the body of an arrival. */
  public static byte[] positionBytes(SortedMap<String, Long> after) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      for (Map.Entry<String, Long> each : after.entrySet()) {
        out.writeUTF(each.getKey());
        out.writeLong(each.getValue());
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  /** Decodes the offsets by names of partitions in the body of an arrival. */
  public static SortedMap<String, Long> positions(byte[] body) {
    SortedMap<String, Long> after = new TreeMap<>();
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(body));
    try {
      while (in.available() > 0) {
        after.put(in.readUTF(), in.readLong());
      }
    } catch (IOException damaged) {
      throw new UncheckedIOException(damaged);
    }
    return after;
  }
}
