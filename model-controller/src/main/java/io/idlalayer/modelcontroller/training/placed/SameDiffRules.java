package io.idlalayer.modelcontroller.training.placed;

import java.util.List;
import org.nd4j.autodiff.functions.DifferentialFunction;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.TrainingConfig;
import org.nd4j.autodiff.samediff.VariableType;
import org.nd4j.autodiff.samediff.internal.SameDiffOp;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ops.custom.Invoke;
import org.nd4j.linalg.api.ops.impl.controlflow.compat.BaseCompatOp;
import org.nd4j.linalg.api.ops.impl.layers.ExternalErrorsFunction;
import org.nd4j.linalg.api.ops.impl.shape.CreateView;
import org.nd4j.linalg.api.ops.impl.shape.tensorops.BaseTensorOp;
import org.nd4j.linalg.api.ops.impl.transforms.custom.Assign;

/** Which SameDiff graphs can train in a placed memory. */
final class SameDiffRules {
  /** Run their operations by another path than the session that is placed, or in frames. */
  private static final List<Class<?>> CONTROL_FLOW =
      List.of(BaseCompatOp.class, BaseTensorOp.class, Invoke.class);

  /** Give an input back as an output, or part of it, so that it is not known what is dead. */
  private static final List<Class<?>> ALIASES = List.of(Assign.class, CreateView.class);

  private SameDiffRules() {}

  /**
   * @throws UnsupportedNetworkException if a graph's settings do not allow it
   */
  static void check(SameDiff graph) {
    TrainingConfig config = graph.getTrainingConfig();
    refuse(config == null, "it has no training configuration");
    refuse(!graph.getListeners().isEmpty(), "it has listeners");
    refuse(graph.isEagerMode(), "it is in eager mode");
    refuse(
        config != null
            && config.getTrainEvaluations() != null
            && !config.getTrainEvaluations().isEmpty(),
        "it evaluates while it trains");
    checkParts(graph);
  }

  /**
   * @throws UnsupportedNetworkException if a graph, or its gradients' function, has something that
   *     cannot be placed
   */
  static void checkParts(SameDiff graph) {
    for (SameDiffOp op : graph.getOps().values()) {
      check(op);
    }
    for (SDVariable variable : graph.variables()) {
      check(variable);
    }
  }

  private static void check(SameDiffOp op) {
    DifferentialFunction function = op.getOp();
    String what = "operation " + op.getName() + " of type " + function.getClass().getSimpleName();
    for (Class<?> type : CONTROL_FLOW) {
      refuse(type.isInstance(function), what + " is control flow");
    }
    for (Class<?> type : ALIASES) {
      refuse(type.isInstance(function), what + " gives an input back, or a part of it");
    }
    refuse(function instanceof ExternalErrorsFunction, what + " takes errors from outside");
  }

  private static void check(SDVariable variable) {
    DataType type = variable.dataType();
    String what = "variable %s is of type %s".formatted(variable.name(), type);
    refuse(variable.getVariableType() == VariableType.SEQUENCE, what + " and a sequence");
    boolean trained = variable.getVariableType() == VariableType.VARIABLE;
    boolean placed = NativeArrays.supports(type);
    boolean besides = type != null && (type.isIntType() || type == DataType.BOOL);
    refuse(
        !placed && (trained || !besides),
        what + "; FLOAT and DOUBLE can be placed, integers and booleans only be read");
  }

  private static void refuse(boolean condition, String why) {
    if (condition) {
      throw new UnsupportedNetworkException("the graph cannot train in a placed memory: " + why);
    }
  }
}
