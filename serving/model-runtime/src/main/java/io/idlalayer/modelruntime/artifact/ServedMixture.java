package io.idlalayer.modelruntime.artifact;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.middleware.sample.change.UnseenClass;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The experts whose weighted mean a version predicts: its network, or parts of it, and the
 * references beside it. Immutable; part of the model.
 *
 * @param experts the experts for an event without context, in the order of {@link #KINDS}
 * @param inContext the experts for an event with context, in the order of {@link
 *     #KINDS_IN_CONTEXT}; empty if the model takes none
 */
public record ServedMixture(List<Expert> experts, List<Expert> inContext) {
  /** The experts for events without context. */
  public static final List<Kind> KINDS = List.of(Kind.NETWORK, Kind.PRIOR);

  /** The experts for events with context. */
  public static final List<Kind> KINDS_IN_CONTEXT =
      List.of(
          Kind.NETWORK,
          Kind.MEMBERS_WITHOUT_CONTEXT,
          Kind.MEMBERS_IN_CONTEXT,
          Kind.PRIOR,
          Kind.NO_CHANGE);

  private static final int FORMAT_VERSION = 2;

  /** Largest deviation of a sum of weights or probabilities from 1. */
  private static final double ROUNDING = 1e-6;

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);

  /** The kinds of experts. */
  public enum Kind {
    /**
     * The network. For an event with context it is the mean of its two kinds of members by their
     * weights in this mixture.
     */
    NETWORK("network", true),
    /** The mean of the network's members that take no context. */
    MEMBERS_WITHOUT_CONTEXT("members-without-context", true),
    /** The mean of the network's members that take the context. */
    MEMBERS_IN_CONTEXT("members-in-context", true),
    /** The frequencies of the classes, or the mean of the target. */
    PRIOR("prior", false),
    /** The last label of the event's key; what the prior predicts if none is known. */
    NO_CHANGE("no-change", false);

    private final String title;
    private final boolean learned;

    Kind(String title, boolean learned) {
      this.title = title;
      this.learned = learned;
    }

    /** Returns the name in files. */
    @JsonValue
    public String title() {
      return title;
    }

    /** Returns whether the prediction comes from the network, so that training can improve it. */
    public boolean learned() {
      return learned;
    }
  }

  /**
   * An expert.
   *
   * @param weight its weight, 0 to 1; those of all experts of a list add up to 1
   * @param values what a prior predicts: the probability of each class, or one target in its own
   *     units; null for the other kinds
   * @param repeats for each class the probability that it follows itself, in no-change of classes;
   *     null otherwise
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Expert(
      Kind kind, double weight, double @Nullable [] values, double @Nullable [] repeats) {
    /** Returns the network, or a part of it. */
    public static Expert network(Kind kind, double weight) {
      return new Expert(kind, weight, null, null);
    }

    /** Returns the expert that always predicts these probabilities or this target. */
    public static Expert prior(double weight, double[] values) {
      return new Expert(Kind.PRIOR, weight, values, null);
    }

    /**
     * Returns the expert that predicts the last label.
     *
     * @param repeats for each class the probability that it follows itself; null for targets
     */
    public static Expert noChange(double weight, double @Nullable [] repeats) {
      return new Expert(Kind.NO_CHANGE, weight, null, repeats);
    }

    private Expert changed(ColumnMap classes) {
      double[] prior = values;
      double[] repeated = repeats;
      double[] unseen = new double[classes.after()];
      Arrays.fill(unseen, UnseenClass.REPEATS);
      return new Expert(
          kind,
          weight,
          prior == null ? null : changedPrior(prior, classes),
          repeated == null ? null : classes.mapped(repeated, unseen));
    }

    private static double[] changedPrior(double[] prior, ColumnMap classes) {
      double[] changed = classes.mapped(prior, new double[classes.after()]);
      int removed = classes.removed().length;
      int added = classes.after() - (classes.before() - removed);
      if (added == 0 && removed == 0) {
        return changed;
      }
      double unseen = UnseenClass.probability(classes.after());
      double stay = Arrays.stream(changed).sum();
      int old = classes.after() - added;
      for (int i = 0; i < changed.length; i++) {
        boolean fresh = classes.source(i) == ColumnMap.ADDED;
        double share = stay > 0 ? changed[i] / stay : 1.0 / old;
        changed[i] = fresh ? unseen : share * (1 - added * unseen);
      }
      return changed;
    }

    private Expert limited(TargetScaling target) {
      return values == null
          ? this
          : new Expert(kind, weight, Arrays.stream(values).map(target::usual).toArray(), repeats);
    }
  }

  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  private record Wire(
      int formatVersion, @Nullable List<Expert> experts, @Nullable List<Expert> inContext) {}

  public ServedMixture {
    experts = List.copyOf(experts);
    inContext = List.copyOf(inContext);
  }

  /** Returns the mixture of a network and a prior, for a model that takes no context. */
  public static ServedMixture of(double networkWeight, double priorWeight, double[] prior) {
    return new ServedMixture(
        List.of(Expert.network(Kind.NETWORK, networkWeight), Expert.prior(priorWeight, prior)),
        List.of());
  }

  /**
   * Returns the weight of the network for events without context, by which its prediction is
   * multiplied.
   */
  public double networkWeight() {
    return experts.get(0).weight();
  }

  /**
   * Returns what is added to the weighted prediction of the network for events without context: the
   * weighted predictions of the other experts.
   *
   * @param width number of the model's outputs
   */
  public double[] added(int width) {
    double[] sum = new double[width];
    for (Expert expert : experts) {
      double[] values = expert.values();
      for (int k = 0; values != null && k < sum.length; k++) {
        sum[k] += expert.weight() * values[k];
      }
    }
    return sum;
  }

  /**
   * Returns this mixture for other classes. A new class has the probability of an {@link
   * UnseenClass}; those that stay share the rest as they did before.
   *
   * @param classes where the classes come from
   */
  public ServedMixture changed(ColumnMap classes) {
    return new ServedMixture(
        experts.stream().map(each -> each.changed(classes)).toList(),
        inContext.stream().map(each -> each.changed(classes)).toList());
  }

  /**
   * Returns the mean of the mixtures of several learners of one model.
   *
   * @param mixtures mixtures of one model, at least one
   * @param shares share of each; they add up to 1
   */
  public static ServedMixture mixed(List<ServedMixture> mixtures, double[] shares) {
    return new ServedMixture(
        meanOfExperts(mixtures.stream().map(ServedMixture::experts).toList(), shares),
        meanOfExperts(mixtures.stream().map(ServedMixture::inContext).toList(), shares));
  }

  private static List<Expert> meanOfExperts(List<List<Expert>> lists, double[] shares) {
    List<Expert> mixed = new ArrayList<>();
    for (int i = 0; i < lists.get(0).size(); i++) {
      int expert = i;
      List<Expert> same = lists.stream().map(each -> each.get(expert)).toList();
      double weight = 0;
      for (int k = 0; k < shares.length; k++) {
        weight += shares[k] * same.get(k).weight();
      }
      mixed.add(
          new Expert(
              same.get(0).kind(),
              weight,
              mean(same.stream().map(Expert::values).toList(), shares),
              mean(same.stream().map(Expert::repeats).toList(), shares)));
    }
    return mixed;
  }

  private static double @Nullable [] mean(List<double @Nullable []> arrays, double[] shares) {
    double[] first = arrays.get(0);
    if (first == null) {
      return null;
    }
    double[] sum = new double[first.length];
    for (int k = 0; k < shares.length; k++) {
      double[] values = arrays.get(k);
      for (int i = 0; values != null && i < sum.length; i++) {
        sum[i] += shares[k] * values[i];
      }
    }
    return sum;
  }

  /** Returns this mixture with the targets of its references limited to usual ones. */
  ServedMixture limited(FeatureScaler scaler) {
    TargetScaling target = scaler.target();
    return new ServedMixture(
        experts.stream().map(each -> each.limited(target)).toList(),
        inContext.stream().map(each -> each.limited(target)).toList());
  }

  public byte[] encode() {
    try {
      return JSON.writeValueAsBytes(new Wire(FORMAT_VERSION, experts, inContext));
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * Reads the mixture of a model.
   *
   * @param bytes what {@link #encode} has written
   * @throws MalformedModelException if the bytes are not a mixture for such a model
   */
  public static ServedMixture decode(byte[] bytes, ModelSpec spec) throws MalformedModelException {
    Wire wire;
    try {
      wire = JSON.readValue(bytes, Wire.class);
    } catch (IOException | RuntimeException broken) {
      throw new MalformedModelException(
          "mixture.json cannot be read: " + broken.getMessage(), broken);
    }
    List<Expert> experts = wire == null ? null : wire.experts();
    if (wire == null || wire.formatVersion() != FORMAT_VERSION || experts == null) {
      throw new MalformedModelException("mixture.json is not in format " + FORMAT_VERSION);
    }
    List<Expert> inContext = wire.inContext() == null ? List.of() : wire.inContext();
    check("experts", experts, KINDS, spec);
    check("inContext", inContext, spec.contextMembers() > 0 ? KINDS_IN_CONTEXT : List.of(), spec);
    return new ServedMixture(experts, inContext);
  }

  private static void check(String list, List<Expert> experts, List<Kind> kinds, ModelSpec spec)
      throws MalformedModelException {
    if (experts.size() != kinds.size()) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "%s of mixture.json has %d experts, and the model has %d",
              list,
              experts.size(),
              kinds.size()));
    }
    double sum = 0;
    for (int i = 0; i < experts.size(); i++) {
      Expert expert = experts.get(i);
      if (expert == null
          || expert.kind() != kinds.get(i)
          || !(expert.weight() >= 0)
          || !fits(expert, spec)) {
        throw new MalformedModelException(
            String.format(Locale.ROOT, "%s[%d] of mixture.json does not fit the model", list, i));
      }
      sum += expert.weight();
    }
    if (!experts.isEmpty() && !(Math.abs(sum - 1) <= ROUNDING)) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT, "the weights of %s in mixture.json add up to %s, not to 1", list, sum));
    }
  }

  private static boolean fits(Expert expert, ModelSpec spec) {
    boolean classes = spec.schema().label().task() == SampleSchema.Task.CLASSIFICATION;
    double[] values = expert.values();
    double[] repeats = expert.repeats();
    boolean hasValues = expert.kind() == Kind.PRIOR;
    boolean hasRepeats = expert.kind() == Kind.NO_CHANGE && classes;
    if ((values != null) != hasValues || (repeats != null) != hasRepeats) {
      return false;
    }
    if (repeats != null) {
      return repeats.length == spec.outputWidth()
          && Arrays.stream(repeats).allMatch(each -> each >= 0 && each <= 1);
    }
    if (values == null) {
      return true;
    }
    if (values.length != spec.outputWidth() || !Arrays.stream(values).allMatch(Double::isFinite)) {
      return false;
    }
    return !classes
        || (Arrays.stream(values).allMatch(value -> value >= 0)
            && Math.abs(Arrays.stream(values).sum() - 1) <= ROUNDING);
  }
}
