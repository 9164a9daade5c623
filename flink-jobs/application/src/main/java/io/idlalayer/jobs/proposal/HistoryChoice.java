package io.idlalayer.jobs.proposal;

import io.idlalayer.jobs.events.LastLabel;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.survey.LastLabelSurvey;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.middleware.sample.text.Shown;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The decision whether an application should keep the last label of a key. */
final class HistoryChoice {
  /** Least accuracy by which the last label must be better than the commonest class. */
  private static final double ACCURACY_MARGIN = 0.05;

  /** Largest quotient of the errors of the last label and of the mean. */
  private static final double ERROR_QUOTIENT = 0.8;

  private static final long LABELS_MIN = 200;

  private HistoryChoice() {}

  /**
   * Decides from the first events whether the last label of a key helps to predict the next one.
   *
   * @return the history to propose, or null
   */
  static ProposalText.@Nullable Past of(
      ApplicationSettings settings, EventRows events, LabelTask task) {
    LastLabelSurvey survey = LastLabelSurvey.of(settings);
    if (survey == null) {
      return null;
    }
    SampleDecoder decoder = SampleDecoders.of(settings.input());
    List<Double> labels = new ArrayList<>();
    for (byte[] each : events.records().subList(0, events.front())) {
      try {
        Sample sample = decoder.decode(each);
        if (sample.labeled()) {
          survey.add(sample.withWeight(1));
          labels.add(sample.label());
        }
      } catch (MalformedSampleException refused) {
        // Refused events are counted later, when all events are decoded.
      }
    }
    List<LastLabel> known =
        survey.results().stream().filter(it -> it.samples() >= LABELS_MIN).toList();
    return task.task() == Task.REGRESSION ? ofNumbers(known, labels) : ofClasses(known, labels);
  }

  private static ProposalText.@Nullable Past ofClasses(List<LastLabel> known, List<Double> labels) {
    double commonest =
        labels.stream()
            .collect(Collectors.groupingBy(it -> it, Collectors.counting()))
            .values()
            .stream()
            .mapToDouble(it -> (double) it / labels.size())
            .max()
            .orElse(1);
    LastLabel best =
        known.stream()
            .filter(it -> orElse(it.accuracy(), 0) > commonest + ACCURACY_MARGIN)
            .max(Comparator.comparingDouble(it -> orElse(it.accuracy(), 0)))
            .orElse(null);
    return best == null
        ? null
        : new ProposalText.Past(
            best.field(),
            String.format(
                Locale.ROOT,
                "Repeating the last label%s is right in %.1f %% of the first events, the commonest class in %.1f %%: a history is kept.",
                key(best),
                100 * orElse(best.accuracy(), 0),
                100 * commonest));
  }

  private static ProposalText.@Nullable Past ofNumbers(List<LastLabel> known, List<Double> labels) {
    double mean = labels.stream().mapToDouble(it -> it).average().orElse(0);
    double ofMean = labels.stream().mapToDouble(it -> Math.abs(it - mean)).average().orElse(0);
    LastLabel best =
        known.stream()
            .filter(it -> orElse(it.meanAbsoluteError(), ofMean) < ERROR_QUOTIENT * ofMean)
            .min(Comparator.comparingDouble(it -> orElse(it.meanAbsoluteError(), ofMean)))
            .orElse(null);
    return best == null
        ? null
        : new ProposalText.Past(
            best.field(),
            String.format(
                Locale.ROOT,
                "Repeating the last label%s is off by %.4g on average in the first events, the mean by %.4g: a history is kept.",
                key(best),
                orElse(best.meanAbsoluteError(), ofMean),
                ofMean));
  }

  private static double orElse(@Nullable Double value, double otherwise) {
    return value == null ? otherwise : value;
  }

  private static String key(LastLabel best) {
    return best.field().isEmpty() ? "" : " with the same " + Shown.of(best.field());
  }
}
