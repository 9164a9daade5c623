package io.idlalayer.modelcontroller.update;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class FreeBandGuardTest {
  private static final RuleCosts COSTS = new RuleCosts(0, 1, 10);

  @Test
  void nearest_aTimeInTheFreeBand_isKept() {
    FreeBandGuard.Bounds bounds = new FreeBandGuard.Bounds(10, 4, 20);
    assertThat(bounds.nearest(10)).isEqualTo(10);
    assertThat(bounds.nearest(15)).isEqualTo(15);
  }

  @Test
  void nearest_aTimeOutsideTheFreeBand_isKeptOnlyIfTheGuardAllowsIt() {
    FreeBandGuard.Bounds bounds = new FreeBandGuard.Bounds(10, 4, 20);
    assertThat(bounds.nearest(3)).isEqualTo(3);
    assertThat(bounds.nearest(5)).isEqualTo(10);
    assertThat(bounds.nearest(30)).isEqualTo(20);
  }

  @Test
  void bounds_ofOneSample_areThoseOfItsAreaAndRegret() {
    WaitingGroup one = WaitingGroup.EMPTY.plus(0, 1);
    double deadline = RegretDeadline.after(RegretDeadline.NONE, 10, 0, 0, 0, 1);
    double hold = RegretDeadline.after(RegretDeadline.NONE, 20, 0, 0, 0, 1);
    FreeBandGuard.Bounds strict = FreeBandGuard.bounds(one, COSTS, -5, deadline, hold);
    assertThat(strict).isEqualTo(new FreeBandGuard.Bounds(10, -5, 10));
    FreeBandGuard.Bounds loose = FreeBandGuard.bounds(one, COSTS, 100, deadline, hold);
    assertThat(loose).as("the cap holds").isEqualTo(new FreeBandGuard.Bounds(10, 100, 20));
  }

  @Test
  void largestArea_notEnforced_isUnlimited() {
    Certificate certificate = new Certificate(COSTS);
    certificate.arrived(0, 1);
    assertThat(new FreeBandGuard(certificate, 2, false).largestArea(false))
        .isEqualTo(Double.POSITIVE_INFINITY);
    // The optimum is C, so V - C is 0: 2 * kappa - C - kappa is left.
    assertThat(new FreeBandGuard(certificate, 2, true).largestArea(false)).isEqualTo(1 - 10);
  }
}
