package io.idlalayer.jobs.source;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.BinarySampleDecoder;
import io.idlalayer.middleware.sample.CriteoTsvSampleDecoder;
import io.idlalayer.middleware.sample.CsvSampleDecoder;
import io.idlalayer.middleware.sample.JsonSampleDecoder;
import io.idlalayer.middleware.sample.SampleDecoder;

/** The registry of event formats. */
public final class SampleDecoders {
  private SampleDecoders() {}

  /** A decoder for an application's events. */
  public static SampleDecoder of(ApplicationSettings.Input input) {
    return switch (input.format()) {
      case JSON -> new JsonSampleDecoder(input.schema());
      case CSV -> new CsvSampleDecoder(input.schema(), input.delimiter());
      case CRITEO_TSV -> new CriteoTsvSampleDecoder(input.schema());
      case BINARY -> new BinarySampleDecoder(input.schema());
    };
  }
}
