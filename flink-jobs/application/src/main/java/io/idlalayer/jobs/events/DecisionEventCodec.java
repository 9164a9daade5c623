package io.idlalayer.jobs.events;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.idlalayer.middleware.embedding.table.RowUsage;
import io.idlalayer.modelcontroller.mixture.ExpertQuality;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decision events as JSON. Unknown fields of a later writer are ignored. */
public final class DecisionEventCodec {
  /**
   * Largest number of bytes of an event, which is half of a broker's default limit. Events with
   * arrival times are smaller, so only events with excessively long names reach this limit.
   */
  public static final int MOST_BYTES = 512 << 10;

  private static final ObjectMapper RECORDS =
      new ObjectMapper(
              // An event has a few hundred numbers. Writing them takes most of the time.
              JsonFactory.builder()
                  .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
                  .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
                  .build())
          .setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  /** The types of the parts of statuses that the events of updates repeat. */
  private static final List<Class<?>> REPEATED =
      List.of(
          PrequentialSummary.class,
          ComparedVersions.class,
          Surveyed.class,
          HistoryUse.class,
          ExpertQuality.class,
          RowUsage.class,
          Status.Engine.class);

  private static final ObjectMapper JSON = RECORDS.copy().registerModule(repeated());

  private static final ObjectWriter WRITER = JSON.writerFor(DecisionEvent.class);
  private static final ObjectReader READER = JSON.readerFor(DecisionEvent.class);

  private DecisionEventCodec() {}

  private static SimpleModule repeated() {
    SimpleModule module = new SimpleModule();
    REPEATED.forEach(type -> addTo(module, type));
    return module;
  }

  private static <T> void addTo(SimpleModule module, Class<T> type) {
    module.addSerializer(type, new RepeatedJson<>(RECORDS, type));
  }

  /** Returns an event as JSON, at most {@link #MOST_BYTES} bytes. A larger event is shortened. */
  public static byte[] encode(DecisionEvent event) {
    byte[] bytes = json(event);
    return bytes.length <= MOST_BYTES ? bytes : json(event.shortened(bytes.length));
  }

  private static byte[] json(DecisionEvent event) {
    try {
      return WRITER.writeValueAsBytes(event);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * Returns the event, or empty if the bytes are not an event that this program reads. Any client
   * can write to a topic, so required fields can be missing.
   */
  public static Optional<DecisionEvent> decode(byte @Nullable [] bytes) {
    if (bytes == null) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(READER.<DecisionEvent>readValue(bytes))
          .filter(event -> event.formatVersion() == DecisionEvent.FORMAT_VERSION)
          .filter(WholeRecords::isWhole);
    } catch (IOException garbage) {
      return Optional.empty();
    }
  }
}
