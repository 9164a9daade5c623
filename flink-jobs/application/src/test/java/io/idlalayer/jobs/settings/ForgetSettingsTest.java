package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.ForgetSettings;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What applications can forget samples. */
final class ForgetSettingsTest {
  private static final String FORGETS =
      """
      name: app
      input: {features: [a, b], label: y, classes: 2, id: key}
      selection: {forget: {within: 2h, anchors: 4}}
      """;

  @TempDir Path folder;

  private ForgetSettings read(String text) throws Exception {
    return ApplicationFiles.read(folder.resolve("app.yaml"), text).data().forget();
  }

  @Test
  void read_timeAndAnchors_areTaken() throws Exception {
    assertThat(read(FORGETS)).isEqualTo(new ForgetSettings(7_200_000, 4));
    assertThat(read(FORGETS.replace(", anchors: 4", "")).anchors())
        .isEqualTo(ForgetSettings.DEFAULT_ANCHORS);
    assertThat(read(FORGETS.replaceFirst("selection.*\n", "")).on()).isFalse();
  }

  private Iterable<String> problems(String text) throws Exception {
    return ApplicationFiles.problems(folder.resolve("app.yaml"), text, Map.of());
  }

  @Test
  void read_whatCannotForget_isRefusedAtOnce() throws Exception {
    String text =
        """
        name: app
        partitions: 2
        mixing: {action: average}
        input: {features: [a], ids: [user], label: y, classes: 2}
        model: {start: net.onnx}
        publishing: {gate: {action: hold}}
        selection: {forget: {within: 1h}}
        """;
    assertThat(problems(text))
        .anyMatch(each -> each.contains("events have no ids by which to forget them"))
        .anyMatch(each -> each.contains("models with embedding tables cannot forget samples"))
        .anyMatch(each -> each.contains("mixed models cannot forget samples"))
        .anyMatch(each -> each.contains("a model that begins with a file cannot forget samples"))
        .anyMatch(each -> each.contains("learned from the sample: leave 'publishing.gate' out"));
  }

  @Test
  void read_valuesOutOfRange_areRefused() throws Exception {
    assertThat(problems(FORGETS.replace("2h", "40d")))
        .anyMatch(each -> each.contains("must be 1s to 30d"));
    assertThat(problems(FORGETS.replace("2h", "0s")))
        .anyMatch(each -> each.contains("must be 1s to 30d"));
    assertThat(problems(FORGETS.replace("anchors: 4", "anchors: 1")))
        .anyMatch(each -> each.contains("selection.forget.anchors"));
    assertThat(problems(FORGETS.replace("within: 2h, ", "")))
        .anyMatch(each -> each.contains("takes effect with 'within' only"));
  }
}
