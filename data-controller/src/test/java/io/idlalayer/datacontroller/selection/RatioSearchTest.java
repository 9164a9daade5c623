package io.idlalayer.datacontroller.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.settings.DataSettings.Ratios;
import org.junit.jupiter.api.Test;

class RatioSearchTest {
  private static double reward(Ratios ratios) {
    return -Math.abs(ratios.mature() - 0) - Math.abs(ratios.preserve() - 0.25);
  }

  @Test
  void current_atTheStart_isTheNearestCell() {
    assertThat(new RatioSearch(new Ratios(0.5, 1, 0)).current()).isEqualTo(new Ratios(0.5, 1, 0));
    assertThat(new RatioSearch(new Ratios(0.6, 0.1, 0.06)).current())
        .isEqualTo(new Ratios(0.5, 0, 0.05));
  }

  @Test
  void walksToWhatRewards_andStaysThere() {
    RatioSearch search = new RatioSearch(new Ratios(0.5, 1, 0));
    int there = 0;
    for (int update = 0; update < 400; update++) {
      Ratios now = search.current();
      if (update >= 300 && now.mature() == 0 && now.preserve() == 0.25) {
        there++;
      }
      search.rewarded(reward(now));
    }
    // Four of five updates use the best known; the fifth explores.
    assertThat(there).isGreaterThanOrEqualTo(75);
  }

  @Test
  void rewarded_rewardsChange_followsThem() {
    RatioSearch search = new RatioSearch(new Ratios(0, 0.25, 0));
    for (int update = 0; update < 200; update++) {
      search.rewarded(reward(search.current()));
    }
    double mature = 0;
    for (int update = 0; update < 600; update++) {
      Ratios now = search.current();
      if (update >= 500) {
        mature += now.mature() / 100;
      }
      search.rewarded(now.mature());
    }
    assertThat(mature).isGreaterThan(0.7);
  }

  @Test
  void restore_snapshot_goesOnAlike() {
    RatioSearch search = new RatioSearch(new Ratios(0.5, 1, 0));
    for (int update = 0; update < 37; update++) {
      search.rewarded(reward(search.current()));
    }
    RatioSearch restored = new RatioSearch(new Ratios(0, 0, 0));
    restored.restore(search.snapshot());
    for (int update = 0; update < 50; update++) {
      assertThat(restored.current()).isEqualTo(search.current());
      search.rewarded(reward(search.current()));
      restored.rewarded(reward(restored.current()));
    }
    byte[] later = search.snapshot();
    later[1 + later[0]] = 9;
    assertThatThrownBy(() -> restored.restore(later)).hasMessageContaining("version 9");
  }
}
