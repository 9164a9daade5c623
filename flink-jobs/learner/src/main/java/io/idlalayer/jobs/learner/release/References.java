package io.idlalayer.jobs.learner.release;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.modelcontroller.mixture.ExpertMixture;
import io.idlalayer.modelcontroller.mixture.ExpertQuality;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ServedMixture;
import io.idlalayer.modelruntime.artifact.ServedMixture.Expert;
import io.idlalayer.modelruntime.artifact.ServedMixture.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The references that are served with the network, unless the application switches them off: learns
 * their weights from the scores of new samples, and writes the mixture of a version. Confined to
 * one thread.
 */
public final class References {
  private static final byte[] NONE = {};

  private final @Nullable ExpertMixture mixture;

  private References(@Nullable ExpertMixture mixture) {
    this.mixture = mixture;
  }

  /**
   * Creates the references of an application.
   *
   * @param on whether there are any
   */
  public static References of(boolean on, ModelSpec model) {
    List<String> inContext =
        model.contextMembers() > 0 ? titles(ServedMixture.KINDS_IN_CONTEXT) : List.of();
    List<String> plain = titles(ServedMixture.KINDS);
    return new References(on ? new ExpertMixture(plain, inContext, model.schema()) : null);
  }

  private static List<String> titles(List<Kind> kinds) {
    return kinds.stream().map(Kind::title).toList();
  }

  /** Adds the next labelled sample of the stream. */
  void label(Sample sample) {
    if (mixture != null) {
      mixture.label(sample);
    }
  }

  /** Adds the scores of new samples. */
  void scored(ScoredBatch batch) {
    if (mixture != null) {
      mixture.scored(batch);
    }
  }

  /**
   * Returns the mixture of a version whose training begins now, as its file; empty if there is
   * none.
   */
  public byte[] file() {
    if (mixture == null) {
      return NONE;
    }
    double[] prior = mixture.prior();
    return prior.length == 0
        ? NONE
        : new ServedMixture(
                experts(ServedMixture.KINDS, mixture.weights(), prior, mixture.repeats()),
                experts(
                    ServedMixture.KINDS_IN_CONTEXT,
                    mixture.weightsInContext(),
                    prior,
                    mixture.repeats()))
            .encode();
  }

  /**
   * @param weights weight of each kind; empty if there are none
   */
  private static List<Expert> experts(
      List<Kind> kinds, double[] weights, double[] prior, double @Nullable [] repeats) {
    List<Expert> experts = new ArrayList<>();
    for (int i = 0; i < weights.length; i++) {
      Kind kind = kinds.get(i);
      experts.add(
          switch (kind) {
            case NETWORK, MEMBERS_WITHOUT_CONTEXT, MEMBERS_IN_CONTEXT ->
                Expert.network(kind, weights[i]);
            case PRIOR -> Expert.prior(weights[i], prior);
            case NO_CHANGE -> Expert.noChange(weights[i], repeats);
          });
    }
    return experts;
  }

  /**
   * Returns the total weight of the network and its members, and how well the network predicts
   * alone; if events have a context, both are for events with context. Null without references, and
   * before a version with references was tested.
   */
  public @Nullable ExpertQuality network() {
    List<ExpertQuality> experts = mixture == null ? List.of() : mixture.qualities();
    if (experts.isEmpty()) {
      return null;
    }
    List<Kind> kinds =
        experts.size() == ServedMixture.KINDS.size()
            ? ServedMixture.KINDS
            : ServedMixture.KINDS_IN_CONTEXT;
    double weight = 0;
    for (int i = 0; i < experts.size(); i++) {
      weight += kinds.get(i).learned() ? experts.get(i).weight() : 0;
    }
    return experts.get(0).weighing(weight);
  }

  /** Returns the whole state as bytes for {@link #restore}; null without references. */
  public byte @Nullable [] snapshot() {
    return mixture == null ? null : mixture.snapshot();
  }

  /**
   * Replaces the state by the state in a snapshot, unless references are switched off.
   *
   * @param classes for each present class, the class from which it comes
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
   */
  public void restore(byte[] snapshot, ColumnMap classes) {
    if (mixture != null) {
      mixture.restore(snapshot, classes);
    }
  }
}
