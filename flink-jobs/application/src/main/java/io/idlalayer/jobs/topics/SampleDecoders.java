package io.idlalayer.jobs.topics;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.format.BinarySampleDecoder;
import io.idlalayer.middleware.sample.format.CriteoTsvSampleDecoder;
import io.idlalayer.middleware.sample.format.CsvSampleDecoder;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.format.SampleDecoder;

/** Chooses the decoder for the event format of an application. */
public final class SampleDecoders {
  private SampleDecoders() {}

  /** Returns a decoder for an application's events. */
  public static SampleDecoder of(ApplicationSettings.Input input) {
    return switch (input.format()) {
      case JSON -> new JsonSampleDecoder(input.schema());
      case CSV -> new CsvSampleDecoder(input.schema(), input.delimiter());
      case CRITEO_TSV -> new CriteoTsvSampleDecoder(input.schema());
      case BINARY -> new BinarySampleDecoder(input.schema());
    };
  }
}
