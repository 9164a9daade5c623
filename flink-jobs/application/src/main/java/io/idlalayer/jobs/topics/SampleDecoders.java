package io.idlalayer.jobs.topics;

import io.idlalayer.jobs.records.RecordSampleDecoder;
import io.idlalayer.jobs.records.RecordSchemas;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.format.BinarySampleDecoder;
import io.idlalayer.middleware.sample.format.CriteoTsvSampleDecoder;
import io.idlalayer.middleware.sample.format.CsvSampleDecoder;
import io.idlalayer.middleware.sample.format.EventParts;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.format.PlainFieldDecoder;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.util.Objects;

/** Chooses the decoder for the event format of an application. */
public final class SampleDecoders {
  private SampleDecoders() {}

  /** Returns a decoder for an application's events if events with one id are never joined. */
  public static SampleDecoder of(ApplicationSettings.Input input) {
    return of(input, EventParts.WHOLE);
  }

  /** Returns a decoder for an application's events if events with one id can be joined. */
  public static SampleDecoder ofInput(ApplicationSettings.Input input) {
    return of(input, EventParts.JOINED);
  }

  /**
   * Returns a decoder for the labels of an application that has a topic for them.
   *
   * @throws IllegalStateException if it has none
   */
  public static SampleDecoder ofLabels(ApplicationSettings.Input input) {
    ApplicationSettings.Input labels = input.ofLabels();
    return new LabelDecoder(
        labels.schema(), of(labels, EventParts.JOINED), input.schema().weight() != null);
  }

  /**
   * Returns a decoder like that of {@link #ofInput}, for events whose fields are already values.
   */
  public static PlainFieldDecoder ofFields(ApplicationSettings.Input input) {
    return new PlainFieldDecoder(input.schema(), EventParts.JOINED);
  }

  private static SampleDecoder of(ApplicationSettings.Input input, EventParts parts) {
    return switch (input.format()) {
      case JSON -> new JsonSampleDecoder(input.schema(), encoding(input), parts);
      case CSV -> new CsvSampleDecoder(input.schema(), input.text(), parts);
      case CRITEO_TSV -> new CriteoTsvSampleDecoder(input.schema(), encoding(input));
      case BINARY -> new BinarySampleDecoder(input.schema(), parts);
      case AVRO -> RecordSampleDecoder.avro(input.schema(), parts, schemas(input));
      case PROTOBUF -> RecordSampleDecoder.protobuf(input.schema(), parts, schemas(input));
    };
  }

  private static RecordSchemas schemas(ApplicationSettings.Input input) {
    return Objects.requireNonNull(input.schemas(), "records without schemas");
  }

  private static EventEncoding encoding(ApplicationSettings.Input input) {
    return input.text().eventEncoding();
  }
}
