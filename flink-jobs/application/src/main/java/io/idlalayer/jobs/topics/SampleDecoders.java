package io.idlalayer.jobs.topics;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.format.BinarySampleDecoder;
import io.idlalayer.middleware.sample.format.CriteoTsvSampleDecoder;
import io.idlalayer.middleware.sample.format.CsvSampleDecoder;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.middleware.sample.text.EventEncoding;

/** Chooses the decoder for the event format of an application. */
public final class SampleDecoders {
  private SampleDecoders() {}

  /** Returns a decoder for an application's events. */
  public static SampleDecoder of(ApplicationSettings.Input input) {
    return switch (input.format()) {
      case JSON -> new JsonSampleDecoder(input.schema(), encoding(input));
      case CSV -> new CsvSampleDecoder(input.schema(), input.text());
      case CRITEO_TSV -> new CriteoTsvSampleDecoder(input.schema(), encoding(input));
      case BINARY -> new BinarySampleDecoder(input.schema());
    };
  }

  private static EventEncoding encoding(ApplicationSettings.Input input) {
    return input.text().eventEncoding();
  }
}
