package io.idlalayer.benchmarks;

import io.idlalayer.jobs.produce.InputProducer;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsException;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** JSON events of about 1 KB: 50 numbers with 12 decimals and a label. */
final class WideEvents implements RecordReader {
  static final int FEATURES = 50;

  /** What the learner donates to the hot cache: the default of applications. */
  static final String HOT_BYTES = "64MiB";

  private static final int TEMPLATES = 2_000;

  private final long events;
  private final long different;
  private final String[] templates = new String[TEMPLATES];
  private long position;

  /** All different. */
  WideEvents(long events) {
    this(events, Long.MAX_VALUE);
  }

  /**
   * @param different how many of them differ, at least 2,000; the others repeat those
   */
  WideEvents(long events, long different) {
    this.events = events;
    this.different = different;
    SplittableRandom random = new SplittableRandom(1);
    for (int t = 0; t < TEMPLATES; t++) {
      StringBuilder text = new StringBuilder();
      for (int i = 1; i < FEATURES; i++) {
        text.append(',')
            .append(String.format(Locale.ROOT, "%.12f", random.nextDouble() * 200 - 100));
      }
      templates[t] = text.append("],\"y\":").append(random.nextInt(2)).append('}').toString();
    }
  }

  /**
   * An application for these events. Its updates come with a period, or with each 100,000 samples,
   * as many as may wait.
   *
   * @param work folder for its file
   */
  static ApplicationSettings application(Path work, String period, String hotBytes)
      throws IOException, SettingsException {
    Files.createDirectories(work);
    Path file = work.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: wide
        input: {format: json, features: [{name: x, width: 50}], label: y, classes: 2}
        model: {type: mlp, hidden: [64, 32]}
        update: {rule: periodic, period: %s, max-batch: 100000}
        selection: {max-samples: 10000000, max-bytes: 16GiB, replay-budget: 2000}
        memory: {hot-bytes: %s}
        """
            .formatted(period, hotBytes));
    return ApplicationFileReader.read(file, System::getenv);
  }

  /** Sends events to the topic of such an application. */
  static void send(ApplicationSettings application, String servers, long events, long different)
      throws Exception {
    Topics.ensure(List.of(application), servers);
    new InputProducer(application, servers)
        .send(
            InputSource.generated("wide", () -> new WideEvents(events, different)),
            new InputProducer.Request(Long.MAX_VALUE, 0));
  }

  @Override
  public boolean next() {
    return position++ < events;
  }

  @Override
  public byte[] record() {
    long number = position % different;
    String event = "{\"x\":[" + number + templates[(int) (number % TEMPLATES)];
    return event.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void close() {}
}
