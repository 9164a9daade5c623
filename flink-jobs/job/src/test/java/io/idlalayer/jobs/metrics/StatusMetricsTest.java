package io.idlalayer.jobs.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Each number of a status is a metric, or one of the exceptions says why it is none. */
final class StatusMetricsTest {
  private static final long AT_MILLIS = 5_000_000;

  private static final String BY_CLASS =
      "classes are named by people and may be many: status, report and console have them";

  private static final String BY_TABLE =
      "tables are named by people and may be many: status, report and console have them";

  private static final String REFERENCE =
      "a reference line of a metric that few go by: status, report and console have it";

  private static final String CURVE =
      "points of a curve, of which there are up to 20: status, report and console have them";

  private static final String SURVEY =
      "a survey of one input's events, for its findings: counters of the job have their totals";

  private static final String KEPT_AT =
      "changes with the version only: status, report and console have it";

  private static final String BY_PARTITION =
      "each learner has metrics of its own part; the status has those of the others, too";

  private static final String BY_KEY =
      "keys are named by people and may be several: status, report and console have them";

  private static final Map<String, String> EXCEPTIONS =
      Map.ofEntries(
          Map.entry("gate.inServiceVersion", "modelVersion is this one"),
          Map.entry("pinned.until", "a condition of the pin, and no measurement"),
          Map.entry("compared.every", "a setting of the application file, and no measurement"),
          Map.entry("compared.once.learned", KEPT_AT),
          Map.entry("compared.renewed.learned", KEPT_AT),
          Map.entry("prequential.classification.byClass[].samples", BY_CLASS),
          Map.entry("prequential.classification.byClass[].predicted", BY_CLASS),
          Map.entry("prequential.classification.byClass[].correct", BY_CLASS),
          Map.entry("prequential.classification.byClass[].recentSamples", BY_CLASS),
          Map.entry("prequential.classification.byClass[].recentPredicted", BY_CLASS),
          Map.entry("prequential.classification.byClass[].recentCorrect", BY_CLASS),
          Map.entry("prequential.classification.metrics.noChange.balancedAccuracy", REFERENCE),
          Map.entry("prequential.classification.metrics.noChange.f1", REFERENCE),
          Map.entry("prequential.classification.metrics.noChange.positiveF1", REFERENCE),
          Map.entry("prequential.classification.metrics.noChange.kappa", REFERENCE),
          Map.entry("prequential.classification.metrics.majority.balancedAccuracy", REFERENCE),
          Map.entry("prequential.classification.metrics.majority.f1", REFERENCE),
          Map.entry("prequential.classification.metrics.majority.positiveF1", REFERENCE),
          Map.entry("prequential.classification.metrics.majority.kappa", REFERENCE),
          Map.entry("prequential.regression.metrics.noChangeQuantileLoss10", REFERENCE),
          Map.entry("prequential.regression.metrics.noChangeQuantileLoss90", REFERENCE),
          Map.entry(
              "prequential.regression.metrics.quantile.level",
              "a setting of the application file, and no measurement"),
          Map.entry("prequential.regression.metrics.quantile.noChangeLoss", REFERENCE),
          Map.entry("prequential.classification.recent.noChange.balancedAccuracy", REFERENCE),
          Map.entry("prequential.classification.recent.noChange.f1", REFERENCE),
          Map.entry("prequential.classification.recent.noChange.positiveF1", REFERENCE),
          Map.entry("prequential.classification.recent.noChange.kappa", REFERENCE),
          Map.entry("prequential.classification.recent.majority.balancedAccuracy", REFERENCE),
          Map.entry("prequential.classification.recent.majority.f1", REFERENCE),
          Map.entry("prequential.classification.recent.majority.positiveF1", REFERENCE),
          Map.entry("prequential.classification.recent.majority.kappa", REFERENCE),
          Map.entry("prequential.regression.recent.noChangeQuantileLoss10", REFERENCE),
          Map.entry("prequential.regression.recent.noChangeQuantileLoss90", REFERENCE),
          Map.entry(
              "prequential.regression.recent.quantile.level",
              "a setting of the application file, and no measurement"),
          Map.entry("prequential.regression.recent.quantile.noChangeLoss", REFERENCE),
          Map.entry("prequential.classification.calibration[].samples", CURVE),
          Map.entry("prequential.classification.calibration[].predicted", CURVE),
          Map.entry("prequential.classification.calibration[].actual", CURVE),
          Map.entry("tables.byTable[].rows", BY_TABLE),
          Map.entry("tables.byTable[].hotRows", BY_TABLE),
          Map.entry("tables.byTable[].hits", BY_TABLE),
          Map.entry("tables.byTable[].buffered", BY_TABLE),
          Map.entry("tables.byTable[].misses", BY_TABLE),
          Map.entry("tables.byTable[].unknown", BY_TABLE),
          Map.entry("tables.byTable[].admitted", BY_TABLE),
          Map.entry("tables.byTable[].refused", BY_TABLE),
          Map.entry("tables.byTable[].expired", BY_TABLE),
          Map.entry("inputOffsets.*", "Flink's Kafka source reports offsets and lag itself"),
          Map.entry("mixing.version", KEPT_AT),
          Map.entry("mixing.adoptedAtMillis", "the event of the adoption tells it"),
          Map.entry("mixing.waitMillis", KEPT_AT),
          Map.entry("mixing.parts[].partition", BY_PARTITION),
          Map.entry("mixing.parts[].rows", BY_PARTITION),
          Map.entry("mixing.parts[].trained", BY_PARTITION),
          Map.entry("mixing.parts[].progress", BY_PARTITION),
          Map.entry("lastLabels[].samples", BY_KEY),
          Map.entry("lastLabels[].accuracy", BY_KEY),
          Map.entry("lastLabels[].meanAbsoluteError", BY_KEY),
          Map.entry("survey.constant.count", SURVEY),
          Map.entry("survey.events", SURVEY),
          Map.entry("survey.labelled", SURVEY),
          Map.entry("survey.labels", SURVEY),
          Map.entry("survey.labelsOnly", SURVEY),
          Map.entry("survey.lostOffsets", SURVEY),
          Map.entry("survey.missing.count", SURVEY),
          Map.entry("survey.quarantined", SURVEY),
          Map.entry("survey.refusals[].count", SURVEY),
          Map.entry("survey.refusals[].offset", SURVEY),
          Map.entry("survey.refused", SURVEY),
          Map.entry("survey.strangeLabels[].count", SURVEY),
          Map.entry("survey.undeclared[].count", SURVEY),
          Map.entry("survey.unseenClasses.count", SURVEY),
          Map.entry("input.lost[].from", "an event tells each range; lostRanges counts them"),
          Map.entry("input.lost[].until", "an event tells each range; lostOffsets sums them up"));

  private static final Set<Type> NUMBERS =
      Set.of(long.class, int.class, double.class, Long.class, Double.class);

  /** Values of the leaves by path, in the order of the components. */
  private final SortedMap<String, Double> leaves = new TreeMap<>();

  private long next = 1_001;

  /** A value of a type whose numbers are all different. */
  private Object valueOf(Type type, String path) throws ReflectiveOperationException {
    if (NUMBERS.contains(type)) {
      leaves.put(path, (double) next);
      long value = next++;
      if (type == double.class || type == Double.class) {
        return (double) value;
      }
      return type == int.class ? (Object) (int) value : (Object) value;
    }
    if (type == boolean.class) {
      return true;
    }
    if (type == String.class) {
      return "text";
    }
    if (type instanceof ParameterizedType of && of.getRawType() == List.class) {
      return List.of(valueOf(of.getActualTypeArguments()[0], path + "[]"));
    }
    if (type instanceof ParameterizedType of && of.getRawType() == SortedMap.class) {
      return new TreeMap<>(Map.of("key", valueOf(of.getActualTypeArguments()[1], path + ".*")));
    }
    if (type instanceof Class<?> named && named.isEnum()) {
      return named.getEnumConstants()[0];
    }
    return recordOf((Class<?>) type, path);
  }

  private Object recordOf(Class<?> type, String path) throws ReflectiveOperationException {
    assertThat(type.isRecord()).as(path + " of " + type).isTrue();
    RecordComponent[] parts = type.getRecordComponents();
    Class<?>[] types = new Class<?>[parts.length];
    Object[] values = new Object[parts.length];
    for (int i = 0; i < parts.length; i++) {
      types[i] = parts[i].getType();
      String name = parts[i].getName();
      values[i] = valueOf(parts[i].getGenericType(), path.isEmpty() ? name : path + "." + name);
    }
    var constructor = type.getDeclaredConstructor(types);
    constructor.setAccessible(true);
    return constructor.newInstance(values);
  }

  /** What each metric of a learner shows of a status whose numbers all differ. */
  private SortedMap<String, Double> shown() throws ReflectiveOperationException {
    Status status = (Status) recordOf(Status.class, "");
    assertThat(leaves).hasSizeGreaterThan(80);
    assertThat(new HashSet<>(leaves.values())).as("all differ").hasSize(leaves.size());
    LearnerSnapshot snapshot =
        LearnerSnapshot.after(
            null,
            DecisionEvent.of(
                DecisionEvent.Type.STATUS,
                new DecisionEvent.Origin("clicks", 0, AT_MILLIS),
                status,
                null,
                ""),
            version -> 0);
    SortedMap<String, Double> shown = new TreeMap<>();
    for (MetricDefinition<LearnerSnapshot> metric : MetricCatalog.LEARNER) {
      Number value = metric.reading().of(snapshot, AT_MILLIS);
      if (value != null) {
        shown.put(metric.name(), value.doubleValue());
      }
    }
    return shown;
  }

  /** A metric that shows the number of another one would satisfy the test below. */
  @Test
  void eachMetric_showsTheNumberThatIsWrittenDown() throws Exception {
    SortedMap<String, Double> shown = shown();
    SortedMap<Double, String> pathOf = new TreeMap<>();
    leaves.forEach((path, value) -> pathOf.put(value, path));
    SortedMap<String, String> found = new TreeMap<>();
    shown.forEach(
        (name, value) -> {
          String path = pathOf.get(value);
          if (path != null) {
            found.put(name, path);
          }
        });
    assertThat(found).isEqualTo(StatusNumbers.paths());
  }

  @Test
  void eachNumberOfAStatus_isAMetricOrAnException() throws ReflectiveOperationException {
    Set<Double> reported = new HashSet<>(shown().values());
    Set<String> missing = new TreeSet<>();
    List<String> idle = new ArrayList<>();
    leaves.forEach(
        (path, value) -> {
          boolean excepted = EXCEPTIONS.containsKey(path);
          if (!reported.contains(value) && !excepted) {
            missing.add(path);
          }
          if (reported.contains(value) && excepted) {
            idle.add(path);
          }
        });
    assertThat(missing).as("numbers of a status without a metric").isEmpty();
    assertThat(idle).as("exceptions that have a metric").isEmpty();
    assertThat(EXCEPTIONS.values()).allMatch(reason -> reason.length() > 20);
    assertThat(leaves.keySet()).as("exceptions name numbers").containsAll(EXCEPTIONS.keySet());
  }
}
