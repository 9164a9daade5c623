package io.idlalayer.jobs.settings.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.placement.PlacementName;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FastBytesKeysTest {
  private static final long MIB = 1 << 20;

  private static FastBytesKeys keys(Map<FastUse, Long> fixed, RowPolicyName rows) {
    return new FastBytesKeys(
        64 * MIB, fixed, true, new FastBytesKeys.Beside(false, false, rows, PlacementName.AUTO));
  }

  @Test
  void problems_rowsThatAreNeverHot_areRefusedUnlessTheirSizeIsGiven() {
    assertThat(keys(Map.of(), RowPolicyName.SIMPLE).problems())
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.section()).isEqualTo("rows");
              assertThat(found.key()).isEqualTo("policy");
              assertThat(found.message()).contains("give 'memory.rows.fast-bytes'");
            });
    assertThat(keys(Map.of(FastUse.ROWS, MIB), RowPolicyName.SIMPLE).problems()).isEmpty();
    assertThat(keys(Map.of(), RowPolicyName.FREQUENCY).problems()).isEmpty();
  }

  @Test
  void problems_oneUseLeft_areRefusedWithItsOwnKey() {
    FastBytesKeys keys =
        keys(Map.of(FastUse.SAMPLES, 40 * MIB, FastUse.TENSORS, 0L), RowPolicyName.FREQUENCY);
    assertThat(keys.problems())
        .singleElement()
        .satisfies(
            found ->
                assertThat(found.message())
                    .contains("would give all it divides to rows")
                    .contains("give 'rows.fast-bytes' in place of 'fast-bytes'"));
    assertThat(keys.budget()).isNull();
  }

  @Test
  void problems_fixedSizeThatLeavesTooFew_areRefusedWithTheNumbers() {
    assertThat(keys(Map.of(FastUse.SAMPLES, 60 * MIB), RowPolicyName.FREQUENCY).problems())
        .singleElement()
        .satisfies(
            found ->
                assertThat(found.message())
                    .contains("of which 'hot-bytes' take 62,914,560; at least 16,777,216"));
  }
}
