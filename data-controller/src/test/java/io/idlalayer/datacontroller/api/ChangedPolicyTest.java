package io.idlalayer.datacontroller.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** State that another {@code selection.policy} left. */
final class ChangedPolicyTest {
  private static DataController controller(DataSettings.Policy policy) {
    DataSettings defaults = DataSettings.defaults();
    DataSettings settings =
        new DataSettings(
            defaults.staging(),
            DataSettings.Replay.of(policy, new DataSettings.Ratios(1, 1, 0.25), true, 100),
            1_000,
            1 << 20,
            100);
    return new DataController(settings, new InMemorySampleStore(), 7);
  }

  static Stream<Arguments> pairs() {
    return Stream.of(DataSettings.Policy.values())
        .flatMap(from -> Stream.of(DataSettings.Policy.values()).map(to -> Arguments.of(from, to)));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void restore_stateOfAnotherPolicy_beginsAnew(DataSettings.Policy from, DataSettings.Policy to) {
    byte[] state = controller(from).snapshot();
    DataController restored = controller(to);
    restored.restore(state);
    restored.rebuild(samples -> {});
    byte[] expected = from == to ? state : controller(to).snapshot();
    assertThat(restored.snapshot()).isEqualTo(expected);
  }
}
