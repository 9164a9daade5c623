package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.benchmarks.quality.Contender.Policy;
import io.idlalayer.benchmarks.quality.Contender.Rule;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ContenderTest {
  @ParameterizedTest
  @EnumSource(Policy.class)
  void settings_differFromTheDefaultsOnlyInStagingAndReplay(Policy policy) {
    DataSettings defaults = DataSettings.defaults();
    DataSettings settings = new Contender(policy, Rule.COUNT, 250, 64).settings();
    assertThat(settings.maxSamples()).isEqualTo(defaults.maxSamples());
    assertThat(settings.staging().contribution())
        .isEqualTo(
            policy == Policy.FUZZY_LOSS
                ? DataSettings.ContributionMode.LOSS
                : defaults.staging().contribution());
    assertThat(Policy.of(policy.key())).isEqualTo(policy);
  }

  @Test
  void settings_ofTheProduct_areItsDefaultsWithTheBudget() {
    DataSettings defaults = DataSettings.defaults();
    DataSettings settings = new Contender(Policy.FUZZY_FREQUENCY, Rule.COUNT, 250, 64).settings();
    assertThat(settings.staging()).isEqualTo(defaults.staging());
    assertThat(settings.replay())
        .isEqualTo(
            new DataSettings.Replay(
                defaults.replay().policy(),
                defaults.replay().ratios(),
                defaults.replay().search(),
                64,
                defaults.replay().steadyShare(),
                defaults.replay().newborns()));
  }

  @Test
  void settings_ofTheStagesByAFittedModel_haveIt() {
    for (Policy policy : new Policy[] {Policy.FUZZY, Policy.TREND_NEWEST}) {
      assertThat(new Contender(policy, Rule.COUNT, 250, 64).settings().staging().score())
          .isEqualTo(DataSettings.Score.FITTED);
    }
  }

  @Test
  void grid_ofAReplayingPolicy_triesEveryBatchWithEveryBudget() {
    assertThat(Contender.grid(Policy.LOSS, Rule.COUNT)).hasSize(16).doesNotHaveDuplicates();
    assertThat(Contender.grid(Policy.PERIODIC, Rule.COUNT))
        .hasSize(5)
        .allMatch(c -> c.replayBudget() == 0);
    assertThat(Contender.grid(Policy.CONTINUOUS, Rule.COUNT)).hasSize(1);
    assertThat(Contender.grid(Policy.NO_REPLAY, Rule.WEIGHT))
        .hasSize(5)
        .allMatch(c -> c.replayBudget() == 0);
  }

  @Test
  void updateSettings_ofAPeriod_haveItInSecondsOfVirtualTime() {
    UpdateSettings settings =
        new Contender(Policy.PERIODIC, Rule.PERIODIC, 500, 0).updateSettings();
    assertThat(settings.rule()).isEqualTo(UpdateSettings.RuleName.PERIODIC);
    assertThat(settings.tuning().periodSeconds()).isEqualTo(0.5);
  }

  @Test
  void updateSettings_ofACount_haveItsBatch() {
    UpdateSettings settings = new Contender(Policy.UNIFORM, Rule.COUNT, 250, 64).updateSettings();
    assertThat(settings.rule()).isEqualTo(UpdateSettings.RuleName.COUNT);
    assertThat(settings.tuning().count()).isEqualTo(250);
  }

  @Test
  void updateSettings_ofAWeight_areTheDefaultRuleWithIt() {
    UpdateSettings settings = new Contender(Policy.FUZZY, Rule.WEIGHT, 100, 64).updateSettings();
    assertThat(settings.rule()).isEqualTo(UpdateSettings.defaults().rule());
    assertThat(settings.weight()).isEqualTo(100);
  }

  @Test
  void of_unknownKey_isRefused() {
    assertThatThrownBy(() -> Policy.of("best")).hasMessageContaining("best");
  }
}
