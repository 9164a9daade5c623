package io.idlalayer.benchmarks.quality;

import com.yahoo.labs.samoa.instances.Attribute;
import com.yahoo.labs.samoa.instances.DenseInstance;
import com.yahoo.labs.samoa.instances.Instance;
import com.yahoo.labs.samoa.instances.Instances;
import com.yahoo.labs.samoa.instances.InstancesHeader;
import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.middleware.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import moa.classifiers.AbstractClassifier;
import moa.classifiers.bayes.NaiveBayes;
import moa.classifiers.functions.MajorityClass;
import moa.classifiers.functions.NoChange;
import moa.classifiers.lazy.kNN;
import moa.classifiers.meta.AdaptiveRandomForest;
import moa.classifiers.meta.LeveragingBag;

/**
 * Learners of MOA, as references. They learn event by event. They have MOA's default settings,
 * except for the number of trees (Bifet 2010; adaptive random forest: Gomes 2017; leveraging
 * bagging: Bifet, Holmes and Pfahringer 2010).
 */
enum MoaReference {
  /** Predicts the most frequent label so far. */
  MAJORITY,
  /** Predicts the label of the last event. */
  NO_CHANGE,
  /** Ten Hoeffding trees. A tree is replaced when MOA detects drift in its errors. */
  ADAPTIVE_RANDOM_FOREST,
  /** {@link #ADAPTIVE_RANDOM_FOREST} with a hundred trees, which is MOA's default. */
  ADAPTIVE_RANDOM_FOREST_100,
  /**
   * Ten Hoeffding trees. Each tree learns with random weights of the events, and trees are reset on
   * drift.
   */
  LEVERAGING_BAGGING,
  /** Naive Bayes with a normal distribution for each number. */
  NAIVE_BAYES,
  /** The majority of the ten nearest among the last 1,000 events. */
  NEAREST_NEIGHBOURS;

  String key() {
    return "moa_" + name().toLowerCase(Locale.ROOT);
  }

  /** Tests the learner on each event in turn, and then trains it on the event. */
  RunOutcome run(DriftStream stream, long seed) {
    return measured(stream, 0, seed).outcome();
  }

  /**
   * A finished run with the cost of its predictions.
   *
   * @param scoringCpuSeconds processor time of the predictions, in seconds
   */
  record Measured(RunOutcome outcome, double scoringCpuSeconds) {}

  /**
   * Tests the learner on each event in turn, then trains it on the event whose label has become
   * known, and measures the processor time of both.
   *
   * @param lateBy number of events after which the label of an event is known
   */
  Measured measured(DriftStream stream, int lateBy, long seed) {
    AbstractClassifier learner =
        switch (this) {
          case MAJORITY -> new MajorityClass();
          case NO_CHANGE -> new NoChange();
          case ADAPTIVE_RANDOM_FOREST -> forest(10);
          case ADAPTIVE_RANDOM_FOREST_100 -> forest(100);
          case LEVERAGING_BAGGING -> new LeveragingBag();
          case NAIVE_BAYES -> new NaiveBayes();
          case NEAREST_NEIGHBOURS -> new kNN();
        };
    InstancesHeader header = header(stream);
    learner.setModelContext(header);
    learner.setRandomSeed((int) seed);
    learner.prepareForUse();
    Tally tally = new Tally(stream.classes(), stream.size());
    long trainNanos = 0;
    long scoringNanos = 0;
    for (int i = 0; i < stream.size(); i++) {
      Sample sample = stream.samples()[i];
      Instance instance = instance(sample, header);
      if (!stream.repeated()[i]) {
        long start = CpuTime.nanos();
        double[] votes = shares(learner.getVotesForInstance(instance), stream.classes());
        scoringNanos += CpuTime.nanos() - start;
        tally.predicted(i, votes, stream.trueLabels()[i], (int) sample.label());
      }
      if (i < lateBy) {
        continue;
      }
      Instance labelled = lateBy == 0 ? instance : instance(stream.samples()[i - lateBy], header);
      long start = CpuTime.nanos();
      learner.trainOnInstance(labelled);
      trainNanos += CpuTime.nanos() - start;
    }
    double seconds = trainNanos / 1e9;
    RunCosts costs = new RunCosts(seconds, seconds, 0, stream.size(), stream.size(), 0);
    RunOutcome outcome =
        new RunOutcome(
            stream.size(),
            tally.scored(),
            tally.quality(),
            costs,
            0,
            ReplayProfile.NOTHING,
            List.of());
    return new Measured(outcome, scoringNanos / 1e9);
  }

  private static AdaptiveRandomForest forest(int trees) {
    AdaptiveRandomForest forest = new AdaptiveRandomForest();
    forest.ensembleSizeOption.setValue(trees);
    return forest;
  }

  private static InstancesHeader header(DriftStream stream) {
    List<Attribute> attributes = new ArrayList<>();
    stream.schema().dense().forEach(each -> attributes.add(new Attribute(each.name())));
    attributes.add(new Attribute("class", stream.schema().label().classes()));
    Instances instances = new Instances(stream.name(), attributes, 0);
    instances.setClassIndex(attributes.size() - 1);
    return new InstancesHeader(instances);
  }

  private static Instance instance(Sample sample, InstancesHeader header) {
    double[] dense = sample.dense();
    double[] values = new double[dense.length + 1];
    for (int i = 0; i < dense.length; i++) {
      values[i] = dense[i];
    }
    values[dense.length] = sample.label();
    Instance instance = new DenseInstance(1, values);
    instance.setDataset(header);
    return instance;
  }

  /** Returns votes as probabilities. MOA leaves out the last classes if they have no votes. */
  private static double[] shares(double[] votes, int classes) {
    double[] shares = new double[classes];
    double sum = 0;
    for (int i = 0; i < Math.min(classes, votes.length); i++) {
      shares[i] = (float) votes[i];
      sum += votes[i];
    }
    for (int i = 0; i < classes; i++) {
      shares[i] = sum > 0 ? (float) (shares[i] / sum) : 1.0 / classes;
    }
    return shares;
  }
}
