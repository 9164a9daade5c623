package io.idlalayer.jobs.settings.network;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Computes the memory of a network in an application file from its widths alone, before the network
 * is created. Each width is bounded, but the products of widths are not.
 */
public final class NetworkSize {
  /**
   * Largest number of bytes of a model's parameters and updater state, which must fit into one Java
   * array.
   */
  private static final double BYTES_MAX = Integer.MAX_VALUE - 8;

  private static final double NUMBERS_MAX = Integer.MAX_VALUE - 8;
  private static final int KERNEL = 25;
  private static final int POOL = 2;

  private final ModelSpec spec;

  /** Widths of the network's layers, from its input to its output; empty if they are not known. */
  private final List<Double> widths = new ArrayList<>();

  private double parameters;

  private NetworkSize(ModelSpec spec) {
    this.spec = spec;
    double input = inputColumns(spec);
    widths.add(input);
    if (spec.network() instanceof ModelSpec.Network.Mlp mlp) {
      perceptrons(input, mlp);
    } else if (spec.network() instanceof ModelSpec.Network.WideAndDeep wide) {
      stack(input - spec.wideColumns(), wide.hidden());
    } else if (spec.network() instanceof ModelSpec.Network.Cnn cnn) {
      convolutions(cnn);
    } else if (spec.network() instanceof ModelSpec.Network.Dlrm dlrm) {
      recommendation(dlrm);
    }
  }

  /**
   * Adds up the members of a network.
   *
   * @param input number of all columns of the input
   */
  private void perceptrons(double input, ModelSpec.Network.Mlp mlp) {
    double context = spec.schema().contextWidth();
    double scaled = input - context - spec.encodedColumns();
    double encoded = input - context - spec.schema().denseWidth();
    for (int member = 0; member < spec.members(); member++) {
      boolean plain = member < spec.plainMembers();
      boolean encodes = member >= spec.plainMembers() - spec.encodedMembers();
      stack(plain ? (encodes ? encoded : scaled) : scaled + context, mlp.hidden());
    }
    widths.add((double) spec.members() * spec.outputWidth());
  }

  /**
   * Returns the number of columns of a network's input. The number can exceed the largest length of
   * an array.
   */
  private static double inputColumns(ModelSpec spec) {
    double columns =
        spec.wideColumns() + (double) spec.encodedColumns() + spec.schema().contextWidth();
    for (SampleSchema.DenseFeature feature : spec.schema().dense()) {
      columns += feature.values();
    }
    for (SampleSchema.CategoricalFeature feature : spec.schema().categorical()) {
      columns += feature.buckets();
    }
    for (ModelSpec.Use use : spec.embeddings().uses()) {
      columns += spec.embeddings().table(use).dim();
    }
    return columns;
  }

  private void stack(double input, List<Integer> hidden) {
    double before = input;
    for (int width : hidden) {
      before = dense(before, width);
    }
    dense(before, spec.outputWidth());
  }

  private double dense(double before, double width) {
    parameters += before * width + width;
    widths.add(width);
    return width;
  }

  private void convolutions(ModelSpec.Network.Cnn cnn) {
    double channels = cnn.channels();
    double height = cnn.height();
    double width = cnn.width();
    for (int filters : cnn.filters()) {
      parameters += KERNEL * channels * filters + filters;
      widths.add(height * width * filters);
      channels = filters;
      height = Math.floor(height / POOL);
      width = Math.floor(width / POOL);
    }
    dense(dense(height * width * channels, cnn.dense()), spec.outputWidth());
  }

  private void recommendation(ModelSpec.Network.Dlrm dlrm) {
    double dim = spec.embeddings().tables().isEmpty() ? 0 : spec.embeddings().tables().get(0).dim();
    double before = spec.schema().denseWidth();
    for (int width : dlrm.bottom()) {
      before = dense(before, width);
    }
    dense(before, dim);
    double vectors = spec.embeddings().uses().size() + 1.0;
    stack(dim + vectors * (vectors - 1) / 2, dlrm.top());
  }

  /**
   * Returns the number of parameters of a network, without rows of tables; NaN if the network is
   * defined by a file.
   */
  public static double parameters(ModelSpec spec) {
    NetworkSize size = new NetworkSize(spec);
    return size.parameters == 0 ? Double.NaN : size.parameters;
  }

  /**
   * Returns the key and the reason why a network is too large to be trained; empty if the network
   * is not too large.
   */
  public static Optional<Excess> excess(ModelSpec spec) {
    NetworkSize size = new NetworkSize(spec);
    double columns = size.widths.get(0);
    if (columns > NUMBERS_MAX) {
      return Optional.of(
          new Excess(
              "type",
              "the input has %,.0f columns; at most %,.0f".formatted(columns, NUMBERS_MAX)));
    }
    int remembered =
        switch (spec.fit().updater()) {
          case ADAM -> 2;
          case NESTEROVS -> 1;
          case SGD -> 0;
        };
    double bytes = Float.BYTES * size.parameters * (1 + remembered);
    if (bytes > BYTES_MAX) {
      return Optional.of(
          new Excess(
              widest(spec),
              "the network has %,.0f parameters, which take %s together with the updater's state; at most %s"
                  .formatted(size.parameters, shown(bytes), shown(BYTES_MAX))));
    }
    double widest = size.widths.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    double batch = widest * spec.fit().miniBatch();
    if (batch > NUMBERS_MAX) {
      return Optional.of(
          new Excess(
              widest(spec),
              "a mini-batch of %,d rows takes %s in a layer of %,.0f numbers; at most %s: lower training.mini-batch"
                  .formatted(
                      spec.fit().miniBatch(),
                      shown(Float.BYTES * batch),
                      widest,
                      shown(Float.BYTES * NUMBERS_MAX))));
    }
    return Optional.empty();
  }

  /**
   * The reason why a network is too large.
   *
   * @param key key of section {@code model} that causes it
   */
  public record Excess(String key, String reason) {}

  private static String widest(ModelSpec spec) {
    if (spec.network() instanceof ModelSpec.Network.Cnn) {
      return "image";
    }
    return spec.network() instanceof ModelSpec.Network.Dlrm ? "top" : "hidden";
  }

  private static String shown(double bytes) {
    String[] units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = bytes / 1024;
    int unit = 0;
    while (value >= 1024 && unit + 1 < units.length) {
      value /= 1024;
      unit++;
    }
    return "%,.1f %s".formatted(value, units[unit]);
  }
}
