package io.idlalayer.jobs.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.format.BinarySampleDecoder;
import io.idlalayer.middleware.sample.format.InputFiles;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Examples whose events are ids, on the data that they are for. */
final class ExampleDataTest {
  private static final Path EXAMPLES = Path.of("../..").resolve("examples");

  private static Path data(String name) {
    Path file = Path.of(System.getenv().getOrDefault("IDLA_DATA", "../../../shared/data"), name);
    Assumptions.assumeTrue(Files.exists(file), name + " is not at hand");
    return file;
  }

  @ParameterizedTest
  @CsvSource({
    "criteo, ctr/criteo_kaggle_head_rows1-6000.tsv.gz, 6000, 26",
    "avazu, ctr/avazu_14102100_rows1-7500.csv.gz, 7500, 22",
    "movielens, ctr/movielens100k_by_time_rows1-80000.tsv.gz, 80000, 2"
  })
  void decode_everyEventOfAnExample_givesItsIds(String example, String file, int rows, int features)
      throws Exception {
    ApplicationSettings settings =
        ApplicationFileReader.read(EXAMPLES.resolve(example + ".yaml"), name -> null);
    SampleDecoder decoder = SampleDecoders.of(settings.input());
    SampleDecoder stored = new BinarySampleDecoder(settings.input().schema());
    SampleCodec codec = new SampleCodec();
    Set<Long> lastIds = new HashSet<>();
    int count = 0;
    try (RecordReader reader = InputFiles.read(data(file))) {
      boolean any = !settings.input().header() || reader.next();
      while (any && reader.next()) {
        Sample sample = decoder.decode(reader.record());
        assertThat(sample.labeled()).isTrue();
        assertThat(sample.ids().features()).isEqualTo(features);
        assertThat(stored.decode(codec.encode(sample)).ids()).isEqualTo(sample.ids());
        lastIds.add(sample.ids().key(sample.ids().features() - 1));
        count++;
      }
    }
    assertThat(count).isEqualTo(rows);
    assertThat(lastIds).hasSizeGreaterThan(10);
  }
}
