package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.array.ElementWise;
import io.idlalayer.modelcontroller.engine.kernel.array.Maximum;
import io.idlalayer.modelcontroller.engine.kernel.array.Scale;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the steps of a layer that combines several inputs of one shape, position by position. */
final class CombinationWriter implements LayerWriter {
  private final TapeDraft draft;
  private final LayerPlan.Combined layer;
  private List<Tensor> inputs = List.of();

  CombinationWriter(TapeDraft draft, LayerPlan.Combined layer) {
    this.draft = draft;
    this.layer = layer;
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    inputs = List.copyOf(from);
    Tensor y = draft.outputs(layer);
    switch (layer.combination()) {
      case SUM -> combine(Phase.FORWARD, ElementWise.Operation.ADD, from, y);
      case MEAN -> {
        combine(Phase.FORWARD, ElementWise.Operation.ADD, from, y);
        scale(Phase.FORWARD, y, y, 1f / from.size());
      }
      case DIFFERENCE -> combine(Phase.FORWARD, ElementWise.Operation.SUBTRACT, from, y);
      case PRODUCT -> combine(Phase.FORWARD, ElementWise.Operation.MULTIPLY, from, y);
      case MAXIMUM ->
          draft.step(
              Phase.FORWARD,
              layer.name(),
              "maximum",
              new Maximum(inputs).forward(y),
              inputs,
              List.of(y));
    }
    return y;
  }

  @Override
  public boolean readsOutputs() {
    return false;
  }

  @Override
  public List<@Nullable Tensor> backward(Tensor errors) {
    return switch (layer.combination()) {
      case SUM -> Collections.nCopies(inputs.size(), errors);
      case MEAN -> {
        scale(Phase.BACKWARD, errors, errors, 1f / inputs.size());
        yield Collections.nCopies(inputs.size(), errors);
      }
      case DIFFERENCE -> {
        Tensor negative = TapeDraft.errorsOf(errors, layer.name());
        scale(Phase.BACKWARD, errors, negative, -1);
        yield List.of(errors, negative);
      }
      case PRODUCT -> productBackward(errors);
      case MAXIMUM -> maximumBackward(errors);
    };
  }

  private List<@Nullable Tensor> maximumBackward(Tensor errors) {
    List<Tensor> before = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      before.add(TapeDraft.errorsOf(errors, layer.name()));
    }
    List<Tensor> reads = new ArrayList<>(inputs);
    reads.add(errors);
    TapeKernel kernel = new Maximum(inputs).backward(errors, before);
    draft.step(Phase.BACKWARD, layer.name(), "maximum", kernel, reads, before);
    return new ArrayList<>(before);
  }

  /** Writes the errors of a product: for each input, the errors times all other inputs. */
  private List<@Nullable Tensor> productBackward(Tensor errors) {
    List<@Nullable Tensor> all = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      List<Tensor> factors = new ArrayList<>(inputs);
      factors.set(i, errors);
      Tensor before = TapeDraft.errorsOf(errors, layer.name());
      combine(Phase.BACKWARD, ElementWise.Operation.MULTIPLY, factors, before);
      all.add(before);
    }
    return all;
  }

  private void combine(
      Phase phase, ElementWise.Operation operation, List<Tensor> from, Tensor result) {
    if (from.size() == 1) {
      scale(phase, from.get(0), result, 1);
      return;
    }
    Tensor left = from.get(0);
    for (Tensor right : from.subList(1, from.size())) {
      TapeKernel kernel = new ElementWise(operation, left, right, result);
      draft.step(phase, layer.name(), "combination", kernel, List.of(left, right), List.of(result));
      left = result;
    }
  }

  private void scale(Phase phase, Tensor from, Tensor to, float factor) {
    TapeKernel kernel = new Scale(from, to, factor);
    draft.step(phase, layer.name(), "scale", kernel, List.of(from), List.of(to));
  }
}
