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
import moa.classifiers.functions.NoChange;
import moa.classifiers.meta.AdaptiveRandomForest;

/**
 * Reference lines that learn event by event and keep no samples: learners of MOA with their default
 * settings (Bifet 2010; adaptive random forest: Gomes 2017).
 */
enum MoaReference {
  /** Predicts the label before. */
  NO_CHANGE,
  /** Ten Hoeffding trees that are replaced when they drift. */
  ADAPTIVE_RANDOM_FOREST;

  String key() {
    return "moa_" + name().toLowerCase(Locale.ROOT);
  }

  /** Tests, then trains, on each event in turn. */
  RunOutcome run(DriftStream stream, long seed) {
    AbstractClassifier learner =
        switch (this) {
          case NO_CHANGE -> new NoChange();
          case ADAPTIVE_RANDOM_FOREST -> new AdaptiveRandomForest();
        };
    InstancesHeader header = header(stream);
    learner.setModelContext(header);
    learner.setRandomSeed((int) seed);
    learner.prepareForUse();
    Tally tally = new Tally(stream.classes(), stream.size());
    long trainNanos = 0;
    for (int i = 0; i < stream.size(); i++) {
      Sample sample = stream.samples()[i];
      Instance instance = instance(sample, header);
      if (!stream.repeated()[i]) {
        double[] votes = shares(learner.getVotesForInstance(instance), stream.classes());
        tally.predicted(i, votes, stream.trueLabels()[i], (int) sample.label());
      }
      long start = CpuTime.nanos();
      learner.trainOnInstance(instance);
      trainNanos += CpuTime.nanos() - start;
    }
    double seconds = trainNanos / 1e9;
    RunCosts costs = new RunCosts(seconds, seconds, 0, stream.size(), stream.size(), 0);
    return new RunOutcome(
        stream.size(), tally.scored(), tally.quality(), costs, 0, ReplayProfile.NOTHING, List.of());
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

  /** Votes as probabilities; MOA leaves out classes that have none. */
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
