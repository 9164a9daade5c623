package io.idlalayer.modelcontroller.mixture;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelcontroller.quality.ExpertScores;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The experts whose weighted mean a version predicts. The experts are judged on new samples before
 * these samples are trained. Events with context and events without context have different lists of
 * experts, each with its own weights. The mixture also tracks the prior of the labels, which is one
 * of the experts, and how often each class follows itself, from which the expert "no-change"
 * predicts. Each published version contains weights, prior and repetitions as of the moment at
 * which the training of the version began. Confined to one thread.
 */
public final class ExpertMixture {
  private static final StateFormat FORMAT = new StateFormat("expert mixture", 2, 1);

  /** The first format version of the state that contains the unit of weights. */
  private static final int WITH_UNIT = 2;

  private static final int PLAIN = 1;
  private static final int IN_CONTEXT = 2;
  private static final int PRIOR = 3;
  private static final int REPEATS = PRIOR + Math.max(ClassPrior.FIELDS, TargetPrior.FIELDS);
  private static final int UNIT = REPEATS + LabelRepeats.FIELDS;

  private final SampleSchema schema;
  private final boolean classes;
  private final ClassPrior frequencies;
  private final TargetPrior mean = new TargetPrior();
  private final LabelRepeats repeats;
  private final WeightUnit unit = new WeightUnit();
  private final ExpertJudgement plain;

  /** Judges the experts for events with context; null if there are none. */
  private final @Nullable ExpertJudgement inContext;

  /**
   * @param experts names of the experts for events without context, in the order of their scores
   * @param inContext names of the experts for events with context; empty if there is no context
   * @param schema schema of the samples
   */
  public ExpertMixture(List<String> experts, List<String> inContext, SampleSchema schema) {
    this.schema = schema;
    classes = schema.label().task() == Task.CLASSIFICATION;
    int width = Math.max(1, schema.label().classes().size());
    frequencies = new ClassPrior(width);
    repeats = new LabelRepeats(width);
    plain = new ExpertJudgement(experts, classes);
    this.inContext = inContext.isEmpty() ? null : new ExpertJudgement(inContext, classes);
  }

  /**
   * Adds the next labelled sample of the stream. A class is counted here. A target is counted in
   * {@link #scored} instead, because only the model knows how outliers are clamped.
   */
  public void label(Sample sample) {
    unit.add(sample.weight());
    if (!classes) {
      return;
    }
    int label = (int) sample.label();
    double importance = unit.of(sample.weight());
    frequencies.add(label, importance);
    double last = schema.lastLabel(sample.context());
    if (!Double.isNaN(last)) {
      repeats.add((int) last, label, importance);
    }
  }

  /** Adds the scores of a batch. */
  public void scored(ScoredBatch batch) {
    if (!batch.failure().isEmpty()) {
      return;
    }
    ExpertJudgement judge = inContext;
    if (judge != null) {
      judge(judge, batch);
    }
    ScoredBatch without = batch.withoutContext();
    judge(plain, without == null ? batch : without);
    for (int i = 0; i < batch.losses().length && !classes; i++) {
      double importance = unit.of(batch.batch().samples().get(i).weight());
      if (importance > 0) {
        mean.add(batch.targets()[i], importance);
      }
    }
  }

  private void judge(ExpertJudgement judge, ScoredBatch batch) {
    ExpertScores scores = batch.experts();
    if (scores == null || !judge.judges(scores)) {
      return;
    }
    for (int i = 0; i < batch.losses().length; i++) {
      double weight = batch.batch().samples().get(i).weight();
      if (weight > 0) {
        judge.judge(scores, i, batch.targets()[i], weight, unit.of(weight));
      }
    }
  }

  /** Returns the weights of the experts for events without context, which add up to 1. */
  public double[] weights() {
    return plain.weights();
  }

  /** Returns the weights of the experts for events with context; empty if there are none. */
  public double[] weightsInContext() {
    return inContext == null ? new double[0] : inContext.weights();
  }

  /**
   * Returns what the prior predicts: the probability of each class, or one target; empty while no
   * target was scored.
   */
  public double[] prior() {
    if (classes) {
      return frequencies.probabilities();
    }
    return mean.known() ? new double[] {mean.mean()} : new double[0];
  }

  /** Returns for each class the probability that it follows itself; null for targets. */
  public double @Nullable [] repeats() {
    return classes ? repeats.probabilities() : null;
  }

  /**
   * Returns weight and quality of each expert, for events with context if there are any; empty
   * before the first judged sample.
   */
  public List<ExpertQuality> qualities() {
    return inContext == null ? plain.qualities() : inContext.qualities();
  }

  /** Returns the whole state as bytes for {@link #restore}. */
  public byte[] snapshot() {
    StateWriter out = FORMAT.writer().putBytes(PLAIN, plain.snapshot());
    if (inContext != null) {
      out.putBytes(IN_CONTEXT, inContext.snapshot());
    }
    if (classes) {
      frequencies.write(out, PRIOR);
      repeats.write(out, REPEATS);
    } else {
      mean.write(out, PRIOR);
    }
    return unit.write(out, UNIT).bytes();
  }

  /** Replaces the state by the state in a snapshot with the same classes. */
  public void restore(byte[] snapshot) {
    restore(snapshot, ColumnMap.unchanged(Math.max(1, schema.label().classes().size())));
  }

  /**
   * Replaces the state by the state in a snapshot, after a change of the classes. If the snapshot
   * has other experts, all experts get equal weights, and only the prior, the repetitions and the
   * unit of weights are restored. The counts of classes that no longer exist are dropped. The
   * weights of experts are kept, because they do not belong to classes.
   *
   * @param change for each present class, the class from which it comes; without effect for targets
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
   */
  public void restore(byte[] snapshot, ColumnMap change) {
    StateReader in = FORMAT.reader(snapshot);
    plain.restore(in.getBytes(PLAIN));
    if (in.version() >= WITH_UNIT) {
      unit.read(in, UNIT);
    }
    if (inContext != null && in.has(IN_CONTEXT)) {
      inContext.restore(in.getBytes(IN_CONTEXT));
    }
    if (classes) {
      frequencies.read(in, PRIOR, change);
      repeats.read(in, REPEATS, change);
    } else {
      mean.read(in, PRIOR);
    }
  }
}
