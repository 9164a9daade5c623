package io.idlalayer.jobs.inspection;

import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.findings.EventFindings;
import io.idlalayer.jobs.findings.InputOutcome;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.produce.SurveyedInput;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.middleware.sample.text.Shown;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A report about what a model would see of the first events of a file. The events are decoded in
 * the same way as in a run.
 */
public final class SampleInspection {
  private static final int FEATURES_MAX = 60;
  private static final int CLASSES_MAX = 20;

  private final ApplicationSettings application;
  private final FeatureTally features;
  private final long[] classes;
  private final SampleCodec codec = new SampleCodec();
  private double least = Double.POSITIVE_INFINITY;
  private double most = Double.NEGATIVE_INFINITY;
  private double sum;
  private long samples;
  private long labelled;
  private long bytes;
  private Surveyed surveyed = Surveyed.NOTHING;

  private SampleInspection(ApplicationSettings application) {
    this.application = application;
    SampleSchema schema = application.model().schema();
    features =
        new FeatureTally(
            schema, application.model().standardize(), ClaimedMemory.tables(application.model()));
    classes = new long[schema.label().classes().size()];
  }

  /**
   * Reads the first events of an input.
   *
   * @param rows number of events to read at most
   */
  public static SampleInspection read(ApplicationSettings application, InputSource input, int rows)
      throws IOException {
    SampleInspection inspection = new SampleInspection(application);
    SurveyedInput survey = new SurveyedInput(application, input, Long.MAX_VALUE, unused -> {});
    SampleDecoder decoder = SampleDecoders.ofInput(application.input());
    try (RecordReader reader = survey.source().opener().open()) {
      for (int i = 0; i < rows && reader.next(); i++) {
        inspection.take(decoder, reader.record());
      }
    }
    inspection.surveyed = survey.surveyed();
    return inspection;
  }

  private void take(SampleDecoder decoder, byte[] event) {
    if (event.length > application.input().maxEventBytes()) {
      return;
    }
    Sample sample;
    try {
      sample = decoder.decode(event);
    } catch (MalformedSampleException refused) {
      // The survey records the reason.
      return;
    }
    samples++;
    bytes += codec.encode(sample).length;
    features.add(sample);
    if (!sample.labeled()) {
      return;
    }
    labelled++;
    if (classes.length > 0) {
      classes[(int) sample.label()]++;
    } else {
      least = Math.min(least, sample.label());
      most = Math.max(most, sample.label());
      sum += sample.label();
    }
  }

  /** Returns how much of the events would be learned. */
  public InputOutcome outcome() {
    return InputOutcome.of(surveyed, true, 0);
  }

  /** Returns the stored bytes of an event, on average; NaN if none could be decoded. */
  public double bytesOfSample() {
    return samples == 0 ? Double.NaN : (double) bytes / samples;
  }

  /** Returns how many different ids of a feature came. */
  public long idsOf(int feature) {
    return features.idsOf(feature);
  }

  /** Returns the report as lines, each with a sentence or a row of a table. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "%,d events read: %,d decoded, %,d with a label, %,d refused",
            surveyed.events(),
            samples,
            labelled,
            surveyed.refused()));
    lines.addAll(EventFindings.ofSent(surveyed, application.input()));
    if (samples > 0) {
      lines.add("features:");
      lines.addAll(features.lines(FEATURES_MAX));
      lines.addAll(labels());
    }
    return lines;
  }

  private List<String> labels() {
    SampleSchema.Label label = application.model().schema().label();
    List<String> lines = new ArrayList<>();
    if (labelled == 0) {
      lines.add("label " + Shown.of(label.name()) + ": in no event");
      return lines;
    }
    if (classes.length == 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "label %s: numbers from %.6g to %.6g, mean %.6g",
              Shown.of(label.name()),
              least,
              most,
              sum / labelled));
      return lines;
    }
    lines.add("label " + Shown.of(label.name()) + ", classes:");
    for (int i = 0; i < Math.min(CLASSES_MAX, classes.length); i++) {
      lines.add(
          String.format(
              Locale.ROOT,
              "  %-20s %.2f %%",
              Shown.of(label.classes().get(i)),
              100.0 * classes[i] / labelled));
    }
    if (classes.length > CLASSES_MAX) {
      lines.add(String.format(Locale.ROOT, "  and %,d more", classes.length - CLASSES_MAX));
    }
    return lines;
  }
}
