package io.idlalayer.middleware.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PagePlacementTest {
  @Test
  void leftPages_oddPage_isOnTheLeft() {
    assertThat(PagePlacement.BW_AWARE.leftPages(5)).isEqualTo(3);
    assertThat(PagePlacement.BW_AWARE.leftPages(1)).isEqualTo(1);
    assertThat(PagePlacement.BW_AWARE.leftPages(0)).isZero();
    assertThat(PagePlacement.LOCAL.leftPages(5)).isEqualTo(5);
  }

  @Test
  void leftBytes_lastPagePartlyEmpty_countsOnItsSide() {
    long page = PagePlacement.PAGE_BYTES;
    assertThat(PagePlacement.BW_AWARE.leftBytes(5 * page)).isEqualTo(3 * page);
    assertThat(PagePlacement.BW_AWARE.leftBytes(4 * page + 1)).isEqualTo(2 * page + 1);
    assertThat(PagePlacement.BW_AWARE.leftBytes(3 * page + 1)).isEqualTo(2 * page);
    assertThat(PagePlacement.BW_AWARE.leftBytes(1)).isEqualTo(1);
    assertThat(PagePlacement.BW_AWARE.leftBytes(0)).isZero();
    assertThat(PagePlacement.LOCAL.leftBytes(5 * page + 7)).isEqualTo(5 * page + 7);
  }
}
