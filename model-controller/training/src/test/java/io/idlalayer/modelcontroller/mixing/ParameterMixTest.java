package io.idlalayer.modelcontroller.mixing;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.mixing.ParameterMix.Progress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The worked examples of mixing. */
final class ParameterMixTest {
  private static final float[] BASE = {1, 2};

  private static Progress progress(float[] from, float[] to, double share) {
    return new Progress(from, to, share, 1);
  }

  @Test
  void mixed_twoLearners_addsTheirProgressByShares() {
    float[] mixed =
        ParameterMix.mixed(
            BASE,
            List.of(
                progress(BASE, new float[] {2, 2}, 0.75), progress(BASE, new float[] {1, 4}, 0.25)),
            List.of());
    assertThat(mixed).containsExactly(1.75f, 2.5f);
  }

  @Test
  void adopted_learnerThatHasMovedOn_keepsWhatItLearnedSince() {
    float[] adopted =
        ParameterMix.adopted(
            new float[] {2.5f, 2}, new float[] {2, 2}, new float[] {1.75f, 2.5f}, List.of());
    assertThat(adopted).containsExactly(2.25f, 2.5f);
  }

  @Test
  void adopted_learnerThatHasNotMovedOn_isTheMixedModelBitForBit() {
    float[] contributed = {1e-30f, 3e20f, -0.1f, 7};
    float[] mixed = {1e20f, 3e-30f, 0.3f, Float.MIN_VALUE};
    assertThat(ParameterMix.adopted(contributed.clone(), contributed, mixed, List.of()))
        .containsExactly(mixed);
  }

  @Test
  void mixed_contributionFromAnOlderBase_countsOnlyWhatIsNew() {
    float[] zero = {0};
    float[] first =
        ParameterMix.mixed(
            zero,
            List.of(progress(zero, new float[] {1}, 0.5), progress(zero, zero, 0.5)),
            List.of());
    assertThat(first).containsExactly(0.5f);
    float[] second =
        ParameterMix.mixed(
            first,
            List.of(progress(new float[] {1}, new float[] {3}, 0.5), progress(zero, zero, 0.5)),
            List.of());
    assertThat(second).containsExactly(1.5f);
  }

  @Test
  void mixed_batchNormalization_addsTheVarianceOfTheMeans() {
    float[] base = {5, 0, 1};
    float[] mixed =
        ParameterMix.mixed(
            base,
            List.of(
                progress(base, new float[] {5, 0, 1}, 0.5),
                progress(base, new float[] {5, 2, 1}, 0.5)),
            List.of(new Normalization(1, 2, 1)));
    assertThat(mixed).containsExactly(5, 1, 2);
  }

  @Test
  void mixed_cutProgress_addsOnlyThatPart() {
    float[] mixed =
        ParameterMix.mixed(
            BASE, List.of(new Progress(BASE, new float[] {5, 2}, 1, 0.25)), List.of());
    assertThat(mixed).containsExactly(2, 2);
  }

  @Test
  void mixed_noProgress_isTheBase() {
    assertThat(ParameterMix.mixed(BASE, List.of(), List.of())).containsExactly(BASE);
  }
}
