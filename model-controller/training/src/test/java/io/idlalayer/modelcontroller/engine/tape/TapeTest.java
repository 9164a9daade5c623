package io.idlalayer.modelcontroller.engine.tape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class TapeTest {
  private final List<TapeKernel> closed = new ArrayList<>();

  /** Writes a number into its output if its inputs hold theirs. */
  private final class FakeKernel implements TapeKernel {
    private final List<Tensor> inputs;
    private final Tensor output;

    FakeKernel(List<Tensor> inputs, Tensor output) {
      this.inputs = inputs;
      this.output = output;
    }

    @Override
    public void run() {
      for (Tensor input : inputs) {
        assertThat(input.floats().toArray()).as(input.name()).containsOnly(number(input));
      }
      float[] values = new float[output.length()];
      java.util.Arrays.fill(values, number(output));
      output.floats().put(0, values, 0, values.length);
    }

    @Override
    public void close() {
      closed.add(this);
    }
  }

  private static float number(Tensor tensor) {
    return Integer.parseInt(tensor.name());
  }

  private static Tensor tensor(int number, int length) {
    return new Tensor(Integer.toString(number), Tensor.Kind.ACTIVATIONS, length);
  }

  private TapeStep step(Tensor output, Tensor... inputs) {
    List<Tensor> reads = List.of(inputs);
    return new TapeStep(
        Phase.FORWARD, "layer", "fake", new FakeKernel(reads, output), reads, List.of(output));
  }

  @Test
  void tensorsThatAreNeverNeededTogether_shareTheirPlace_andNoOthers() {
    List<Tensor> chain = new ArrayList<>();
    List<TapeStep> steps = new ArrayList<>();
    chain.add(tensor(0, 100));
    steps.add(step(chain.get(0)));
    for (int i = 1; i < 12; i++) {
      chain.add(tensor(i, 40 + 13 * i));
      // The first is needed until the end.
      steps.add(step(chain.get(i), chain.get(i - 1), chain.get(0)));
    }
    long all = chain.stream().mapToLong(Tensor::length).sum();
    try (Tape tape = new Tape(steps);
        FloatMemory memory = new FloatMemory(tape.passingFloats())) {
      tape.place(memory);
      tape.run();
      tape.run();
      assertThat(tape.passingFloats()).isLessThan(all / 2);
    }
    assertThat(closed).hasSize(12);
  }

  @Test
  void aResult_keepsItsPlaceToTheEnd() {
    Tensor result = tensor(0, 50);
    List<TapeStep> steps = new ArrayList<>(List.of(step(result)));
    for (int i = 1; i < 6; i++) {
      steps.add(step(tensor(i, 50)));
    }
    try (Tape tape = new Tape(steps, List.of(result));
        FloatMemory memory = new FloatMemory(tape.passingFloats())) {
      tape.place(memory);
      tape.run();
      assertThat(result.floats().toArray()).containsOnly(0);
      assertThat(tape.passingFloats()).isEqualTo(2 * 64);
    }
  }

  @Tag("natives")
  @Test
  void place_inAMemoryAgain_isTheSameAlsoAfterOthers() {
    Tensor shared = tensor(0, 50);
    try (Tape one = new Tape(List.of(step(tensor(1, 90)), step(shared)));
        Tape other = new Tape(List.of(step(shared), step(tensor(2, 70), shared)));
        FloatMemory memory = new FloatMemory(1_000);
        FloatMemory elsewhere = new FloatMemory(1_000)) {
      one.place(memory);
      Floats first = shared.floats();
      one.run();
      other.place(memory);
      assertThat(shared.floats()).isNotSameAs(first);
      other.run();
      one.place(memory);
      assertThat(shared.floats()).isSameAs(first);
      one.run();
      one.place(elsewhere);
      assertThat(shared.floats().pointer().address()).isNotEqualTo(first.pointer().address());
      one.run();
      assertThat(shared.floats().toArray()).containsOnly(0);
    }
  }

  @Test
  void place_inFreedMemory_isRefused() {
    try (Tape tape = new Tape(List.of(step(tensor(1, 90))))) {
      FloatMemory memory = new FloatMemory(1_000);
      tape.place(memory);
      memory.close();
      assertThatThrownBy(() -> tape.place(memory)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void lives_areProducerUsersAndLastUse() {
    Tensor in = new Tensor("1", Tensor.Kind.INPUT, 8);
    Tensor middle = tensor(2, 8);
    Tensor out = tensor(3, 8);
    try (Tape tape = new Tape(List.of(step(middle, in), step(out, middle, in)))) {
      assertThat(tape.lives().get(in)).isEqualTo(new Tape.Life(-1, List.of(0, 1)));
      assertThat(tape.lives().get(middle)).isEqualTo(new Tape.Life(0, List.of(0, 1)));
      assertThat(tape.lives().get(out).lastUse()).isEqualTo(1);
    }
  }

  @Test
  void lifetimes_areWhatComesAndGoesAroundEachStep() {
    Tensor in = new Tensor("in", Tensor.Kind.INPUT, 8);
    Tensor kept = new Tensor("kept", Tensor.Kind.PARAMETERS, 8);
    Tensor middle = tensor(2, 8);
    Tensor out = tensor(3, 8);
    TapeStep back = step(out, middle, kept);
    TapeStep later =
        new TapeStep(
            TapeStep.Phase.BACKWARD,
            back.layer(),
            back.name(),
            back.kernel(),
            back.reads(),
            back.writes());
    try (Tape tape = new Tape(List.of(step(middle, in, kept), later))) {
      assertThat(tape.lifetimes())
          .containsExactly(
              new Tape.Lifetimes(List.of(middle), List.of(kept, middle), List.of(in)),
              new Tape.Lifetimes(List.of(out), List.of(), List.of(middle, out)));
    }
  }

  @Test
  void tape_thatReadsWhatNobodyWrote_isRefused() {
    Tensor unknown = tensor(1, 8);
    assertThatThrownBy(() -> new Tape(List.of(step(tensor(2, 8), unknown))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(unknown.toString());
  }

  @Test
  void memory_isCountedUntilItIsFreed_andNotUsedThen() {
    long before = FloatMemory.liveBytes();
    FloatMemory memory = new FloatMemory(1_000);
    assertThat(FloatMemory.liveBytes() - before).isGreaterThanOrEqualTo(4_000);
    assertThat(memory.part(990, 10).toArray()).containsOnly(0);
    assertThatThrownBy(() -> memory.part(991, 10)).isInstanceOf(IndexOutOfBoundsException.class);
    memory.close();
    memory.close();
    assertThat(FloatMemory.liveBytes()).isEqualTo(before);
    assertThatThrownBy(() -> memory.part(0, 10)).isInstanceOf(IllegalStateException.class);
  }
}
