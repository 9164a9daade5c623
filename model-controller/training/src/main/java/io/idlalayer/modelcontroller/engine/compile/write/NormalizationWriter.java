package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.ParameterArrays;
import io.idlalayer.modelcontroller.engine.kernel.layer.BatchNormalization;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes the steps of batch normalization over the rows of a mini-batch. */
final class NormalizationWriter implements LayerWriter {
  private final TapeDraft draft;
  private final LayerPlan.Normalized layer;
  private final BatchNormalization normalization;
  private @Nullable Tensor inputs;

  NormalizationWriter(TapeDraft draft, LayerPlan.Normalized layer) {
    this.draft = draft;
    this.layer = layer;
    normalization =
        new BatchNormalization(
            new BatchNormalization.Shape(
                draft.rows(),
                layer.channels(),
                layer.pixels(),
                layer.epsilon(),
                layer.decay(),
                layer.spread().equals(ParameterArrays.RUNNING_LOG_DEVIATION)),
            each(draft.tensors()::parameters));
  }

  @Override
  public Tensor forward(List<Tensor> from) {
    Tensor x = from.get(0);
    Tensor y = draft.outputs(layer);
    TapeKernel kernel =
        draft.trains() ? normalization.forward(x, y) : normalization.inference(x, y);
    List<Tensor> reads = new ArrayList<>(all(each(draft.tensors()::parameters)));
    reads.add(x);
    draft.step(Phase.FORWARD, layer.name(), "normalization", kernel, reads, List.of(y));
    inputs = x;
    return y;
  }

  @Override
  public boolean readsOutputs() {
    return false;
  }

  @Override
  public List<@Nullable Tensor> backward(Tensor errors) {
    Tensor x = TapeDraft.written(inputs, layer.name());
    BatchNormalization.Parameters gradients = each(draft.tensors()::gradients);
    TapeKernel kernel = normalization.backward(x, errors, gradients, errors);
    List<Tensor> reads = new ArrayList<>(all(each(draft.tensors()::parameters)));
    reads.addAll(List.of(x, errors));
    List<Tensor> writes = new ArrayList<>(all(gradients));
    writes.add(errors);
    draft.step(Phase.BACKWARD, layer.name(), "normalization", kernel, reads, writes);
    return List.of(errors);
  }

  private BatchNormalization.Parameters each(Function<String, Tensor> by) {
    String name = layer.name() + ".";
    return new BatchNormalization.Parameters(
        by.apply(name + ParameterArrays.SCALE),
        by.apply(name + ParameterArrays.SHIFT),
        by.apply(name + ParameterArrays.RUNNING_MEAN),
        by.apply(name + layer.spread()));
  }

  private static List<Tensor> all(BatchNormalization.Parameters parameters) {
    return List.of(
        parameters.scale(),
        parameters.shift(),
        parameters.runningMean(),
        parameters.runningSpread());
  }
}
