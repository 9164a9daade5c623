package io.idlalayer.modelcontroller.engine;

import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.middleware.sample.change.UnseenClass;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.InputChange;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Converts the file of a network to other columns of the input and other classes.
 *
 * <p>The layers that take the input lose the weights of removed columns and get weights of 0 for
 * new columns, in the parameters and in each array of the updater's state. The contribution that a
 * removed column had for a missing value is added to the biases. So the network predicts what it
 * predicted before for a row in which the removed columns are missing, whatever the values of the
 * new columns are.
 *
 * <p>The layers whose outputs are the classes lose the outputs of removed classes. A new class gets
 * the mean of the weights and biases of the classes that stay. Its bias is then lowered so far that
 * its probability is at most that of an {@link UnseenClass}. With a softmax this bound holds for
 * every row, because the mean of some numbers is at most the logarithm of the mean of their
 * exponentials. With sigmoids of members the bound holds for each row whose logits are at most 0 on
 * average. All other parameters and the count of iterations stay unchanged.
 */
public final class NetworkChange {
  private static final String WEIGHTS = ".W";
  private static final String BIAS = ".b";

  private final ModelSpec before;
  private final ModelSpec now;
  private final ColumnMap columns;
  private final ColumnMap outputs;
  private final float[] missing;

  /**
   * @param before specification of the networks to convert
   * @param now specification with the same network for another input and other classes
   * @param change what changed
   * @param missing for each column before the change, the value that stands for a missing value
   */
  public NetworkChange(ModelSpec before, ModelSpec now, InputChange change, float[] missing) {
    this.before = before;
    this.now = now;
    columns = change.columns();
    outputs = change.outputs();
    this.missing = missing.clone();
  }

  /**
   * Returns the file of the converted network.
   *
   * @throws MalformedModelException if the file has no network of the specification {@code before}
   */
  public byte[] convert(byte[] file) throws MalformedModelException {
    try {
      StoredNetwork old =
          StoredNetwork.decode(before, NetworkForm.entries(file), before.inputWidth());
      NetworkForm from = old.form();
      NetworkForm to = StoredNetwork.form(now, now.inputWidth());
      NetworkForm.Values values = old.values();
      float[] parameters = new float[to.plan().parameterLength()];
      float[] state = new float[to.plan().stateLength()];
      convert(from.plan(), to.plan(), values, parameters, state);
      return to.encode(
          values.iterations(), NetworkForm.numbers(parameters), NetworkForm.numbers(state));
    } catch (UncompilableException unknown) {
      throw new MalformedModelException("model.zip: " + unknown.getMessage(), unknown);
    } catch (MalformedModelException refused) {
      throw refused;
    } catch (IOException failed) {
      throw new MalformedModelException("model.zip: " + failed.getMessage(), failed);
    }
  }

  private void convert(
      NetworkPlan from,
      NetworkPlan to,
      NetworkForm.Values values,
      float[] parameters,
      float[] state)
      throws MalformedModelException {
    LayerMaps maps = new LayerMaps(from, to, columns, outputs);
    Map<String, NetworkPlan.Parameters> known = new HashMap<>();
    from.parameters().forEach(each -> known.put(each.name(), each));
    Map<String, NetworkPlan.Parameters> targets = new HashMap<>();
    to.parameters().forEach(each -> targets.put(each.name(), each));
    for (NetworkPlan.Parameters target : to.parameters()) {
      NetworkPlan.Parameters source = known.get(target.name());
      if (source == null || source.stateFrom().size() != target.stateFrom().size()) {
        throw new MalformedModelException("model.zip: it has no parameters " + target.name());
      }
      Block block = block(maps, source, target);
      block.copy(values.parameters(), source.from(), parameters, target.from());
      for (int i = 0; i < target.stateFrom().size(); i++) {
        block.copy(values.state(), source.stateFrom().get(i), state, target.stateFrom().get(i));
      }
    }
    for (NetworkPlan.Parameters weights : to.parameters()) {
      String layer = layerOf(weights);
      NetworkPlan.Parameters bias = targets.get(layer + BIAS);
      NetworkPlan.Parameters source = known.get(weights.name());
      LayerMaps.OfLayer map = maps.of(layer);
      if (!weights.name().endsWith(WEIGHTS) || bias == null || source == null || map == null) {
        continue;
      }
      moveIntoBias(map, values.parameters(), source, parameters, bias);
      beginClasses(map, parameters, weights, bias);
    }
  }

  /** Adds to a bias the contribution that the removed columns had for missing values. */
  private void moveIntoBias(
      LayerMaps.OfLayer map,
      float[] old,
      NetworkPlan.Parameters weights,
      float[] parameters,
      NetworkPlan.Parameters bias) {
    int width = map.inputs().before();
    for (int row : map.inputs().removed()) {
      int column = map.inputColumn(row);
      float value = column < 0 ? 0 : missing[column];
      for (int output = 0; output < map.outputs().after() && value != 0; output++) {
        int source = map.outputs().source(output);
        if (source != ColumnMap.ADDED) {
          parameters[bias.from() + output] += value * old[weights.from() + source * width + row];
        }
      }
    }
  }

  /** Gives new classes the mean of the weights of the others, and a bias below their mean. */
  private void beginClasses(
      LayerMaps.OfLayer map,
      float[] parameters,
      NetworkPlan.Parameters weights,
      NetworkPlan.Parameters bias) {
    int width = map.inputs().after();
    for (int output = 0; output < map.outputs().after(); output++) {
      if (map.outputs().source(output) == ColumnMap.ADDED) {
        for (int row = 0; row < width; row++) {
          parameters[weights.from() + output * width + row] =
              mean(map.outputs(), parameters, weights.from() + row, width);
        }
        parameters[bias.from() + output] =
            mean(map.outputs(), parameters, bias.from(), 1) + distance(map.outputs());
      }
    }
  }

  /** Returns the mean of the values of the classes that stay. */
  private static float mean(ColumnMap classes, float[] values, int from, int stride) {
    double sum = 0;
    int count = 0;
    for (int output = 0; output < classes.after(); output++) {
      if (classes.source(output) != ColumnMap.ADDED) {
        sum += values[from + output * stride];
        count++;
      }
    }
    return (float) (sum / count);
  }

  /**
   * Returns the difference between the bias of a new class and the mean bias of the other classes;
   * below 0.
   */
  private float distance(ColumnMap classes) {
    double unseen = UnseenClass.probability(classes.after());
    int stay = classes.before() - classes.removed().length;
    return (float) Math.log(before.members() > 1 ? unseen / 2 : stay * unseen);
  }

  /** Returns how the numbers of an array are copied. */
  private static Block block(
      LayerMaps maps, NetworkPlan.Parameters source, NetworkPlan.Parameters target)
      throws MalformedModelException {
    LayerMaps.OfLayer map = maps.of(layerOf(target));
    Block block = new Block(ColumnMap.unchanged(target.length()), ColumnMap.unchanged(1));
    if (map != null && target.name().endsWith(WEIGHTS)) {
      block = new Block(map.inputs(), map.outputs());
    } else if (map != null && target.name().endsWith(BIAS)) {
      block = new Block(ColumnMap.unchanged(1), map.outputs());
    }
    if (source.length() != block.before() || target.length() != block.after()) {
      throw new MalformedModelException(
          "model.zip: %s has %d numbers where %d are expected"
              .formatted(target.name(), source.length(), block.before()));
    }
    return block;
  }

  private static String layerOf(NetworkPlan.Parameters parameters) {
    return parameters.name().substring(0, parameters.name().lastIndexOf('.'));
  }

  /**
   * The copy of an array whose rows and columns change; columns are stored one after the other.
   *
   * @param rows for each new row, the old row
   * @param columns for each new column, the old column
   */
  private record Block(ColumnMap rows, ColumnMap columns) {
    int before() {
      return rows.before() * columns.before();
    }

    int after() {
      return rows.after() * columns.after();
    }

    void copy(float[] values, int from, float[] into, int to) {
      for (int column = 0; column < columns.after(); column++) {
        int old = columns.source(column);
        for (int row = 0; row < rows.after() && old != ColumnMap.ADDED; row++) {
          int source = rows.source(row);
          if (source != ColumnMap.ADDED) {
            into[to + column * rows.after() + row] = values[from + old * rows.before() + source];
          }
        }
      }
    }
  }
}
