package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkTensors;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.KernelRefusedException;
import io.idlalayer.modelcontroller.engine.kernel.array.CopyColumns;
import io.idlalayer.modelcontroller.engine.kernel.array.ElementWise;
import io.idlalayer.modelcontroller.engine.kernel.array.Fill;
import io.idlalayer.modelcontroller.engine.kernel.array.Scale;
import io.idlalayer.modelcontroller.engine.kernel.layer.LossErrors;
import io.idlalayer.modelcontroller.engine.kernel.layer.Softmax;
import io.idlalayer.modelcontroller.engine.kernel.update.Progress;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the tapes with which a network is trained and predicts, for a fixed number of rows. */
public final class TapeWriter {
  private final NetworkPlan plan;
  private final TapeDraft draft;
  private final Map<String, LayerWriter> writers = new LinkedHashMap<>();

  /** The tensor of outputs of the forward pass, for each layer. */
  private final Map<String, Tensor> values = new HashMap<>();

  /** The sum so far of the gradients of the loss with respect to the outputs, for each layer. */
  private final Map<String, Tensor> errors = new HashMap<>();

  private TapeWriter(NetworkPlan plan, TapeDraft draft) {
    this.plan = plan;
    this.draft = draft;
  }

  /**
   * A tape that predicts, with the tensors of its features and of its predictions.
   *
   * @param features features of the rows; shape [rows, inputs]
   * @param outputs predictions; shape [rows, outputs]
   */
  public record Inference(Tape tape, Tensor features, Tensor outputs) {}

  /**
   * A tape that trains: the forward pass, and then the backward pass, with the updates of
   * parameters between its steps.
   *
   * @param features features of the rows; shape [rows, inputs]
   * @param labels labels of the rows; shape [rows, outputs]
   * @param inputErrors gradient of the sum of the rows' losses with respect to the features from
   *     {@link NetworkPlan#errorsFrom} on; shape [rows, {@link NetworkPlan#errors}]. Null if the
   *     gradient is not needed
   * @param loss the kernel that holds the loss of the last run
   */
  public record Training(
      Tape tape, Tensor features, Tensor labels, @Nullable Tensor inputErrors, LossErrors loss) {
    /** Returns the tensors that the caller writes before it runs the tape. */
    public List<Tensor> inputs() {
      return List.of(features, labels);
    }
  }

  /**
   * Returns a tape that predicts.
   *
   * @throws KernelRefusedException if the library cannot create kernels of a layer; the message
   *     names the layer
   */
  public static Inference inference(
      NetworkPlan plan, NetworkTensors tensors, KernelLibrary kernels, int rows) {
    try (TapeDraft draft = new TapeDraft(tensors, kernels, null, rows)) {
      TapeWriter writer = new TapeWriter(plan, draft);
      Tensor features = writer.features();
      Tensor outputs = writer.forward(features);
      writer.activate(outputs);
      return new Inference(draft.tape(), features, outputs);
    }
  }

  /**
   * Returns a tape that trains.
   *
   * @throws KernelRefusedException if the library cannot create kernels of a layer; the message
   *     names the layer
   */
  public static Training training(
      NetworkPlan plan,
      NetworkTensors tensors,
      KernelLibrary kernels,
      Progress progress,
      int rows) {
    try (TapeDraft draft = new TapeDraft(tensors, kernels, progress, rows)) {
      TapeWriter writer = new TapeWriter(plan, draft);
      Tensor features = writer.features();
      Tensor outputs = writer.forward(features);
      Tensor labels = new Tensor("labels", Tensor.Kind.INPUT, outputs.length());
      LossErrors loss = writer.loss(outputs, labels);
      writer.backward(outputs);
      Tensor inputErrors = plan.errors() == 0 ? null : writer.inputErrors();
      new UpdateWriter(plan, draft).write();
      Tape tape = draft.tape(inputErrors == null ? List.of() : List.of(inputErrors));
      return new Training(tape, features, labels, inputErrors, loss);
    }
  }

  private Tensor features() {
    Tensor features = new Tensor("features", Tensor.Kind.INPUT, draft.length(plan.inputs()));
    draft.wantErrors(features, plan.errorsFrom());
    return features;
  }

  /** Writes the forward pass and returns the outputs of the last layer, before its activation. */
  private Tensor forward(Tensor features) {
    values.put(NetworkPlan.INPUT, features);
    Tensor last = features;
    for (NetworkPlan.Node node : plan.nodes()) {
      LayerWriter writer = writer(node);
      writers.put(node.layer().name(), writer);
      List<Tensor> sources = node.sources().stream().map(values::get).toList();
      try {
        last = writer.forward(sources);
      } catch (KernelRefusedException refused) {
        throw refused.in("forward pass", node.layer().name());
      }
      values.put(node.layer().name(), last);
    }
    return last;
  }

  private LayerWriter writer(NetworkPlan.Node node) {
    LayerPlan layer = node.layer();
    if (layer instanceof LayerPlan.Dense dense) {
      return ProductWriter.of(draft, dense);
    } else if (layer instanceof LayerPlan.Output output) {
      return ProductWriter.of(draft, output);
    } else if (layer instanceof LayerPlan.Convolved convolved) {
      return new ConvolutionWriter(draft, convolved);
    } else if (layer instanceof LayerPlan.Pooled pooled) {
      return new PoolingWriter(draft, pooled);
    } else if (layer instanceof LayerPlan.Normalized normalized) {
      return new NormalizationWriter(draft, normalized);
    } else if (layer instanceof LayerPlan.LayerNormalized normalized) {
      return new LayerNormalizationWriter(draft, normalized);
    } else if (layer instanceof LayerPlan.ParametricRelu rectified) {
      return new ParametricReluWriter(draft, rectified);
    } else if (layer instanceof LayerPlan.Activated activated) {
      return ActivationWriter.of(draft, activated, replaceable(node.sources().get(0)));
    } else if (layer instanceof LayerPlan.LossOnly loss) {
      return ActivationWriter.of(draft, loss, replaceable(node.sources().get(0)));
    } else if (layer instanceof LayerPlan.Dropped dropped) {
      return new DropoutWriter(draft, dropped);
    } else if (layer instanceof LayerPlan.Recurrent recurrent) {
      return new RecurrentWriter(draft, recurrent);
    } else if (layer instanceof LayerPlan.LastStep last) {
      return new LastStepWriter(draft, last);
    } else if (layer instanceof LayerPlan.Combined combined) {
      return new CombinationWriter(draft, combined);
    } else if (layer instanceof LayerPlan.Merged merged) {
      return new MergeWriter(draft, merged);
    } else if (layer instanceof LayerPlan.Part part) {
      return new PartWriter(draft, part);
    } else if (layer instanceof LayerPlan.Dots dots) {
      return new DotsWriter(draft, dots);
    }
    throw new IllegalStateException("unknown layer " + layer);
  }

  /** Returns whether the next layer is allowed to overwrite the output of this layer. */
  private boolean replaceable(String source) {
    LayerWriter writer = writers.get(source);
    long users =
        plan.nodes().stream()
            .flatMap(node -> node.sources().stream())
            .filter(source::equals)
            .count();
    return writer != null && !writer.readsOutputs() && users == 1;
  }

  private void activate(Tensor outputs) {
    LayerPlan.Last last = plan.output();
    if (last.softmax()) {
      TapeKernel kernel = new Softmax(outputs, last.outputs());
      draft.step(Phase.FORWARD, last.name(), "softmax", kernel, List.of(outputs), List.of(outputs));
    } else {
      try {
        draft.activate(last.name(), last.activation(), outputs);
      } catch (KernelRefusedException refused) {
        throw refused.in("activation", last.name());
      }
    }
  }

  /** Writes the kernel that replaces the outputs of the network by the gradient of the loss. */
  private LossErrors loss(Tensor outputs, Tensor labels) {
    LayerPlan.Last last = plan.output();
    LossErrors kernel = new LossErrors(last.loss(), outputs, labels, last.outputs());
    List<Tensor> reads = List.of(outputs, labels);
    draft.step(Phase.FORWARD, last.name(), "loss", kernel, reads, List.of(outputs));
    return kernel;
  }

  private void backward(Tensor lossErrors) {
    errors.put(plan.output().name(), lossErrors);
    List<NetworkPlan.Node> lastFirst = new ArrayList<>(plan.nodes());
    Collections.reverse(lastFirst);
    for (NetworkPlan.Node node : lastFirst) {
      String name = node.layer().name();
      LayerWriter writer = TapeDraft.written(writers.get(name), name);
      if (!wantsErrors(name)) {
        errors.remove(name);
        continue;
      }
      Tensor own = TapeDraft.written(errors.remove(name), name);
      if (writer instanceof PartWriter part) {
        String source = node.sources().get(0);
        if (wantsErrors(source)) {
          errors.put(source, part.backward(own, errors.get(source)));
        }
        continue;
      }
      List<@Nullable Tensor> before;
      try {
        before = writer.backward(own);
      } catch (KernelRefusedException refused) {
        throw refused.in("backward pass", name);
      }
      for (int i = 0; i < before.size(); i++) {
        Tensor given = before.get(i);
        String source = node.sources().get(i);
        if (given != null && wantsErrors(source)) {
          // Several sources can get the same tensor. It must not change until the last source has
          // it.
          add(name, source, given, !before.subList(i + 1, before.size()).contains(given));
        }
      }
    }
  }

  private boolean wantsErrors(String layer) {
    return draft.wantsErrors(TapeDraft.written(values.get(layer), layer));
  }

  /**
   * Returns the gradient of the features' last columns. Call it after the errors of all layers are
   * written.
   */
  private Tensor inputErrors() {
    Tensor all = errors.get(NetworkPlan.INPUT);
    if (all != null && plan.errorsFrom() == 0) {
      return all;
    }
    int count = plan.errors();
    Tensor wanted = new Tensor("features.errors", Tensor.Kind.ERRORS, draft.length(count));
    List<Tensor> reads = all == null ? List.of() : List.of(all);
    TapeKernel kernel =
        all == null
            ? new Fill(wanted, 0)
            : new CopyColumns(
                new CopyColumns.Columns(all, plan.inputs(), plan.errorsFrom()),
                new CopyColumns.Columns(wanted, count, 0),
                count);
    draft.step(Phase.BACKWARD, NetworkPlan.INPUT, "errors", kernel, reads, List.of(wanted));
    return wanted;
  }

  /**
   * Adds the errors that a layer passes to one of its sources to the sum of that source's errors.
   *
   * @param last whether no other source gets this tensor
   */
  private void add(String layer, String source, Tensor given, boolean last) {
    Tensor sum = errors.get(source);
    if (sum != null) {
      TapeKernel kernel = new ElementWise(ElementWise.Operation.ADD, sum, given, sum);
      draft.step(Phase.BACKWARD, layer, "sum", kernel, List.of(sum, given), List.of(sum));
    } else if (last) {
      errors.put(source, given);
    } else {
      Tensor copy = TapeDraft.errorsOf(given, layer);
      TapeKernel kernel = new Scale(given, copy, 1);
      draft.step(Phase.BACKWARD, layer, "copy", kernel, List.of(given), List.of(copy));
      errors.put(source, copy);
    }
  }
}
