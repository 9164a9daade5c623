package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.api.StoredSamples;
import io.idlalayer.datacontroller.evaluation.SampleExplanation;
import io.idlalayer.datacontroller.evaluation.StageMove;
import io.idlalayer.datacontroller.evaluation.StageReport;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.jobs.events.SampleView;
import io.idlalayer.jobs.events.StageMoves;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Converts facts about samples into the form of the decision topic. */
final class SampleViews {
  /**
   * Largest number of rules that an answer shows. The answer shows the rules that fire most
   * strongly.
   */
  private static final int RULES = 256;

  private static final int RULE_LENGTH = 512;

  private SampleViews() {}

  static StageMoves moves(StageReport report) {
    Map<String, Integer> counts = new TreeMap<>();
    for (LifeStage before : LifeStage.values()) {
      for (LifeStage after : LifeStage.values()) {
        int moved = report.moves(before, after);
        if (moved > 0) {
          counts.put(before + ">" + after, moved);
        }
      }
    }
    return new StageMoves(counts, report.traced().stream().map(SampleViews::move).toList());
  }

  private static StageMoves.Move move(StageMove move) {
    return new StageMoves.Move(
        move.sampleId(),
        move.before().name(),
        move.after().name(),
        move.score(),
        move.contribution(),
        move.cause().name());
  }

  /**
   * Returns the facts about a sample, which is named by its event id, or by {@code #} and its
   * number.
   */
  static SampleView explain(DataController data, String id) {
    String asked = SampleView.asked(id);
    StoredSamples samples = data.samples();
    Optional<SampleExplanation> found =
        id.matches("#[0-9]{1,18}")
            ? samples.explain(Long.parseLong(id.substring(1)))
            : samples.explain(id);
    return found
        .map(why -> view(asked, why))
        .orElseGet(
            () ->
                new SampleView(
                    asked, false, 0, "", false, 0, 0, Map.of(), Map.of(), -1, 0, 0, Map.of()));
  }

  /** Returns how often the ids of a stored sample occurred in trainings, by feature. */
  static Map<String, Integer> idOccurrences(
      SampleStore store, long sampleId, RowTables tables, List<IdFeature> features) {
    byte[] payload = store.payloads(new long[] {sampleId}).get(0);
    Sample sample;
    try {
      sample = new SampleCodec().decode(payload);
    } catch (MalformedSampleException damaged) {
      throw new IllegalStateException("stored sample %d is damaged".formatted(sampleId), damaged);
    }
    int[] occurrences = tables.occurrences(sample.ids());
    Map<String, Integer> named = new LinkedHashMap<>();
    for (int i = 0; i < occurrences.length; i++) {
      named.put(features.get(i).name(), occurrences[i]);
    }
    return named;
  }

  private static SampleView view(String asked, SampleExplanation why) {
    return new SampleView(
        asked,
        true,
        why.sampleId(),
        why.stage().name(),
        why.labeled(),
        why.score(),
        why.scoreNow(),
        why.facts(),
        strongest(why.strengths()),
        Float.isNaN(why.loss()) ? -1 : why.loss(),
        why.evaluations(),
        why.seenInUpdate(),
        Map.of());
  }

  private static Map<String, Double> strongest(Map<String, Double> strengths) {
    Map<String, Double> shown = new LinkedHashMap<>();
    strengths.entrySet().stream()
        .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
        .limit(RULES)
        .forEach(rule -> shown.merge(cut(rule.getKey()), rule.getValue(), Math::max));
    return shown;
  }

  private static String cut(String rule) {
    return rule.length() <= RULE_LENGTH ? rule : rule.substring(0, RULE_LENGTH) + "...";
  }
}
