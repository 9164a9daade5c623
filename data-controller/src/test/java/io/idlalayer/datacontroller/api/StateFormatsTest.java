package io.idlalayer.datacontroller.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.DataSettings.Policy;
import io.idlalayer.datacontroller.settings.DataSettings.Score;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.state.UnreadableStateException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pins the bytes of every snapshot of this module, in {@code state-formats.properties}. Whoever
 * changes a format raises its version, keeps reading the old bytes and pins the new ones beside
 * them. The metadata of a sample has a test of its own.
 */
final class StateFormatsTest {
  /** A controller whose snapshot holds the states of its parts. */
  private record Format(String name, Policy policy, boolean search, Score score) {
    DataController controller() {
      DataSettings settings =
          new DataSettings(
              DataSettings.Staging.defaults().with(score),
              DataSettings.Replay.of(policy, new DataSettings.Ratios(0.5, 1, 0.1), search, 4),
              8,
              1 << 20,
              2);
      return new DataController(settings, new InMemorySampleStore(), 7);
    }

    byte[] example() {
      DataController controller = controller();
      int content = 0;
      for (int update = 1; update <= 5; update++) {
        for (int i = 0; i < 3; i++) {
          content++;
          Sample sample = Sample.of(new float[] {content}, content % 2);
          long id =
              controller.arrive(sample, new ContentHash(1, content), new byte[4], 10).sampleId();
          controller.scored(id, content % 4 / 4f);
        }
        TrainingSession session = controller.begin(controller.select(update, 3));
        List<Contribution> contributions =
            Arrays.stream(session.selection().trainedIds())
                .mapToObj(id -> new Contribution(id, 1, id % 4 / 4f))
                .toList();
        session.accept(contributions, 0.5);
      }
      controller.scored(content, 0.25f);
      return controller.snapshot();
    }

    byte[] again(byte[] snapshot) {
      DataController controller = controller();
      controller.restore(snapshot);
      return controller.snapshot();
    }

    byte[] pinned() throws IOException {
      Properties all = new Properties();
      try (InputStream in =
          StateFormatsTest.class.getResourceAsStream("state-formats.properties")) {
        all.load(in);
      }
      return HexFormat.of().parseHex(all.getProperty(name, ""));
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static Stream<Format> formats() {
    return Stream.of(
        new Format("fuzzy-with-search", Policy.FUZZY, true, Score.CONTRIBUTION),
        new Format("stage-shares-with-search", Policy.STAGE_SHARES, true, Score.CONTRIBUTION),
        new Format("uniform-fitted", Policy.UNIFORM, false, Score.FITTED),
        new Format("newest-by-rules", Policy.NEWEST_WINDOW, false, Score.RULES));
  }

  @ParameterizedTest
  @MethodSource("formats")
  void snapshot_ofAnExample_hasThePinnedBytes(Format format) throws IOException {
    assertThat(HexFormat.of().formatHex(format.example()))
        .isEqualTo(HexFormat.of().formatHex(format.pinned()));
  }

  @ParameterizedTest
  @MethodSource("formats")
  void restore_pinnedBytes_writesTheSameAgain(Format format) throws IOException {
    byte[] pinned = format.pinned();
    assertThat(format.again(pinned)).isEqualTo(pinned);
  }

  @ParameterizedTest
  @MethodSource("formats")
  void restore_cutOffOrOfALaterVersion_isRefused(Format format) throws IOException {
    byte[] pinned = format.pinned();
    for (int length = 0; length < pinned.length; length++) {
      byte[] cut = Arrays.copyOf(pinned, length);
      assertThatThrownBy(() -> format.again(cut)).isInstanceOf(UnreadableStateException.class);
    }
    byte[] later = pinned.clone();
    later[1 + pinned[0]] = 99;
    assertThatThrownBy(() -> format.again(later))
        .isInstanceOf(UnreadableStateException.class)
        .hasMessageContaining("version 99");
  }
}
