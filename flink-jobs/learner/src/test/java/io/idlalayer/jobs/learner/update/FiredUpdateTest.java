package io.idlalayer.jobs.learner.update;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.UpdateRecord;
import org.junit.jupiter.api.Test;

final class FiredUpdateTest {
  private static final UpdateRecord.Firing FIRING =
      new UpdateRecord.Firing(1500, 2, 1, ExampleEvents.grounds("why"));

  @Test
  void restore_withLabelsTakenBack_isAsItWasAndLeavesThemOut() {
    Selection selection = new Selection(7, new long[] {3, 4}, new long[] {1}, new long[] {4});
    FiredUpdate written =
        new FiredUpdate(selection, new long[] {1000, 1001}, FIRING, new byte[] {5})
            .withdrawing(3)
            .withdrawing(1);
    FiredUpdate read = FiredUpdate.restore(written.snapshot());
    assertThat(read.firing()).isEqualTo(FIRING);
    assertThat(read.arrivedAtMillis()).containsExactly(1000, 1001);
    assertThat(read.selection().updateNumber()).isEqualTo(7);
    assertThat(read.selection().newIds()).containsExactly(3, 4);
    assertThat(read.selection().replayedIds()).containsExactly(1);
    assertThat(read.selection().passedIds()).containsExactly(4);
    assertThat(read.withdrawnIds()).containsExactly(1, 3);
    assertThat(read.mixture()).containsExactly(5);
    FiredUpdate left = read.with(new long[] {3, 4});
    assertThat(left.selection().newIds()).containsExactly(4);
    assertThat(left.selection().passedIds()).as("passed over").isEmpty();
    assertThat(left.selection().trainedIds()).containsExactly(4);
    assertThat(left.selection().replayedIds()).isEmpty();
    assertThat(left.arrivedAtMillis()).containsExactly(1001);
    assertThat(left.firing().newSamples()).isEqualTo(1);
  }
}
