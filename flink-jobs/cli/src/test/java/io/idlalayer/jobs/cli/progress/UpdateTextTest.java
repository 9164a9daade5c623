package io.idlalayer.jobs.cli.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.CostBasis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class UpdateTextTest {
  private static final String WEIGHED = "waiting longer would have cost more than training";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "waiting has cost 0.233 sample-seconds, an update costs 0.209; following: area 0.7500 C or"
            + " idle 0.03000 C, held to its bound by the guard | "
            + WEIGHED,
        "an earlier update would have saved 4.1 sample-seconds; one more costs 4.0 | " + WEIGHED,
        "waiting has cost 4.0 sample-seconds; an update costs 4.0 | " + WEIGHED,
        "this arrival's regret is above 4.000 sample-seconds | " + WEIGHED,
        "waiting has cost 4.0 sample-seconds, an update costs 4.0; following: idle; hard limit:"
            + " update.min-interval held it back | "
            + WEIGHED
            + "; update.min-interval held it back",
        "hard limit: the oldest sample waited update.max-wait | the oldest sample waited"
            + " update.max-wait",
        "the input ended: everything that waits is trained | the input ended: everything that waits"
            + " is trained",
        "the period of 3.0 s is over | the period of 3.0 s is over"
      })
  void reason_ofARule_isInPlainWords(String reason, String said) {
    assertThat(UpdateText.reason(ExampleEvents.grounds(reason))).isEqualTo(said);
  }

  @Test
  void reason_whileTheModelIsGettingWorse_saysSo() {
    Grounds usual = ExampleEvents.grounds("waiting has cost 1 sample-seconds");
    Grounds urgent =
        new Grounds(
            usual.rule(),
            usual.reason(),
            usual.charge(),
            usual.predicted(),
            new CostBasis(usual.basis().costs(), 0.0, 2.5),
            usual.guarantee());
    assertThat(UpdateText.reason(urgent))
        .isEqualTo(WEIGHED + "; sooner than usual, because the model is getting worse");
  }

  @Test
  void reason_ofWhatDoesNotWeigh_doesNotNameTheModel() {
    Grounds usual = ExampleEvents.grounds("the input ended: everything that waits is trained");
    Grounds urgent =
        new Grounds(
            usual.rule(),
            usual.reason(),
            usual.charge(),
            usual.predicted(),
            new CostBasis(usual.basis().costs(), 0.0, 2.5),
            usual.guarantee());
    assertThat(UpdateText.reason(urgent)).isEqualTo(usual.reason());
  }

  @Test
  void of_aPublishedUpdate_namesVersionEventsTimeAndLoss() {
    UpdateRecord update = ExampleEvents.published(3, new UpdateRecord.Published(7, 20), 10, 1_925);
    assertThat(UpdateText.of(update))
        .startsWith("version 7: learned 1,925 new events in 500.0 ms, their mean loss went from ")
        .endsWith("; why");
  }
}
