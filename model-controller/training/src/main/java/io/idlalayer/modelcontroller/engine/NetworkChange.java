package io.idlalayer.modelcontroller.engine;

import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.modelcontroller.engine.compile.LibraryNetwork;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan.Node;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts the file of a network to an input with other columns. The layers that take the input
 * lose the weights of columns that are gone and get weights of 0 for those that are new, in the
 * parameters and in each array of the updater's state. What the weights of a column that is gone
 * made of the value that stands for a missing one goes into the biases. So the network predicts
 * what it predicted before for a row of which these columns are missing, whatever the new ones
 * have. All other parameters stay, and so does the count of iterations.
 */
public final class NetworkChange {
  private static final String WEIGHTS = ".W";
  private static final String BIAS = ".b";

  /** The files of changed networks have one seed, so that equal networks give equal bytes. */
  private static final long SEED = 1;

  private final ModelSpec before;
  private final ModelSpec now;
  private final ColumnMap columns;
  private final float[] missing;

  /**
   * @param before specification of the networks to convert
   * @param now specification with the same network for another input
   * @param columns where the columns of the input come from
   * @param missing for each column before the change the value that stands for a missing one
   */
  public NetworkChange(ModelSpec before, ModelSpec now, ColumnMap columns, float[] missing) {
    this.before = before;
    this.now = now;
    this.columns = columns;
    this.missing = missing.clone();
  }

  /**
   * Returns the file of the converted network.
   *
   * @throws MalformedModelException if the file has no network of the specification before
   */
  public byte[] convert(byte[] file) throws MalformedModelException {
    try (ArrayNetwork old = NetworkFactory.decode(before, file);
        ArrayNetwork fresh = NetworkFactory.create(now, SEED)) {
      LibraryNetwork oldRead = LibraryNetwork.of(old);
      NetworkForm from = NetworkForm.of(oldRead, before.inputWidth(), before.inputWidth());
      NetworkForm to = NetworkForm.of(LibraryNetwork.of(fresh), now.inputWidth(), now.inputWidth());
      NetworkForm.Values values = NetworkForm.values(oldRead);
      float[] parameters = new float[to.plan().parameterLength()];
      float[] state = new float[to.plan().stateLength()];
      convert(from.plan(), to.plan(), values, parameters, state);
      return to.encode(values.iterations(), numbers(parameters), numbers(state));
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
    Map<String, NetworkPlan.Parameters> known = new HashMap<>();
    from.parameters().forEach(each -> known.put(each.name(), each));
    for (NetworkPlan.Parameters target : to.parameters()) {
      NetworkPlan.Parameters source = known.get(target.name());
      if (source == null || source.stateFrom().size() != target.stateFrom().size()) {
        throw new MalformedModelException("model.zip: it has no parameters " + target.name());
      }
      Rows rows = rows(from, to, source, target);
      rows.copy(values.parameters(), source.from(), parameters, target.from());
      for (int i = 0; i < target.stateFrom().size(); i++) {
        rows.copy(values.state(), source.stateFrom().get(i), state, target.stateFrom().get(i));
      }
    }
    for (NetworkPlan.Parameters target : to.parameters()) {
      if (target.name().endsWith(WEIGHTS)) {
        moveIntoBias(from, to, values.parameters(), known, target, parameters);
      }
    }
  }

  /** Adds to a bias what the columns that are gone make of missing values. */
  private void moveIntoBias(
      NetworkPlan from,
      NetworkPlan to,
      float[] old,
      Map<String, NetworkPlan.Parameters> known,
      NetworkPlan.Parameters weights,
      float[] parameters) {
    String layer = layerOf(weights);
    Range range = Range.of(from, layer);
    NetworkPlan.Parameters source = known.get(weights.name());
    NetworkPlan.Parameters bias =
        to.parameters().stream()
            .filter(each -> each.name().equals(layer + BIAS))
            .findFirst()
            .orElse(null);
    if (range == null || source == null || bias == null) {
      return;
    }
    for (int column : columns.removed()) {
      int row = column - range.from();
      if (row >= 0 && row < range.width() && missing[column] != 0) {
        for (int output = 0; output < bias.length(); output++) {
          parameters[bias.from() + output] +=
              missing[column] * old[source.from() + output * range.width() + row];
        }
      }
    }
  }

  /** Returns how the numbers of an array are copied. */
  private Rows rows(
      NetworkPlan from,
      NetworkPlan to,
      NetworkPlan.Parameters source,
      NetworkPlan.Parameters target)
      throws MalformedModelException {
    Range old = Range.of(from, layerOf(target));
    Range fresh = Range.of(to, layerOf(target));
    if (target.name().endsWith(WEIGHTS) && old != null && fresh != null) {
      int[] sources = new int[fresh.width()];
      for (int i = 0; i < sources.length; i++) {
        int column = columns.source(fresh.from() + i);
        sources[i] = column == ColumnMap.ADDED ? ColumnMap.ADDED : column - old.from();
      }
      return new Rows(new ColumnMap(old.width(), sources), target.length() / fresh.width());
    }
    if (source.length() != target.length()) {
      throw new MalformedModelException(
          "model.zip: %s has %d numbers where %d are expected"
              .formatted(target.name(), source.length(), target.length()));
    }
    return new Rows(ColumnMap.unchanged(target.length()), 1);
  }

  private static String layerOf(NetworkPlan.Parameters parameters) {
    return parameters.name().substring(0, parameters.name().lastIndexOf('.'));
  }

  /**
   * The copy of an array whose rows change.
   *
   * @param rows where the rows come from
   * @param columns number of columns, which are stored one after the other
   */
  private record Rows(ColumnMap rows, int columns) {
    void copy(float[] values, int from, float[] into, int to) {
      for (int column = 0; column < columns; column++) {
        for (int row = 0; row < rows.after(); row++) {
          int source = rows.source(row);
          if (source != ColumnMap.ADDED) {
            into[to + column * rows.after() + row] = values[from + column * rows.before() + source];
          }
        }
      }
    }
  }

  /** The columns of the network's input that a layer takes. */
  private record Range(int from, int width) {
    /** Returns the columns that a dense layer takes; null if it takes the outputs of others. */
    static @Nullable Range of(NetworkPlan plan, String layer) {
      LayerPlan dense = null;
      String taken = "";
      Map<String, Range> parts = new HashMap<>();
      parts.put(NetworkPlan.INPUT, new Range(0, plan.inputs()));
      for (Node node : plan.nodes()) {
        if (node.layer() instanceof LayerPlan.Part part
            && node.sources().equals(List.of(NetworkPlan.INPUT))) {
          parts.put(part.name(), new Range(part.from(), part.outputs()));
        }
        if (node.layer().name().equals(layer) && node.sources().size() == 1) {
          dense = node.layer();
          taken = node.sources().get(0);
        }
      }
      return dense instanceof LayerPlan.Dense || dense instanceof LayerPlan.Output
          ? parts.get(taken)
          : null;
    }
  }

  private static NetworkForm.Numbers numbers(float[] values) {
    return new NetworkForm.Numbers() {
      @Override
      public long length() {
        return values.length;
      }

      @Override
      public void read(Taker taker) throws IOException {
        if (values.length > 0) {
          taker.take(values, values.length);
        }
      }
    };
  }
}
