package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.ParameterArrays;
import io.idlalayer.modelcontroller.engine.kernel.update.GradientLimit;
import io.idlalayer.modelcontroller.engine.kernel.update.Penalty;
import io.idlalayer.modelcontroller.engine.kernel.update.UpdaterStep;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Assigns positions to the parameters and the updater state of a network, as Deeplearning4j does.
 * Consecutive arrays with equal updaters form a block. The state of a block has the first state
 * array of each of its parameters, then the second state array of each.
 */
final class ParameterReader {
  private static final long MOST = Integer.MAX_VALUE;

  private final List<NetworkPlan.Parameters> parameters = new ArrayList<>();
  private final List<NetworkPlan.Limit> limits = new ArrayList<>();

  /** The arrays of the last block, which is not complete yet. */
  private final List<Placed> block = new ArrayList<>();

  private @Nullable UpdaterStep blockRule;
  private long blockFrom;
  private long stateFrom;

  /**
   * An array that already has a position among the parameters. The position of its updater state is
   * not known yet.
   */
  private record Placed(
      String name, long from, long length, UpdaterStep rule, Penalty penalty, boolean averaged) {}

  /** Adds the arrays of a layer after the arrays of the layers before it. */
  void add(LayerPlan plan, Settings layer) throws UncompilableException {
    for (ParameterArrays.Array array : ParameterArrays.of(plan)) {
      String name = plan.name() + "." + array.name();
      add(
          new Placed(
              name,
              length(),
              array.length(),
              rule(layer, array.role()),
              penalty(name, layer, array.role()),
              array.role() != ParameterArrays.Role.STATISTICS));
    }
    // Deeplearning4j sums squares in this order, on which the last bits of a norm depend.
    List<String> names =
        ParameterArrays.names(plan).stream().map(name -> plan.name() + "." + name).toList();
    if (!names.isEmpty()) {
      limit(layer, names);
    }
  }

  private long length() {
    if (block.isEmpty()) {
      return blockFrom;
    }
    Placed last = block.get(block.size() - 1);
    return last.from() + last.length();
  }

  private void add(Placed array) throws UncompilableException {
    if (array.from() + array.length() > MOST) {
      throw new UncompilableException(
          "the network has more than %,d parameters, up to %s".formatted(MOST, array.name()));
    }
    if (!array.rule().equals(blockRule)) {
      end();
      blockRule = array.rule();
    }
    block.add(array);
  }

  private void end() throws UncompilableException {
    long blockLength = length() - blockFrom;
    for (Placed each : block) {
      List<Integer> states = new ArrayList<>();
      for (int state = 0; state < each.rule().states(); state++) {
        long from = stateFrom + state * blockLength + (each.from() - blockFrom);
        if (from + each.length() > MOST) {
          throw new UncompilableException(
              "the updater has more than %,d numbers of state, up to %s"
                  .formatted(MOST, each.name()));
        }
        states.add((int) from);
      }
      parameters.add(
          new NetworkPlan.Parameters(
              each.name(),
              (int) each.from(),
              (int) each.length(),
              each.rule(),
              each.penalty(),
              states,
              each.averaged()));
    }
    if (blockRule != null) {
      stateFrom += blockRule.states() * blockLength;
    }
    blockFrom += blockLength;
    block.clear();
  }

  private static UpdaterStep rule(Settings layer, ParameterArrays.Role role)
      throws UncompilableException {
    if (role == ParameterArrays.Role.STATISTICS) {
      return new UpdaterStep.None();
    }
    Settings ofBias =
        role == ParameterArrays.Role.BIAS ? layer.part("the updater", "biasUpdater") : null;
    return UpdaterReader.rule(ofBias == null ? layer.required("the updater", "iupdater") : ofBias);
  }

  private static Penalty penalty(String name, Settings layer, ParameterArrays.Role role)
      throws UncompilableException {
    return switch (role) {
      case WEIGHTS -> {
        checkNoFormer(layer, "regularization", List.of("l1", "l2"));
        yield UpdaterReader.penalty(name, layer.parts("the penalty", "regularization"));
      }
      case BIAS -> {
        checkNoFormer(layer, "regularizationBias", List.of("l1Bias", "l2Bias"));
        yield UpdaterReader.penalty(name, layer.parts("the penalty", "regularizationBias"));
      }
      case NORMALIZATION, STATISTICS -> Penalty.NONE;
    };
  }

  /**
   * Refuses penalties in the form of earlier versions of Deeplearning4j. Deeplearning4j still reads
   * this form.
   */
  private static void checkNoFormer(Settings layer, String now, List<String> former)
      throws UncompilableException {
    for (String each : former) {
      double value = layer.number(each, 0);
      if (value != 0 && !Double.isNaN(value)) {
        String type = each.startsWith("l1") ? "L1" : "L2";
        throw new UncompilableException(
            "%s has '%s', a setting of former versions of Deeplearning4j; write '%s' with an %sRegularization of the FixedSchedule %s in its place"
                .formatted(layer.owner(), each, now, type, value));
      }
    }
  }

  private void limit(Settings layer, List<String> names) throws UncompilableException {
    String mode = layer.text("gradientNormalization", "None");
    double threshold = layer.number("gradientNormalizationThreshold", 1);
    List<List<String>> each = names.stream().map(List::of).toList();
    switch (mode) {
      case "None" -> {}
      case "RenormalizeL2PerLayer" ->
          limit(GradientLimit.Mode.NORMALIZE, threshold, List.of(names));
      case "RenormalizeL2PerParamType" -> limit(GradientLimit.Mode.NORMALIZE, threshold, each);
      case "ClipElementWiseAbsoluteValue" ->
          limit(GradientLimit.Mode.CLIP_VALUES, threshold, List.of(names));
      case "ClipL2PerLayer" -> limit(GradientLimit.Mode.CLIP_NORM, threshold, List.of(names));
      case "ClipL2PerParamType" -> limit(GradientLimit.Mode.CLIP_NORM, threshold, each);
      default ->
          throw new UncompilableException(
              "the gradient normalization %s of %s is not known".formatted(mode, layer.owner()));
    }
  }

  private void limit(GradientLimit.Mode mode, double threshold, List<List<String>> groups) {
    groups.forEach(group -> limits.add(new NetworkPlan.Limit(mode, threshold, group)));
  }

  /**
   * Returns the plan of a network whose layers have all been added.
   *
   * @param inputs number of input values of one row
   * @param errorsFrom index of the first input value for which a training returns errors
   */
  NetworkPlan plan(int inputs, int errorsFrom, List<NetworkPlan.Node> nodes)
      throws UncompilableException {
    end();
    if (stateFrom > MOST) {
      throw new UncompilableException(
          "the updater has more than %,d numbers of state".formatted(MOST));
    }
    return new NetworkPlan(inputs, errorsFrom, nodes, parameters, limits, (int) stateFrom);
  }
}
