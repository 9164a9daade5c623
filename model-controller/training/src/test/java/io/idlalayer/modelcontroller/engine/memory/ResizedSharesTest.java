package io.idlalayer.modelcontroller.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parts of the tensor memory whose bytes learners change. */
final class ResizedSharesTest {
  private static final long FIRST = 1 << 12;
  private static final long GROWN = 1 << 15;
  private static final long LEAST = 1 << 10;

  @TempDir Path directory;

  private TensorShares shares(int most) {
    TensorSettings part =
        new TensorSettings(FIRST, directory, 1 << 16, PlacementName.CACHED_ARRAYS);
    TensorShares shares = new TensorShares("app", most, part, TimeUnit.MINUTES.toNanos(1));
    shares.enter();
    return shares;
  }

  private static TensorGrant grant(long bytes) {
    TensorGrant grant = new TensorGrant(LEAST);
    grant.want(bytes);
    return grant;
  }

  /** Trains once; returns the fast bytes that the training has. */
  private static long train(TensorShares.Tenant tenant) throws InterruptedException {
    PlacedMemory memory = tenant.begin(() -> {});
    long bytes = memory.memory().use(memory.memory().first(DeviceKind.FAST)).budgetBytes();
    tenant.end();
    return bytes;
  }

  /** The bytes were granted by a learner that is gone; the others have granted what they have. */
  @Test
  void close_partThatGrew_leavesItsFirstBytesToTheOthers() throws Exception {
    TensorShares shares = shares(1);
    TensorGrant grown = grant(GROWN);
    TensorGrant other = grant(FIRST);
    TensorShares.Tenant one = shares.tenant("one", grown);
    TensorShares.Tenant two = shares.tenant("two", other);
    assertThat(train(one)).isEqualTo(GROWN);
    train(two);
    assertThat(train(one)).as("by turns").isEqualTo(GROWN);

    one.close();

    assertThat(train(two)).isEqualTo(FIRST);
    assertThat(other.heldBytes()).isEqualTo(FIRST);
    two.close();
    shares.leave();
  }

  @Test
  void leave_partThatGrew_beginsTheNextAttemptWithItsFirstBytes() throws Exception {
    TensorShares shares = shares(1);
    TensorShares.Tenant one = shares.tenant("one", grant(GROWN));
    train(one);
    one.close();
    shares.leave();

    shares.enter();
    shares.prepare();
    TensorGrant next = grant(FIRST);
    TensorShares.Tenant two = shares.tenant("two", next);
    assertThat(train(two)).isEqualTo(FIRST);
    assertThat(next.seconds()).as("nothing was resized").isZero();
    two.close();
    shares.leave();
  }

  /** Two learners, of which one has ended: the other one need not go without moves for ever. */
  @Test
  void begin_aloneForSomeTrainings_isNotByTurnsAnyMore() throws Exception {
    TensorShares shares = shares(1);
    TensorGrant grant = grant(FIRST);
    TensorShares.Tenant one = shares.tenant("one", grant);
    TensorShares.Tenant two = shares.tenant("two", grant(FIRST));
    train(one);
    train(two);
    train(one);
    assertThat(grant.inTurns()).isTrue();
    grant.want(GROWN);
    for (int i = 1; i < TensorGrant.TRAININGS_ALONE; i++) {
      assertThat(train(one)).isEqualTo(FIRST);
    }
    assertThat(grant.inTurns()).isTrue();

    assertThat(train(one)).isEqualTo(GROWN);

    assertThat(grant.inTurns()).isFalse();
    train(two);
    train(one);
    assertThat(grant.inTurns()).as("the other one is back").isTrue();
    one.close();
    two.close();
    shares.leave();
  }

  /** Each has the bytes that it was granted, in a part that the other one has resized. */
  @Test
  void begin_partThatIsFree_hasTheGrantedBytesAlsoByTurns() throws Exception {
    TensorShares shares = shares(1);
    TensorGrant grant = grant(2 * FIRST);
    TensorShares.Tenant one = shares.tenant("one", grant);
    TensorShares.Tenant two = shares.tenant("two", grant(FIRST));
    train(two);
    train(one);
    assertThat(grant.inTurns()).isTrue();
    one.close();
    two.close();
    TensorShares.Tenant again = shares.tenant("again", grant);
    assertThat(train(again)).isEqualTo(2 * FIRST);
    again.close();
    shares.leave();
  }
}
