package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads the samples with verified labels on which the release gate compares models. */
public final class TrustedSamples {
  /**
   * Largest number of samples. It is bounded because the samples stay in the memory of each
   * learner, and two models score all of them for each update.
   */
  private static final int MOST = 10_000;

  private TrustedSamples() {}

  /**
   * Returns all trusted samples of an application; none if it names no file.
   *
   * @throws IOException with file and line, if the file cannot be read, has an event that is not a
   *     sample with a label, has no events, or has more than 10,000
   */
  public static List<Sample> read(ApplicationSettings application) throws IOException {
    String named = application.publishing().gate().trustedFile();
    if (named == null) {
      return List.of();
    }
    Path file = Path.of(named);
    ApplicationSettings read = Inputs.toRead(file, application);
    SampleDecoder decoder = SampleDecoders.of(read.input());
    List<Sample> samples = new ArrayList<>();
    try (RecordReader reader = Inputs.open(file, read)) {
      while (reader.next()) {
        Sample sample = sample(file, reader, decoder);
        if (samples.size() == MOST) {
          throw new IOException("%s has more than %,d events; use fewer".formatted(file, MOST));
        }
        samples.add(sample);
      }
    } catch (UnreadableFileException damaged) {
      throw damaged.adding("none of its events is used");
    }
    if (samples.isEmpty()) {
      throw new IOException(file + " has no events to compare models on");
    }
    return List.copyOf(samples);
  }

  private static Sample sample(Path file, RecordReader reader, SampleDecoder decoder)
      throws IOException {
    try {
      Sample sample = decoder.decode(reader.record());
      if (!sample.labeled()) {
        throw new IOException("%s:%d: the event has no label".formatted(file, reader.position()));
      }
      return sample;
    } catch (MalformedSampleException refused) {
      throw new IOException(
          "%s:%d: %s".formatted(file, reader.position(), refused.getMessage()), refused);
    }
  }
}
