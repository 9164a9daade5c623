package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idlalayer.middleware.sample.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DriftStreamsTest {
  private static final Path NOWHERE = Path.of("nowhere");

  private static Path data() {
    return Path.of(Optional.ofNullable(System.getenv("IDLA_DATA")).orElse("../../shared/data"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"recurring", "recurring_board", "recurring_region"})
  void read_aSyntheticStream_isAlwaysTheSameAndBalanced(String name) throws IOException {
    DriftStream stream = DriftStreams.read(NOWHERE, name, Integer.MAX_VALUE);
    assertThat(stream.size()).isEqualTo(20_000);
    assertThat(Arrays.stream(stream.trueLabels()).average().orElse(0)).isBetween(0.4, 0.6);
    Sample again = DriftStreams.read(NOWHERE, name, Integer.MAX_VALUE).samples()[19_999];
    assertThat(again.dense()).isEqualTo(stream.samples()[19_999].dense());
  }

  @Test
  void read_recurringRegion_movesFromLeftToRightAndBack() throws IOException {
    DriftStream stream = DriftStreams.read(NOWHERE, "recurring_region", Integer.MAX_VALUE);
    for (int i = 0; i < stream.size(); i++) {
      boolean right = i / RecurringStreams.CONCEPT_ROWS % 2 == 1;
      assertThat(stream.samples()[i].dense()[0] >= 0.5).isEqualTo(right);
    }
  }

  @Test
  void read_cutStream_saysSoInItsName() throws IOException {
    DriftStream stream = DriftStreams.read(NOWHERE, "recurring", 100);
    assertThat(stream.name()).isEqualTo("recurring@100");
    assertThat(stream.size()).isEqualTo(100);
  }

  @Test
  void read_unknownName_listsTheKnown() {
    assertThatThrownBy(() -> DriftStreams.read(NOWHERE, "eleven", 1))
        .hasMessageContaining("eleven")
        .hasMessageContaining("recurring_board");
  }

  @Test
  void read_publicFiles_haveTheirKnownSizes() throws IOException {
    assumeTrue(Files.isDirectory(data().resolve("drift")), "the public data sets are not here");
    Map<String, Integer> rows =
        Map.of(
            "elec", 45_312,
            "covtype", 20_000,
            "sea", 50_000,
            "sea_gradual", 41_000,
            "sine", 40_000,
            "rbf", 200_000);
    for (Map.Entry<String, Integer> each : rows.entrySet()) {
      DriftStream stream = DriftStreams.read(data(), each.getKey(), Integer.MAX_VALUE);
      assertThat(stream.size()).as(each.getKey()).isEqualTo(each.getValue());
    }
    DriftStream covtype = DriftStreams.read(data(), "covtype", Integer.MAX_VALUE);
    assertThat(covtype.classes()).isEqualTo(7);
    assertThat(covtype.samples()[0].dense()).hasSize(54);
    // The first row is of class 5, the fifth name.
    assertThat(covtype.trueLabels()[0]).isEqualTo(4);
  }
}
