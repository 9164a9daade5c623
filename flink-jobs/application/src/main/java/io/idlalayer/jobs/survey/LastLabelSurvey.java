package io.idlalayer.jobs.survey;

import io.idlalayer.jobs.events.LastLabel;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures how well the last label of the same key would predict, for the keys that an application
 * could choose: one key for all events, or a categorical feature. The measurement begins anew with
 * each start of the learner. Memory is at most {@link #MOST_FIELDS} times {@link #MOST_KEYS}
 * numbers. Confined to one thread.
 */
public final class LastLabelSurvey {
  /**
   * Largest number of categorical features that are tried. The first features of the schema are
   * tried.
   */
  static final int MOST_FIELDS = 8;

  /** Largest number of buckets of a feature that is tried. */
  static final int MOST_KEYS = 65_536;

  private final boolean classes;
  private final List<Candidate> candidates = new ArrayList<>();

  /** A field that could be the key, and the last labels of its keys. */
  private static final class Candidate {
    final String field;

    /** Index of the categorical feature; -1 if all events have the same key. */
    final int feature;

    /** Last label of each key; NaN before the first label. */
    final double[] last;

    long samples;

    /**
     * Weight of the samples. The next field has the weighted sum of the results of their
     * predictions.
     */
    double weight;

    double sum;

    /** Whether a sample lacked the field, so that a history would refuse its event. */
    boolean lacked;

    Candidate(String field, int feature, int keys) {
      this.field = field;
      this.feature = feature;
      last = new double[keys];
      Arrays.fill(last, Double.NaN);
    }
  }

  private LastLabelSurvey(SampleSchema schema) {
    classes = schema.label().task() == SampleSchema.Task.CLASSIFICATION;
    candidates.add(new Candidate("", -1, 1));
  }

  /**
   * Creates the survey of an application.
   *
   * @return the survey; null if the application keeps a history, or could keep none
   */
  public static @Nullable LastLabelSurvey of(ApplicationSettings settings) {
    ModelSpec model = settings.model();
    SampleSchema schema = model.schema();
    boolean takesHistory =
        model.network() instanceof ModelSpec.Network.Mlp
            && model.standardize()
            && schema.ids().isEmpty()
            && settings.partitions() == 1;
    if (schema.history() != null || !takesHistory) {
      return null;
    }
    LastLabelSurvey survey = new LastLabelSurvey(schema);
    boolean namesKeys =
        switch (settings.input().format()) {
          case JSON, CSV, AVRO, PROTOBUF -> true;
          case CRITEO_TSV, BINARY -> false;
        };
    List<CategoricalFeature> features = schema.categorical();
    for (int i = 0; namesKeys && i < features.size(); i++) {
      CategoricalFeature feature = features.get(i);
      if (feature.buckets() <= MOST_KEYS && survey.candidates.size() <= MOST_FIELDS) {
        survey.candidates.add(new Candidate(feature.name(), i, feature.buckets()));
      }
    }
    return survey;
  }

  /**
   * Adds a sample with features and a label. Samples must be added in the order in which their
   * labels come.
   */
  public void add(Sample sample) {
    for (Candidate each : candidates) {
      int key = each.feature < 0 ? 0 : sample.categorical()[each.feature];
      each.lacked |= each.feature >= 0 && key == 0;
      double last = each.last[key];
      if (!Double.isNaN(last)) {
        double worth = classes ? last == sample.label() ? 1 : 0 : Math.abs(last - sample.label());
        each.samples++;
        each.weight += sample.weight();
        each.sum += sample.weight() * worth;
      }
      each.last[key] = sample.label();
    }
  }

  /**
   * Returns the results, weighted by the samples' weights. Fields are left out if an event lacked
   * them, or if no value of theirs came with a second label.
   */
  public List<LastLabel> results() {
    return candidates.stream()
        .filter(each -> each.weight > 0 && !each.lacked)
        .map(
            each -> {
              double mean = each.sum / each.weight;
              return new LastLabel(
                  each.field, each.samples, classes ? mean : null, classes ? null : mean);
            })
        .toList();
  }
}
