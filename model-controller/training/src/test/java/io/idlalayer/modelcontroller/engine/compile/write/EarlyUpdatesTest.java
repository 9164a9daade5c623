package io.idlalayer.modelcontroller.engine.compile.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EarlyUpdatesTest {
  private final Tensor weights = tensor("weights");
  private final Tensor gradients = tensor("gradients");
  private final Tensor momentum = tensor("momentum");
  private final Tensor errors = tensor("errors");
  private final Tensor lower = tensor("lower errors");

  private static Tensor tensor(String name) {
    return new Tensor(name, Tensor.Kind.ACTIVATIONS, 1);
  }

  private static TapeStep step(Phase phase, String name, List<Tensor> reads, List<Tensor> writes) {
    TapeKernel kernel =
        new TapeKernel() {
          @Override
          public void run() {}

          @Override
          public void close() {}
        };
    return new TapeStep(phase, "layer", name, kernel, reads, writes);
  }

  private TapeStep update() {
    return step(
        Phase.UPDATE, "update", List.of(weights, gradients, momentum), List.of(weights, momentum));
  }

  private static List<String> names(List<TapeStep> steps) {
    return steps.stream().map(TapeStep::name).toList();
  }

  @Test
  void update_ofCompleteGradients_runsBeforeTheRestOfTheBackwardPass() {
    TapeStep forward = step(Phase.FORWARD, "forward", List.of(weights), List.of(errors));
    TapeStep own = step(Phase.BACKWARD, "gradients", List.of(errors), List.of(gradients));
    TapeStep rest = step(Phase.BACKWARD, "rest", List.of(errors), List.of(lower));
    assertThat(names(EarlyUpdates.of(List.of(forward, own, rest, update()))))
        .containsExactly("forward", "gradients", "update", "rest");
  }

  @Test
  void update_whoseWeightsAreStillRead_waitsForTheReader() {
    TapeStep own = step(Phase.BACKWARD, "gradients", List.of(errors), List.of(gradients));
    TapeStep reader = step(Phase.BACKWARD, "reader", List.of(weights, errors), List.of(lower));
    TapeStep rest = step(Phase.BACKWARD, "rest", List.of(lower), List.of(errors));
    assertThat(names(EarlyUpdates.of(List.of(own, reader, rest, update()))))
        .containsExactly("gradients", "reader", "update", "rest");
  }

  @Test
  void limitOfGradients_staysBeforeItsUpdate() {
    TapeStep own = step(Phase.BACKWARD, "gradients", List.of(errors), List.of(gradients));
    TapeStep rest = step(Phase.BACKWARD, "rest", List.of(errors), List.of(lower));
    TapeStep limit = step(Phase.UPDATE, "limit", List.of(gradients), List.of(gradients));
    assertThat(names(EarlyUpdates.of(List.of(own, rest, limit, update()))))
        .containsExactly("gradients", "limit", "update", "rest");
  }

  /** Any two steps of which one writes what the other uses run in the order in which they were. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void steps_thatDependOnEachOther_keepTheirOrder(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Tensor> tensors = IntStream.range(0, 9).mapToObj(i -> tensor("t" + i)).toList();
    List<TapeStep> steps = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      Phase phase = random.nextInt(3) == 0 ? Phase.UPDATE : Phase.BACKWARD;
      steps.add(step(phase, Integer.toString(i), some(tensors, random), some(tensors, random)));
    }
    List<TapeStep> moved = EarlyUpdates.of(steps);
    assertThat(moved).containsExactlyInAnyOrderElementsOf(steps);
    for (int i = 0; i < moved.size(); i++) {
      for (int later = i + 1; later < moved.size(); later++) {
        if (dependent(moved.get(i), moved.get(later))) {
          assertThat(steps.indexOf(moved.get(i))).isLessThan(steps.indexOf(moved.get(later)));
        }
      }
    }
  }

  private static List<Tensor> some(List<Tensor> tensors, SplittableRandom random) {
    return tensors.stream().filter(tensor -> random.nextInt(8) == 0).toList();
  }

  private static boolean dependent(TapeStep one, TapeStep other) {
    return one.writes().stream()
            .anyMatch(each -> other.reads().contains(each) || other.writes().contains(each))
        || one.reads().stream().anyMatch(each -> other.writes().contains(each));
  }
}
