package io.idlalayer.console.whatif;

import static io.idlalayer.console.ConsoleEvents.LEARNER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.console.ConsoleEvents;
import io.idlalayer.console.history.Learners;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.SettingsException;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WhatIfTest {
  private static final String IN_SAMPLES = "  waiting-samples-per-training-second: 12.5\n";
  private static final String IN_MONEY =
      "  machine-price-per-second: 0.0007\n  staleness-price-per-sample-second: 0.00003\n";

  @TempDir Path folder;
  private final Learners learners = new Learners();

  @BeforeEach
  void update() {
    for (int number = 1; number <= 20; number++) {
      ConsoleEvents.update(number, 10_000L * number).forEach(learners::take);
    }
  }

  private UpdateSettings read(String update) throws IOException, SettingsException {
    return ApplicationFiles.read(
            folder.resolve("clicks.yaml"),
            """
            name: clicks
            input: {format: csv, columns: [a, label], features: [a], label: label, classes: 2}
            """
                + update)
        .update();
  }

  private List<WhatIf.Row> rows(UpdateSettings configured) throws WhatIf.BusyException {
    return new WhatIf(learners, any -> Optional.ofNullable(configured))
        .answer(LEARNER, new WhatIf.Costs(configured.weight(), 0.3, 0.02))
        .orElseThrow()
        .rows();
  }

  private static WhatIf.Row configured(List<WhatIf.Row> rows) {
    return rows.stream().filter(WhatIf.Row::configured).findFirst().orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rule: dla\n  zeta: 0.25\n  newest: include",
        "rule: area\n  omega: 2.5\n  max-batch: 3",
        "rule: adaptive\n  rho: 7\n  max-wait: 1500ms",
        "rule: dla-random\n  draw: update\n  seed: 7\n  min-interval: 1m",
        "rule: periodic\n  period: 2500ms",
        "rule: count\n  count: 3\n  max-batch: 3",
        "rule: best-effort\n  min-interval: 12s",
      })
  void copiedLines_readByTheProduct_giveTheRowAgain(String settings) throws Exception {
    for (String price : List.of(IN_SAMPLES, IN_MONEY)) {
      UpdateSettings set = read("update:\n  " + settings + "\n" + price);
      List<WhatIf.Row> rows = rows(set);
      WhatIf.Row own = configured(rows);
      assertThat(own.rule()).isEqualTo(set.rule().key());
      assertThat(rows)
          .as("what happened, and each rule")
          .hasSizeBetween(RuleName.values().length + 1, RuleName.values().length + 2);
      for (WhatIf.Row row : rows) {
        if (row.asItHappened()) {
          assertThat(row.yaml()).isEmpty();
          continue;
        }
        UpdateSettings copied = read(row.yaml());
        assertThat(copied.rule().key()).isEqualTo(row.rule());
        assertThat(copied.limits()).isEqualTo(set.limits());
        assertThat(copied.machinePricePerSecond()).isEqualTo(set.machinePricePerSecond());
        assertThat(copied.weight()).isCloseTo(set.weight(), within(1e-9 * set.weight()));
        WhatIf.Row again = configured(rows(copied));
        assertThat(again.cost()).as(row.yaml()).isCloseTo(row.cost(), within(1e-9 * row.cost()));
        assertThat(again.updates()).isEqualTo(row.updates());
      }
      assertThat(read(own.yaml()).tuning()).isEqualTo(set.tuning());
    }
  }

  @Test
  void theConfiguredRow_isSimulatedWithItsSettings() throws Exception {
    UpdateSettings plain = read("update:\n  rule: area\n" + IN_SAMPLES);
    UpdateSettings tuned = read("update:\n  rule: area\n  omega: 20\n" + IN_SAMPLES);
    assertThat(configured(rows(plain)).updates()).isGreaterThan(configured(rows(tuned)).updates());
    assertThat(configured(rows(plain)).parameter()).isEmpty();
    assertThat(configured(rows(tuned)).parameter()).isEqualTo("omega: 20");
    UpdateSettings limited =
        read("update:\n  rule: area\n  omega: 20\n  max-batch: 1\n" + IN_SAMPLES);
    assertThat(configured(rows(limited)).updates()).isEqualTo(80);
    assertThat(configured(rows(limited)).parameter()).isEqualTo("omega: 20, max-batch: 1");
  }

  @Test
  void limits_holdForEveryRule() throws Exception {
    UpdateSettings limited = read("update:\n  rule: manual\n  max-batch: 2\n" + IN_SAMPLES);
    for (WhatIf.Row row : rows(limited)) {
      assertThat(row.asItHappened() || row.updates() >= 40).as(row.toString()).isTrue();
    }
  }

  /**
   * A user who copies such a row, and then tries other settings, finds none that is much cheaper.
   */
  @ParameterizedTest
  @ValueSource(strings = {"min-interval: 25s", "max-wait: 1200ms", "max-batch: 3"})
  void bestInHindsight_withinLimits_noOtherSettingIsMuchCheaper(String limit) throws Exception {
    String limits = "  " + limit + "\n" + IN_SAMPLES;
    List<WhatIf.Row> rows = rows(read("update:\n  rule: manual\n" + limits));
    for (RuleName rule : List.of(RuleName.COUNT, RuleName.PERIODIC)) {
      WhatIf.Row best =
          rows.stream().filter(row -> row.rule().equals(rule.key())).findFirst().orElseThrow();
      assertThat(best.parameter()).contains("best in hindsight");
      for (int step = 1; step <= 40; step++) {
        String tried = rule == RuleName.COUNT ? "count: " + step : "period: " + step * 500 + "ms";
        if (rule == RuleName.COUNT && limit.startsWith("max-batch") && step > 3) {
          break;
        }
        UpdateSettings other =
            read("update:\n  rule: " + rule.key() + "\n  " + tried + "\n" + limits);
        assertThat(configured(rows(other)).cost())
            .as(tried)
            .isGreaterThanOrEqualTo(0.99 * best.cost());
      }
    }
  }

  @Test
  void nothingButEventsIsKnown_noRowIsConfigured() throws Exception {
    List<WhatIf.Row> rows =
        new WhatIf(learners, any -> Optional.empty())
            .answer(LEARNER, new WhatIf.Costs(null, null, null))
            .orElseThrow()
            .rows();
    assertThat(rows).noneMatch(WhatIf.Row::configured);
    assertThat(rows.stream().filter(row -> !row.asItHappened()).map(WhatIf.Row::rule))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(RuleName.values()).map(RuleName::key).toList());
  }
}
