package io.idlalayer.benchmarks.quality;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.format.CsvSampleDecoder;
import io.idlalayer.middleware.sample.format.LineRecordReader;
import io.idlalayer.middleware.sample.text.TextForm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** The streams of the experiment by name: public data sets from files, and synthetic streams. */
final class DriftStreams {
  /** The files of the data directory: gzipped CSV with the class in the last column. */
  private enum File {
    ELEC("elec", "elec", true, 6, 0, 1),
    COVTYPE("covtype", "covtype_first20k", false, 54, 1, 7),
    SEA("sea", "sea_4concepts_50k", true, 3, 0, 1),
    SEA_GRADUAL("sea_gradual", "sea_0123_gradual_noise_0.2", true, 3, 0, 1),
    SINE("sine", "sine_0123_abrupto", true, 2, 0, 1),
    RBF("rbf", "interchanging_rbf_200k", true, 2, 0, 14);

    private final String key;
    private final String file;
    private final boolean header;
    private final int features;
    private final int firstClass;
    private final int lastClass;

    File(String key, String file, boolean header, int features, int firstClass, int lastClass) {
      this.key = key;
      this.file = file;
      this.header = header;
      this.features = features;
      this.firstClass = firstClass;
      this.lastClass = lastClass;
    }

    SampleSchema schema() {
      List<String> classes =
          IntStream.rangeClosed(firstClass, lastClass).mapToObj(Integer::toString).toList();
      return DriftStreams.schema(features, classes);
    }
  }

  private DriftStreams() {}

  /** Returns all names that {@link #read} knows. */
  static List<String> names() {
    List<String> names = new ArrayList<>();
    for (File file : File.values()) {
      names.add(file.key);
    }
    names.addAll(RecurringStreams.names());
    return names;
  }

  /**
   * Reads a stream.
   *
   * @param data directory with the folder {@code drift}
   * @param name one of {@link #names}
   * @param rows largest number of rows; if the stream is cut, its name says so
   * @throws IOException with the name of the file and the number of the line that cannot be used
   */
  static DriftStream read(Path data, String name, int rows) throws IOException {
    DriftStream whole;
    if (RecurringStreams.names().contains(name)) {
      whole = RecurringStreams.make(name);
    } else {
      File file =
          Arrays.stream(File.values())
              .filter(each -> each.key.equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "unknown stream %s; known are %s".formatted(name, names())));
      whole = DriftStream.clean(name, file.schema(), samples(data, file));
    }
    if (whole.size() <= rows) {
      return whole;
    }
    return DriftStream.clean(
        name + "@" + rows, whole.schema(), Arrays.copyOf(whole.samples(), rows));
  }

  /** Returns a schema with numbers x1, x2, ... and the class as the last column. */
  static SampleSchema schema(int features, List<String> classes) {
    List<DenseFeature> dense =
        IntStream.rangeClosed(1, features).mapToObj(i -> DenseFeature.of("x" + i)).toList();
    List<String> columns = new ArrayList<>(dense.stream().map(DenseFeature::name).toList());
    columns.add("class");
    return new SampleSchema(
        columns, dense, List.of(), new Label("class", Task.CLASSIFICATION, classes), null);
  }

  private static Sample[] samples(Path data, File file) throws IOException {
    Path path = data.resolve("drift").resolve(file.file + ".csv.gz");
    CsvSampleDecoder decoder = new CsvSampleDecoder(file.schema(), TextForm.PLAIN);
    List<Sample> samples = new ArrayList<>();
    int line = 0;
    try (LineRecordReader reader = LineRecordReader.open(path)) {
      while (reader.next()) {
        line++;
        if (line == 1 && file.header) {
          continue;
        }
        try {
          samples.add(decoder.decode(reader.record()));
        } catch (MalformedSampleException malformed) {
          throw new IOException("%s line %d: %s".formatted(path, line, malformed.getMessage()));
        }
      }
    }
    return samples.toArray(Sample[]::new);
  }
}
