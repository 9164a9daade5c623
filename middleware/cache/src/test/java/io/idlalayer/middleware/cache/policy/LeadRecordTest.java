package io.idlalayer.middleware.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LeadRecordTest {
  private static final int LEADER = 0;
  private static final int OTHER = 1;
  private static final int OTHER_HITS = 0b10;
  private static final int NEITHER_HITS = 0;

  private final LeadRecord leads = new LeadRecord(2);

  private void period(int leaderHits, int otherHits) {
    leads.endPeriod(new int[] {leaderHits, otherHits}, LEADER, 100);
  }

  @Test
  void lead_isCountedFromTheLowestPoint() {
    period(20, 0);
    period(0, 15);

    assertThat(leads.lead(OTHER, LEADER)).isEqualTo(15);
    assertThat(leads.lead(LEADER, OTHER)).isEqualTo(5);
  }

  @Test
  void lostLead_isWhatWasGainedAndLostAgain() {
    period(0, 40);
    period(30, 0);
    assertThat(leads.lostLead(OTHER, LEADER)).isEqualTo(30);
    period(30, 0);

    assertThat(leads.lostLead(OTHER, LEADER)).isEqualTo(40);
    assertThat(leads.lead(OTHER, LEADER)).isZero();
  }

  @Test
  void scatteredLead_countsARunOnce() {
    for (int i = 0; i < 20; i++) {
      leads.referenced(OTHER_HITS, LEADER, 1);
    }
    period(0, 20);

    assertThat(leads.scatteredLead(OTHER)).isEqualTo(1);
  }

  @Test
  void scatteredLead_countsHitsWithMissesBetweenThem() {
    for (int i = 0; i < 20; i++) {
      leads.referenced(i % 4 == 0 ? OTHER_HITS : NEITHER_HITS, LEADER, 1);
    }
    period(0, 5);
    assertThat(leads.scatteredLead(OTHER)).isEqualTo(5);
    leads.leaderChanged();

    assertThat(leads.scatteredLead(OTHER)).isZero();
  }

  @Test
  void scatteredLead_ignoresPeriodsThatDifferMuch() {
    for (int i = 0; i < 100; i++) {
      leads.referenced(i % 3 == 0 ? OTHER_HITS : NEITHER_HITS, LEADER, 1);
    }
    period(0, 34);

    assertThat(leads.scatteredLead(OTHER)).isZero();
  }
}
