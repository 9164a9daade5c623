package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ApplicationSetTest {
  @TempDir Path folder;

  private ApplicationSettings application(String name, String memory) throws Exception {
    return ApplicationFiles.read(
        folder.resolve(name + ".yaml"),
        "name: %s\ninput: {features: [a], label: y, classes: 2}\nmemory: {%s}\n"
            .formatted(name, memory));
  }

  @Test
  void check_hotPoliciesThatDiffer_areRefused() throws Exception {
    ApplicationSettings lru = application("one", "hot-policy: lru");
    ApplicationSettings srrip = application("two", "hot-policy: srrip");
    assertThatThrownBy(() -> ApplicationSet.check(List.of(lru, srrip)))
        .hasMessage(
            "applications of one job share one hot cache and so one memory.hot-policy, found"
                + " [lru, srrip]");
  }

  @Test
  void check_anApplicationWithoutHotCache_hasNoPolicyToAgreeOn() throws Exception {
    ApplicationSettings lru = application("one", "hot-policy: lru");
    ApplicationSettings none = application("two", "hot-bytes: 0");
    assertThatCode(() -> ApplicationSet.check(List.of(lru, none))).doesNotThrowAnyException();
  }
}
