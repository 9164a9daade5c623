package io.idlalayer.modelcontroller.engine.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Updates in one pass give the bits of a division, the rule, and a subtraction one by one. */
final class ParameterUpdateTest {
  private static final Schedule RATE = (iteration, epoch) -> 0.01 / (1 + iteration);
  private static final Schedule MOMENTUM = (iteration, epoch) -> 0.9;

  private static final List<UpdateRule> RULES =
      List.of(
          new UpdateRule.None(),
          new UpdateRule.Sgd(RATE),
          new UpdateRule.Nesterovs(RATE, MOMENTUM),
          new UpdateRule.Adam(RATE, 0.9, 0.999, 1e-8),
          new UpdateRule.Adam(RATE, 0.8, 0.99, 1e-3));

  private static final Schedule FALLING = (iteration, epoch) -> 0.02 / (1 + iteration);

  private static final List<Penalty> PENALTIES =
      List.of(
          Penalty.NONE,
          new Penalty(FALLING, Schedule.NONE, Schedule.NONE, false),
          new Penalty(RATE, FALLING, Schedule.NONE, false),
          new Penalty(Schedule.NONE, Schedule.NONE, FALLING, true),
          new Penalty(RATE, Schedule.NONE, FALLING, false));

  private final FloatMemory memory = new FloatMemory(1 << 16);
  private final SplittableRandom random = new SplittableRandom(11);
  private long used;

  @AfterEach
  void free() {
    memory.close();
  }

  private Tensor tensor(int length) {
    Tensor tensor = new Tensor("t" + used, Tensor.Kind.PARAMETERS, length);
    tensor.place(memory.part(used, length));
    used += length;
    return tensor;
  }

  /** Also zeros of both signs, tiny and huge numbers. */
  private float[] values(int length) {
    float[] values = new float[length];
    for (int i = 0; i < length; i++) {
      float size = (float) Math.pow(10, random.nextInt(-30, 6));
      values[i] = random.nextInt(9) == 0 ? -0f : (float) (random.nextDouble() - 0.5) * size;
    }
    return values;
  }

  @Test
  void run_manyIterations_hasTheBitsOfTheStepsOneByOne() {
    for (UpdateRule rule : RULES) {
      for (int divisor : new int[] {1, 7, 32}) {
        for (int length : new int[] {1, 1_024, 2_500}) {
          for (Penalty penalty : PENALTIES) {
            for (int parts : new int[] {1, 3}) {
              used = 0;
              assertSame(rule, penalty, length, divisor, parts);
            }
          }
        }
      }
    }
  }

  /**
   * @param parts that the update is made in, as a memory that places tensors has it made
   */
  private void assertSame(UpdateRule rule, Penalty penalty, int length, int divisor, int parts) {
    Progress progress = new Progress(0, 0);
    Tensor parameters = tensor(length);
    Tensor gradients = tensor(length);
    List<Tensor> states = new ArrayList<>();
    float[][] state = new float[rule.states()][length];
    for (int i = 0; i < rule.states(); i++) {
      states.add(tensor(length));
      states.get(i).floats().put(0, state[i], 0, length);
    }
    float[] expected = values(length);
    parameters.floats().put(0, expected, 0, length);
    ParameterUpdate update =
        new ParameterUpdate(rule, penalty, progress, parameters, gradients, states, divisor);
    for (int iteration = 0; iteration < 12; iteration++) {
      float[] gradient = values(length);
      gradients.floats().put(0, gradient, 0, length);
      float[] left = gradient.clone();
      run(update, length, parts);
      for (int i = 0; i < length; i++) {
        gradient[i] /= divisor;
      }
      penalty.addToGradients(expected, gradient, length, progress);
      rule.replaceByUpdates(gradient, state, length, progress);
      penalty.addToUpdates(expected, gradient, length, rule.rate(progress), progress);
      for (int i = 0; i < length; i++) {
        expected[i] -= gradient[i];
      }
      progress.next();
      assertThat(bits(parameters)).as("%s %d", rule, divisor).isEqualTo(bits(expected));
      assertThat(bits(gradients)).as("gradients stay").isEqualTo(bits(left));
      for (int i = 0; i < states.size(); i++) {
        assertThat(bits(states.get(i))).as("%s state %d", rule, i).isEqualTo(bits(state[i]));
      }
    }
  }

  private static void run(ParameterUpdate update, int length, int parts) {
    if (parts == 1) {
      update.run();
      return;
    }
    int each = (length + parts - 1) / parts;
    for (int from = 0; from < length; from += each) {
      int start = from;
      int count = Math.min(each, length - from);
      update.run(update.operands().stream().map(it -> it.floats().part(start, count)).toList());
    }
  }

  private static int[] bits(Tensor tensor) {
    return bits(tensor.floats().toArray());
  }

  private static int[] bits(float[] values) {
    int[] bits = new int[values.length];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = Float.floatToRawIntBits(values[i]);
    }
    return bits;
  }

  @Test
  void power_ofMoreBasesThanAreKept_isThatOfTheIterationNow() {
    Progress progress = new Progress(3, 0);
    float[] bases = {0.9f, 0.999f, 0.5f, 0.99f, 0.8f, 1, 0};
    for (int iteration = 3; iteration < 40; iteration++) {
      for (int i = 0; i < 30; i++) {
        float base = bases[random.nextInt(bases.length)];
        assertThat(progress.power(base)).isEqualTo((float) Math.pow(base, iteration + 1.0));
      }
      progress.next();
    }
  }

  @Test
  void next_atTheMostIterations_staysThere() {
    for (int begun : new int[] {Progress.MOST_ITERATIONS, Integer.MAX_VALUE, -1}) {
      Progress progress = new Progress(begun, 0);
      progress.next();
      assertThat(progress.iteration()).isEqualTo(Progress.MOST_ITERATIONS);
      assertThat(progress.power(0.999f)).isZero();
      assertThat(progress.at((iteration, epoch) -> iteration + 1)).isEqualTo(Integer.MAX_VALUE);
    }
  }

  @Test
  void random_atTheMostIterations_isAnotherInEachStep() {
    Progress progress = new Progress(Progress.MOST_ITERATIONS, 0);
    List<Long> drawn = new ArrayList<>();
    for (int training = 0; training < 2; training++) {
      progress.seed(7);
      for (int step = 0; step < 3; step++) {
        drawn.add(progress.random("dropout").nextLong());
        progress.next();
      }
    }
    assertThat(drawn.subList(0, 3)).doesNotHaveDuplicates().isEqualTo(drawn.subList(3, 6));
  }

  /** A second moment that is all but forgotten would show a correction that is not 1. */
  @Test
  void adam_afterManyIterations_stepsAsAtTheBound() {
    UpdateRule rule = new UpdateRule.Adam((iteration, epoch) -> 0.01, 0.9, 0.999, 1e-8);
    float[] expected = null;
    for (int begun : new int[] {999_999_999, 1_000_000_000, Progress.MOST_ITERATIONS}) {
      Progress progress = new Progress(begun, 0);
      float[] updates = {0.5f, -2, 1e-3f};
      float[][] states = {{0.1f, 0.2f, -0.3f}, {0.01f, 4, 1e-6f}};
      rule.replaceByUpdates(updates, states, 3, progress);
      progress.next();
      rule.replaceByUpdates(updates, states, 3, progress);
      for (float update : updates) {
        assertThat(update).isFinite().isNotZero();
      }
      expected = expected == null ? updates : expected;
      assertThat(bits(updates)).isEqualTo(bits(expected));
    }
  }
}
