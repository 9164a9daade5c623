package io.idlalayer.jobs.learner.release;

import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.modelcontroller.mixture.ExpertMixture;
import io.idlalayer.modelcontroller.mixture.ExpertQuality;
import io.idlalayer.modelcontroller.quality.ExpertScores;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelruntime.artifact.ServedMixture;
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
  public static References of(boolean on, Label label) {
    return new References(
        on ? new ExpertMixture(List.of(ExpertScores.NETWORK, ExpertScores.PRIOR), label) : null);
  }

  /**
   * Adds the next label of the stream.
   *
   * @param weight importance weight of its sample, at least 0
   */
  void label(double label, double weight) {
    if (mixture != null) {
      mixture.label(label, weight);
    }
  }

  /** Adds the scores of new samples. */
  void scored(ScoredBatch batch) {
    if (mixture != null) {
      mixture.scored(batch);
    }
  }

  /** Returns the mixture of a version whose training begins now, as its file; empty for none. */
  public byte[] file() {
    if (mixture == null) {
      return NONE;
    }
    double[] prior = mixture.prior();
    double[] weights = mixture.weights();
    return prior.length == 0 ? NONE : ServedMixture.of(weights[0], weights[1], prior).encode();
  }

  /**
   * Returns the weight of the network, and how well it predicts alone; null without references, and
   * until a version with references was tested.
   */
  public @Nullable ExpertQuality network() {
    List<ExpertQuality> experts = mixture == null ? List.of() : mixture.qualities();
    return experts.isEmpty() ? null : experts.get(0);
  }

  /** Returns the whole state as bytes for {@link #restore}; null without references. */
  public byte @Nullable [] snapshot() {
    return mixture == null ? null : mixture.snapshot();
  }

  /**
   * Replaces the state by that of a snapshot, unless references are switched off.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if it is no such snapshot
   */
  public void restore(byte[] snapshot) {
    if (mixture != null) {
      mixture.restore(snapshot);
    }
  }
}
