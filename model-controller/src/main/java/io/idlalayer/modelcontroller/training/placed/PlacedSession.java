package io.idlalayer.modelcontroller.training.placed;

import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nd4j.autodiff.functions.DifferentialFunction;
import org.nd4j.autodiff.listeners.At;
import org.nd4j.autodiff.listeners.Listener;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.VariableType;
import org.nd4j.autodiff.samediff.config.ExecutionResult;
import org.nd4j.autodiff.samediff.config.SDValue;
import org.nd4j.autodiff.samediff.internal.FrameIter;
import org.nd4j.autodiff.samediff.internal.SameDiffOp;
import org.nd4j.autodiff.samediff.internal.TrainingSession;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataBuffer;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.OpContext;
import org.nd4j.linalg.dataset.api.MultiDataSet;
import org.nd4j.linalg.learning.GradientUpdater;

/**
 * SameDiff's training session, with a kernel around each operation and one around the updates that
 * its outputs cause. The session decides what runs when, and when an array is dead, as in plain
 * training. It is not used again after a failure.
 */
final class PlacedSession extends TrainingSession {
  private final Tensors tensors;
  private final SessionArrays arrays;
  private final Map<String, PlacedVariable> variables;
  private final Set<DataBuffer> retired = Collections.newSetFromMap(new IdentityHashMap<>());
  private @Nullable ExecutionResult computed;
  private Set<Tensor> created = Set.of();
  private @Nullable InterruptedException interrupt;

  /**
   * @param gradients the function that computes the gradients
   * @param variables by name
   */
  PlacedSession(SameDiff gradients, Tensors tensors, Map<String, PlacedVariable> variables) {
    super(gradients);
    this.tensors = tensors;
    this.variables = variables;
    arrays = new SessionArrays(tensors);
    setMmgr(arrays);
  }

  /** Trains with one mini-batch. Tensors of the step may be left. */
  @SuppressWarnings("rawtypes") // As the session's method has it.
  void train(SameDiff graph, Map<String, INDArray> given, At at) throws InterruptedException {
    Map<String, GradientUpdater> updaters = new HashMap<>();
    variables.forEach((name, variable) -> updaters.put(name, variable.updater()));
    retired.clear();
    try {
      Map<String, INDArray> inputs = new HashMap<>();
      for (Map.Entry<String, INDArray> each : given.entrySet()) {
        inputs.put(each.getKey(), input(each.getKey(), each.getValue()));
      }
      trainingIteration(
          graph.getTrainingConfig(),
          inputs,
          variables.keySet(),
          updaters,
          null,
          graph.getLossVariables(),
          List.of(),
          at);
    } catch (RuntimeException e) {
      throw unwrapped(e);
    } finally {
      nodeValueOutputs.clear();
      freedArrays.clear();
    }
  }

  private RuntimeException unwrapped(RuntimeException failure) throws InterruptedException {
    InterruptedException by = interrupt;
    if (by != null) {
      throw by;
    }
    return failure;
  }

  private INDArray input(String name, INDArray array) throws InterruptedException {
    INDArray cast = array.castTo(sameDiff.getVariable(name).dataType());
    if (!NativeArrays.supports(cast.dataType()) || cast.isEmpty()) {
      return cast;
    }
    List<Tensor> made =
        tensors.run(
            new Tensors.Call("input " + name, List.of(), List.of()),
            () ->
                tensors
                    .create(
                        name,
                        TensorKind.INPUT,
                        Tensors.Layout.of(cast.dataType(), cast.shape(), cast.ordering()))
                    .array
                    .assign(cast));
    tensors.afterKernel(List.of());
    return made.get(0).array;
  }

  /**
   * Allocates the outputs and computes them: both belong in the kernel, and the session asks for
   * them one after the other.
   */
  @Override
  public Pair<SameDiffOp, OpContext> getAndParameterizeOp(
      String name,
      FrameIter frame,
      Set<VarId> inputs,
      Set<VarId> iterated,
      Set<String> constants,
      Map<String, INDArray> placeholders,
      Set<String> required,
      Map<String, SDValue> others) {
    List<Pair<SameDiffOp, OpContext>> pair = new ArrayList<>(1);
    Tensors.Call call =
        new Tensors.Call(name, reads(name, inputs, iterated, placeholders), List.of());
    List<Tensor> made =
        run(
            call,
            () -> {
              Pair<SameDiffOp, OpContext> ready =
                  super.getAndParameterizeOp(
                      name, frame, inputs, iterated, constants, placeholders, required, others);
              pair.add(ready);
              computed =
                  super.doExec(
                      ready.getFirst().getOp(),
                      ready.getSecond(),
                      frame,
                      inputs,
                      iterated,
                      constants,
                      others);
            });
    created = new LinkedHashSet<>(made);
    return pair.get(0);
  }

  private List<Tensor> run(Tensors.Call call, Tensors.Body body) {
    try {
      return tensors.run(call, body);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** The session's methods declare no interrupt; {@link #train} throws it again. */
  private IllegalStateException interrupted(InterruptedException by) {
    interrupt = by;
    return new IllegalStateException("interrupted", by);
  }

  private Set<Tensor> reads(
      String name, Set<VarId> inputs, Set<VarId> iterated, Map<String, INDArray> placeholders) {
    Set<Tensor> reads = new LinkedHashSet<>();
    String[] arguments = Objects.requireNonNull(sameDiff.getOps().get(name)).getOp().argNames();
    if (arguments == null) {
      return reads;
    }
    for (String argument : arguments) {
      Tensor tensor = tensor(argument(argument, inputs, iterated, placeholders), name, argument);
      if (tensor != null) {
        reads.add(tensor);
      }
    }
    return reads;
  }

  private @Nullable INDArray argument(
      String name, Set<VarId> inputs, Set<VarId> iterated, Map<String, INDArray> placeholders) {
    SDVariable variable = sameDiff.getVariable(name);
    if (variable.isConstant() || variable.getVariableType() == VariableType.VARIABLE) {
      return sameDiff.getArrForVarName(name);
    }
    if (variable.isPlaceHolder()) {
      return placeholders.get(name);
    }
    return getSdValue(lookup(name, inputs, iterated, true)).getTensorValue();
  }

  private @Nullable Tensor tensor(@Nullable INDArray array, String operation, String argument) {
    Tensor tensor = tensors.of(array);
    if (tensor == null
        && array != null
        && !array.isEmpty()
        && retired.contains(NativeArrays.root(array))) {
      throw new IllegalStateException(
          "operation %s reads %s, which was released".formatted(operation, argument));
    }
    return tensor;
  }

  /** It has run already. */
  @Override
  public ExecutionResult doExec(
      DifferentialFunction function,
      OpContext context,
      FrameIter frame,
      Set<VarId> inputs,
      Set<VarId> iterated,
      Set<String> constants,
      Map<String, SDValue> others) {
    ExecutionResult result = computed;
    computed = null;
    if (result == null) {
      throw new IllegalStateException("operation " + function.getOwnName() + " was not prepared");
    }
    return result;
  }

  /** Updates the variables whose gradients an operation has computed; gives up what is dead. */
  @Override
  public ExecutionResult getOutputs(
      Pair<SameDiffOp, OpContext> operation,
      FrameIter frame,
      Set<VarId> inputs,
      Set<VarId> iterated,
      Set<String> constants,
      List<Listener> listeners,
      At at,
      MultiDataSet batch,
      Set<String> required,
      Map<String, SDValue> others) {
    SameDiffOp op = operation.getFirst();
    List<ExecutionResult> result = new ArrayList<>(1);
    Tensors.Body rest =
        () ->
            result.add(
                super.getOutputs(
                    operation, frame, inputs, iterated, constants, listeners, at, batch, required,
                    others));
    Update update = update(op);
    if (update.arguments().isEmpty()) {
      rest.run();
    } else {
      afterKernel(List.of());
      run(new Tensors.Call("update " + op.getName(), update.arguments(), update.arguments()), rest);
      tensors.softEvict(update.kept());
    }
    Set<Tensor> dead = arrays.takeReleased();
    dead.addAll(update.dead());
    afterKernel(dead);
    return result.get(0);
  }

  /**
   * What an operation's outputs cause.
   *
   * @param arguments all tensors that are read and changed
   * @param kept those of them that last
   * @param dead those of them that are not read any more
   */
  private record Update(Set<Tensor> arguments, Set<Tensor> kept, Set<Tensor> dead) {}

  private Update update(SameDiffOp op) {
    Update update = new Update(new LinkedHashSet<>(), new LinkedHashSet<>(), new LinkedHashSet<>());
    ExecutionResult result = computed;
    List<String> outputs = op.getOutputsOfOp();
    for (int i = 0; result != null && i < outputs.size(); i++) {
      PlacedVariable variable = variables.get(gradVarToVarMap.getOrDefault(outputs.get(i), ""));
      if (variable == null) {
        continue;
      }
      update.kept().addAll(variable.tensors());
      Tensor gradient = tensor(result.resultOrValueAt(i, false), op.getName(), outputs.get(i));
      if (gradient != null) {
        update.arguments().add(gradient);
        List<String> readers =
            Objects.requireNonNull(sameDiff.getVariables().get(outputs.get(i))).getInputsForOp();
        if (created.contains(gradient) && (readers == null || readers.isEmpty())) {
          update.dead().add(gradient);
        }
      }
    }
    update.arguments().addAll(update.kept());
    return update;
  }

  private void afterKernel(Collection<Tensor> dead) {
    for (Tensor tensor : dead) {
      retired.add(NativeArrays.root(tensor.array));
    }
    try {
      tensors.afterKernel(dead);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }
}
