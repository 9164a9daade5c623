package io.idlalayer.datacontroller.stage;

import static io.idlalayer.middleware.sample.LifeStage.DISCARD;
import static io.idlalayer.middleware.sample.LifeStage.MATURE;
import static io.idlalayer.middleware.sample.LifeStage.NEWBORN;
import static io.idlalayer.middleware.sample.LifeStage.PRESERVE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.LifeStage;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LifeStageMachineTest {
  @Test
  void next_everyStageAndEvent_followsTheTable() {
    Map<StageEvent, List<LifeStage>> table = new EnumMap<>(StageEvent.class);
    table.put(StageEvent.EVALUATED_MATURE, List.of(MATURE, MATURE, MATURE, MATURE));
    table.put(StageEvent.EVALUATED_PRESERVE, List.of(PRESERVE, PRESERVE, PRESERVE, PRESERVE));
    table.put(StageEvent.EVALUATED_DISCARD, List.of(DISCARD, DISCARD, DISCARD, DISCARD));
    table.forEach(
        (event, next) -> {
          for (LifeStage stage : LifeStage.values()) {
            assertThat(LifeStageMachine.next(stage, event))
                .as("%s %s", stage, event)
                .isEqualTo(next.get(stage.code()));
          }
        });
    for (StageEvent event : List.of(StageEvent.QUARANTINED, StageEvent.PASSED_OVER)) {
      assertThat(LifeStageMachine.next(NEWBORN, event)).isEqualTo(DISCARD);
      for (LifeStage trained : List.of(MATURE, PRESERVE, DISCARD)) {
        assertThatThrownBy(() -> LifeStageMachine.next(trained, event))
            .isInstanceOf(IllegalStateException.class);
      }
    }
  }

  @Test
  void classify_exampleOfFigure53_givesItsStages() {
    QuantileClassifier.Thresholds thresholds =
        QuantileClassifier.Thresholds.around(0.7f, 0.2f, 0.05f);
    float[] scores = {0.9f, 0.8f, 0.5f, 0.1f, 0.05f};
    StageEvent[] expected = {
      StageEvent.EVALUATED_PRESERVE,
      StageEvent.EVALUATED_PRESERVE,
      StageEvent.EVALUATED_MATURE,
      StageEvent.EVALUATED_DISCARD,
      StageEvent.EVALUATED_DISCARD
    };
    for (int i = 0; i < scores.length; i++) {
      assertThat(thresholds.classify(NEWBORN, scores[i])).isEqualTo(expected[i]);
    }
  }

  @Test
  void classify_scoreNearAThreshold_keepsTheStage() {
    QuantileClassifier.Thresholds t = QuantileClassifier.Thresholds.around(0.7f, 0.2f, 0.05f);
    assertThat(t.classify(PRESERVE, 0.66f)).isEqualTo(StageEvent.EVALUATED_PRESERVE);
    assertThat(t.classify(MATURE, 0.74f)).isEqualTo(StageEvent.EVALUATED_MATURE);
    assertThat(t.classify(MATURE, 0.76f)).isEqualTo(StageEvent.EVALUATED_PRESERVE);
    assertThat(t.classify(MATURE, 0.16f)).isEqualTo(StageEvent.EVALUATED_MATURE);
    assertThat(t.classify(DISCARD, 0.24f)).isEqualTo(StageEvent.EVALUATED_DISCARD);
    assertThat(t.classify(DISCARD, 0.26f)).isEqualTo(StageEvent.EVALUATED_MATURE);
  }

  @Test
  void classify_remembersTwentyUpdatesAlsoAfterARestore() {
    QuantileClassifier classifier = new QuantileClassifier();
    for (int update = 0; update < 30; update++) {
      float[] scores = new float[1000];
      for (int i = 0; i < scores.length; i++) {
        scores[i] = (update < 10 ? 0 : 0.5f) + i / 2000f;
      }
      classifier.observe(scores);
    }
    // Ten updates of low scores are forgotten: the quantiles are those of [0.5, 1].
    assertThat(classifier.classify(NEWBORN, 0.88f)).isEqualTo(StageEvent.EVALUATED_PRESERVE);
    assertThat(classifier.classify(NEWBORN, 0.87f)).isEqualTo(StageEvent.EVALUATED_MATURE);
    assertThat(classifier.classify(NEWBORN, 0.62f)).isEqualTo(StageEvent.EVALUATED_DISCARD);
    QuantileClassifier restored = new QuantileClassifier();
    restored.restore(classifier.snapshot());
    for (float score = 0; score <= 1; score += 0.01f) {
      for (LifeStage stage : LifeStage.values()) {
        assertThat(restored.classify(stage, score)).isEqualTo(classifier.classify(stage, score));
      }
    }
  }
}
