package io.idlalayer.jobs.learner.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.cache.budget.BenefitCurve;
import io.idlalayer.middleware.cache.budget.Claim;
import io.idlalayer.middleware.cache.budget.Claim.Form;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.state.UnreadableStateException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FastMemoryTest {
  private static final long BYTES = 96 << 20;
  private static final long LEAST = 6 << 20;

  private final List<String> calls = new ArrayList<>();
  private final Fake samples = new Fake(FastUse.SAMPLES);
  private final Fake rows = new Fake(FastUse.ROWS);
  private final Fake tensors = new Fake(FastUse.TENSORS);
  private long nowMillis;

  /** A use that answers what it is told to, and else has its bytes at once. */
  private final class Fake implements Claimant {
    final FastUse use;
    final Deque<Change> answers = new ArrayDeque<>();
    double worth;
    long least = LEAST;
    long held;

    Fake(FastUse use) {
      this.use = use;
    }

    @Override
    public FastUse use() {
      return use;
    }

    @Override
    public long leastBytes() {
      return least;
    }

    @Override
    public Claim claim(double seconds, long nowBytes) {
      BenefitCurve curve = new BenefitCurve(new long[] {0, BYTES}, new double[] {0, worth});
      return new Claim(use, least, BYTES, curve, Form.CONCAVE);
    }

    @Override
    public Change resize(long bytes) {
      Change answer = answers.isEmpty() ? Change.DONE : answers.remove();
      if (answer == Change.DONE) {
        held = bytes;
      }
      calls.add("%s %d %s".formatted(use, bytes >> 20, answer));
      long all = samples.held + rows.held + tensors.held;
      assertThat(all).as("the budget holds at any time").isLessThanOrEqualTo(BYTES);
      return answer;
    }

    @Override
    public String refusal() {
      return "there is no memory";
    }
  }

  private StoredSplit stored = new StoredSplit();

  private FastMemory memory() {
    return memory(BYTES, samples, rows, tensors);
  }

  private FastMemory memory(long bytes, Claimant... claimants) {
    List.of(samples, rows, tensors).forEach(each -> each.held = 0);
    FastMemory memory = new FastMemory(bytes, List.of(claimants), stored, () -> 0, nowMillis);
    calls.clear();
    return memory;
  }

  private String round(FastMemory memory) {
    nowMillis += FastMemory.ROUND_MILLIS;
    return memory.look(nowMillis);
  }

  @Test
  void create_anyUses_givesEqualParts() {
    memory();
    assertThat(List.of(samples.held, rows.held, tensors.held)).containsOnly(BYTES / 3);
  }

  @Test
  void create_tensorsNeedMore_takesItFromTheOthers() {
    tensors.least = 60 << 20;
    memory();
    assertThat(tensors.held).isEqualTo(60 << 20);
    assertThat(samples.held + rows.held).isEqualTo(36 << 20);
  }

  @Test
  void create_usesNeedMoreThanThereIs_isRefused() {
    tensors.least = 90 << 20;
    assertThatThrownBy(this::memory).hasMessageContaining("fewer than");
  }

  @Test
  void look_beforeAMinute_doesNothing() {
    FastMemory memory = memory();
    rows.worth = 10;
    assertThat(memory.look(FastMemory.ROUND_MILLIS - 1)).isNull();
    assertThat(calls).isEmpty();
  }

  @Test
  void look_rowsSaveMost_shrinksTheOthersFirstAndSaysIt() {
    FastMemory memory = memory();
    rows.worth = 10;

    String said = round(memory);

    assertThat(calls).containsExactly("samples 6 DONE", "tensors 6 DONE", "rows 84 DONE");
    assertThat(said)
        .contains("samples 32 to 6 MiB, rows 32 to 84 MiB, tensors 32 to 6 MiB")
        .contains("saves more");
    assertThat(memory.split().of(FastUse.ROWS)).isEqualTo(84 << 20);
    assertThat(round(memory)).isNull();
  }

  @Test
  void look_tensorsGiveTheirBytesUpLater_othersWaitForThem() {
    FastMemory memory = memory();
    rows.worth = 10;
    tensors.answers.add(Claimant.Change.WAITS);

    assertThat(round(memory)).isNull();
    assertThat(rows.held).isEqualTo(BYTES / 3);
    assertThat(memory.look(nowMillis + 1)).contains("rows 32 to 84 MiB");
    assertThat(rows.held).isEqualTo(84 << 20);
  }

  /** Ten minutes between two changes of direction begin when the first one has ended. */
  @Test
  void look_changeOfDirectionThatTookLong_isNotFollowedByAnotherOne() {
    FastMemory memory = memory();
    rows.worth = 10;
    assertThat(round(memory)).contains("rows 32 to 84 MiB");
    samples.worth = 100;
    rows.answers.add(Claimant.Change.WAITS);
    assertThat(round(memory)).isNull();
    nowMillis += FastMemory.REFUSED_MILLIS;
    assertThat(memory.look(nowMillis)).contains("samples 6 to 84 MiB");

    rows.worth = 1000;

    assertThat(round(memory)).isNull();
    nowMillis += FastMemory.REFUSED_MILLIS;
    assertThat(memory.look(nowMillis)).contains("rows 6 to 84 MiB");
  }

  @Test
  void look_growthIsRefused_returnsToTheFormerSplitAndWaits() {
    FastMemory memory = memory();
    tensors.worth = 10;
    tensors.answers.add(Claimant.Change.REFUSED);

    String said = round(memory);

    assertThat(said)
        .contains("stays divided as it was, samples 32 MiB, rows 32 MiB, tensors 32 MiB")
        .contains("tensors: there is no memory");
    assertThat(List.of(samples.held, rows.held, tensors.held)).containsOnly(BYTES / 3);
    calls.clear();
    assertThat(round(memory)).isNull();
    assertThat(calls).isEmpty();
    assertThat(memory.look(nowMillis + FastMemory.REFUSED_MILLIS)).contains("tensors 32 to 84");
  }

  private static long mib(long mib) {
    return mib << 20;
  }

  private void restart(long ofSamples, long ofRows, long ofTensors) {
    stored =
        StoredSplits.of(
            Map.of(
                FastUse.SAMPLES, mib(ofSamples),
                FastUse.ROWS, mib(ofRows),
                FastUse.TENSORS, mib(ofTensors)));
    stored.takeChanged();
  }

  private List<Long> held() {
    return List.of(samples.held >> 20, rows.held >> 20, tensors.held >> 20);
  }

  @Test
  void look_afterARestart_returnsToTheSplitOfBefore() {
    FastMemory before = memory();
    rows.worth = 10;
    round(before);
    assertThat(held()).containsExactly(6L, 84L, 6L);
    assertThat(stored.takeChanged()).isTrue();
    byte[] state = stored.snapshot();

    stored = new StoredSplit();
    stored.restore(state);
    FastMemory after = memory();
    assertThat(held()).as("what trainings were prepared with").containsExactly(32L, 32L, 32L);

    assertThat(after.look(nowMillis)).contains("rows 32 to 84 MiB").contains("before the restart");
    assertThat(held()).containsExactly(6L, 84L, 6L);
    assertThat(stored.takeChanged()).isFalse();
    assertThat(stored.snapshot()).isEqualTo(state);
  }

  /** A cache that is empty again looks useless for some minutes. */
  @Test
  void look_afterARestart_leavesTheSplitUntilMuchIsMeasured() {
    restart(6, 84, 6);
    FastMemory memory = memory();
    memory.look(nowMillis);
    tensors.worth = 10;

    for (long millis = 0; millis < FastMemory.RESTORED_MILLIS - FastMemory.ROUND_MILLIS; ) {
      millis += FastMemory.ROUND_MILLIS;
      assertThat(round(memory)).isNull();
    }
    assertThat(round(memory)).contains("tensors 6 to 84 MiB");
  }

  @Test
  void look_afterARestartWithAnotherBudget_keepsTheProportionsAndTheLeast() {
    restart(12, 72, 12);
    FastMemory memory = memory(mib(48), samples, rows, tensors);

    memory.look(nowMillis);

    assertThat(held()).containsExactly(6L, 36L, 6L);

    restart(6, 84, 6);
    memory(mib(48), samples, rows, tensors).look(nowMillis);
    assertThat(held()).as("6 MiB is the least").containsExactly(6L, 36L, 6L);
  }

  @Test
  void look_afterARestartWithoutAUse_givesItsBytesToTheOthers() {
    restart(8, 56, 32);
    memory(BYTES, samples, rows).look(nowMillis);
    assertThat(held()).containsExactly(12L, 84L, 0L);
  }

  @Test
  void look_afterARestartWithAFurtherUse_givesItAnEqualPart() {
    stored = StoredSplits.of(Map.of(FastUse.SAMPLES, mib(24), FastUse.TENSORS, mib(72)));
    memory().look(nowMillis);
    assertThat(held()).containsExactly(16L, 32L, 48L);
  }

  /**
   * The memory of a training is changed before the next one; until then nothing may be exceeded.
   */
  @Test
  void look_afterARestartBeforeATraining_waitsForTheTensors() {
    restart(84, 6, 6);
    FastMemory memory = memory();
    tensors.answers.add(Claimant.Change.WAITS);

    assertThat(memory.look(nowMillis)).isNull();
    assertThat(held()).containsExactly(32L, 6L, 32L);
    assertThat(memory.look(nowMillis + 1)).isNotNull();
    assertThat(held()).containsExactly(84L, 6L, 6L);
  }

  @Test
  void look_splitOfBeforeIsRefused_keepsEqualPartsAndTheState() {
    restart(6, 6, 84);
    FastMemory memory = memory();
    tensors.answers.add(Claimant.Change.REFUSED);

    assertThat(memory.look(nowMillis)).contains("tensors 32 to 84 MiB").contains("was refused");
    assertThat(held()).containsExactly(32L, 32L, 32L);
    assertThat(stored.split().of(FastUse.TENSORS)).isEqualTo(mib(84));
  }

  @Test
  void look_splitThatAnEarlierRestartWasRefused_isNotTriedAgain() {
    restart(6, 6, 84);
    FastMemory first = memory();
    tensors.answers.add(Claimant.Change.REFUSED);
    assertThat(first.look(nowMillis)).contains("was refused");
    assertThat(stored.takeChanged()).isTrue();

    startAgain();
    FastMemory second = memory();
    assertThat(second.look(nowMillis)).isNull();
    assertThat(calls).isEmpty();
    rows.worth = 100;
    assertThat(round(second)).as("nothing is measured yet").isNull();
    nowMillis += FastMemory.REFUSED_MILLIS;
    assertThat(second.look(nowMillis)).contains("divided anew");
    assertThat(stored.takeChanged()).isTrue();

    startAgain();
    assertThat(memory().look(nowMillis))
        .as("the new split is tried")
        .contains("before the restart");
  }

  @Test
  void look_otherBudgetThanTheRefusedOne_isTried() {
    restart(6, 6, 84);
    FastMemory first = memory();
    tensors.answers.add(Claimant.Change.REFUSED);
    assertThat(first.look(nowMillis)).contains("was refused");

    startAgain();
    FastMemory second = memory(BYTES / 2, samples, rows, tensors);
    assertThat(second.look(nowMillis)).contains("before the restart");
  }

  private void startAgain() {
    byte[] state = stored.snapshot();
    stored = new StoredSplit();
    stored.restore(state);
  }

  @Test
  void restore_bytesThatNoUseCanHave_isRefused() {
    byte[] state = StoredSplits.example();
    state[state.length - Long.BYTES] = (byte) 0x80;
    assertThatThrownBy(() -> stored.restore(state))
        .isInstanceOf(UnreadableStateException.class)
        .hasMessageContaining("are no bytes of samples, rows and tensors");
  }
}
