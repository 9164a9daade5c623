package io.idlalayer.jobs.proposal;

import io.idlalayer.jobs.proposal.FieldRole.Kind;
import io.idlalayer.jobs.settings.ApplicationSettings.Format;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.Shown;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes an application file with comments. */
final class ProposalText {
  /** Largest number of features that have a separate line with a comment. */
  private static final int LINES_MAX = 40;

  private static final int LEFT_OUT_LINES_MAX = 100;

  /** Widest input for which several members are affordable. */
  private static final int MEMBERS_WIDTH_MAX = 256;

  /**
   * If the share of the rarer class is below this, a metric is chosen that depends on this class.
   */
  private static final double RARE = 0.2;

  private final Draft draft;
  private final List<FieldRole> features;
  private final boolean tables;
  private final StringBuilder out = new StringBuilder();

  /**
   * The facts about an application from which its file is written.
   *
   * @param name name of the application
   * @param source the source of the events, as the user named it
   * @param topic topic of the events; null if they were read from a file
   * @param looked sentence about how many events were read
   * @param form how events are written
   * @param roles role of each field
   * @param label name of the label
   * @param task the task for the label: to predict classes or a number
   * @param reason why this label was chosen; "" if the user named it
   */
  record Draft(
      String name,
      String source,
      @Nullable String topic,
      String looked,
      EventForm form,
      List<FieldRole> roles,
      String label,
      LabelTask task,
      String reason) {}

  /**
   * The history of a key that helps to predict labels.
   *
   * @param key field of the key; "" if all events have the same key
   * @param note how well the last label predicts, in words
   */
  record Past(String key, String note) {}

  private ProposalText(Draft draft) {
    this.draft = draft;
    features = draft.roles().stream().filter(FieldRole::isFeature).toList();
    tables =
        draft.form().format() == Format.CRITEO_TSV || of(Kind.ID_FEATURE).findAny().isPresent();
  }

  static String of(Draft draft, @Nullable Past past) {
    ProposalText text = new ProposalText(draft);
    text.head();
    text.input();
    if (past != null) {
      text.history(past);
    }
    text.learning();
    return text.out.toString();
  }

  /** Returns whether a history of labels can be kept together with these features. */
  static boolean takesHistory(Draft draft) {
    return !new ProposalText(draft).tables
        && (draft.form().format() == Format.CSV || draft.form().format().namesFields());
  }

  private java.util.stream.Stream<FieldRole> of(Kind kind) {
    return draft.roles().stream().filter(it -> it.kind() == kind);
  }

  private void line(String text) {
    out.append(text).append('\n');
  }

  private void comment(String indent, String text) {
    for (String each : Lines.of(text, 110 - indent.length())) {
      line(indent + "# " + each);
    }
  }

  private void head() {
    comment(
        "", "Proposed by 'idla init' for " + Shown.escaped(draft.source()) + ": " + draft.looked());
    comment("", "Read each line before you run it. docs/application-file.md explains all keys.");
    line("#   ./idla check APP.yaml --sample FILE");
    line("#   ./idla run APP.yaml --input FILE --report report.json");
    line("name: " + ColumnNames.scalar(draft.name()));
    out.append("metric: ").append(metric());
  }

  private String metric() {
    LabelTask task = draft.task();
    if (task.task() == Task.REGRESSION) {
      return "mase                # mean absolute error, divided by that of repeating the last number\n";
    }
    if (task.classes().size() == 2 && (tables || task.rarestShare() < RARE)) {
      return String.format(
          Locale.ROOT,
          "normalized-entropy  # log loss, divided by that of the class frequencies: the rarer class has %.2g %%%n",
          100 * task.rarestShare());
    }
    return "kappa-temporal      # accuracy beyond that of repeating the last label\n";
  }

  private void input() {
    EventForm form = draft.form();
    line("input:");
    if (draft.topic() != null) {
      line("  topic: " + ColumnNames.scalar(draft.topic()));
    }
    line("  format: " + form.format().name().toLowerCase(Locale.ROOT).replace('_', '-'));
    if (!form.schemaFile().isEmpty()) {
      comment(
          "  ",
          "The schema in the header of this file. Name the .avsc of your producers, or 'registry' if"
              + " their records begin with the id of a schema.");
      line("  schema-file: " + ColumnNames.quoted(form.schemaFile()));
    }
    if (form.header()) {
      line("  header: true");
    }
    if (form.format() == Format.CSV && !form.delimiter().equals(",")) {
      line("  delimiter: " + ColumnNames.quoted(form.delimiter()).replace("\\u0009", "\\t"));
    }
    if (!form.encoding().equals(EventEncoding.UTF_8.name())) {
      line(
          "  encoding: "
              + form.encoding()
              + "  # some bytes are not UTF-8; a guess if you did not name it");
    }
    NumberNotation notation = form.notation();
    if (!notation.equals(NumberNotation.PLAIN)) {
      line("  decimal: " + ColumnNames.quoted(notation.decimal()));
      if (!notation.thousands().isEmpty()) {
        line("  thousands: " + ColumnNames.quoted(notation.thousands()));
      }
    }
    if (form.format() == Format.CSV) {
      line(ColumnNames.list("  columns:", form.columns()));
    }
    if (form.format() != Format.CRITEO_TSV) {
      missing();
      numbers();
      categories();
      ids();
      of(Kind.EVENT_ID)
          .findFirst()
          .ifPresent(
              id -> {
                comment("  ", id.note());
                line("  id: " + ColumnNames.scalar(id.name()));
              });
      leftOut();
    }
    label();
  }

  private void missing() {
    boolean any = features.stream().anyMatch(it -> isNumbers(it) && it.missing() > 0);
    if (!any) {
      return;
    }
    Set<String> marks = new LinkedHashSet<>();
    features.forEach(it -> marks.addAll(it.marks()));
    line(
        "  missing: mean  # of the numbers that lack in some events: the mean of their column is put there");
    if (!marks.isEmpty()) {
      line(
          marks.stream()
              .map(ColumnNames::quoted)
              .collect(Collectors.joining(", ", "  missing-values: [", "]")));
    }
  }

  private static boolean isNumbers(FieldRole role) {
    return role.kind() == Kind.NUMBER || role.kind() == Kind.TIME;
  }

  private void numbers() {
    List<FieldRole> numbers = features.stream().filter(ProposalText::isNumbers).toList();
    if (numbers.isEmpty()) {
      return;
    }
    boolean plain =
        numbers.stream()
            .allMatch(it -> it.kind() == Kind.NUMBER && it.size() == 1 && it.missing() < 0.01);
    if (numbers.size() > LINES_MAX && plain) {
      line(ColumnNames.list("  features:", numbers.stream().map(FieldRole::name).toList()));
      return;
    }
    line("  features:");
    for (FieldRole each : numbers) {
      Map<String, String> keys = new LinkedHashMap<>();
      if (each.size() > 1) {
        keys.put("width", Integer.toString(each.size()));
      }
      if (each.kind() == Kind.TIME) {
        keys.put("time", "[" + String.join(", ", each.parts()) + "]");
      }
      if (each.missing() >= 0.01) {
        keys.put("missing-indicator", "true");
      }
      String lacks =
          each.missing() == 0
              ? ""
              : String.format(Locale.ROOT, "; missing in %.2g %%", 100 * each.missing());
      line("    - " + entry(each.name(), keys) + "  # " + each.note() + lacks);
    }
  }

  private static String entry(String name, Map<String, String> keys) {
    if (keys.isEmpty()) {
      return ColumnNames.scalar(name);
    }
    StringBuilder entry = new StringBuilder("{name: ").append(ColumnNames.scalar(name));
    keys.forEach((key, value) -> entry.append(", ").append(key).append(": ").append(value));
    return entry.append('}').toString();
  }

  private void categories() {
    List<FieldRole> categories = of(Kind.CATEGORY).toList();
    if (categories.isEmpty()) {
      return;
    }
    line("  categorical:");
    for (FieldRole each : categories) {
      line(
          "    - "
              + entry(each.name(), Map.of("buckets", Integer.toString(each.size())))
              + "  # "
              + each.note());
    }
  }

  private void ids() {
    List<FieldRole> ids = of(Kind.ID_FEATURE).toList();
    if (ids.isEmpty()) {
      return;
    }
    if (ids.size() > LINES_MAX && ids.stream().allMatch(it -> it.size() == 1)) {
      line(ColumnNames.list("  ids:", ids.stream().map(FieldRole::name).toList()));
      return;
    }
    line("  ids:  # each value has a row of its own in a table");
    for (FieldRole each : ids) {
      Map<String, String> keys =
          each.size() > 1 ? Map.of("at-most", Integer.toString(each.size())) : Map.of();
      line("    - " + entry(each.name(), keys) + "  # " + each.note());
    }
  }

  private void leftOut() {
    List<String> lines = new ArrayList<>();
    of(Kind.LEFT_OUT).forEach(it -> lines.add(shownName(it.name()) + ": " + it.note()));
    if (lines.isEmpty()) {
      return;
    }
    line("  # Left out:");
    lines.stream().limit(LEFT_OUT_LINES_MAX).forEach(it -> comment("  ", "- " + it));
    if (lines.size() > LEFT_OUT_LINES_MAX) {
      comment("  ", String.format(Locale.ROOT, "and %,d more", lines.size() - LEFT_OUT_LINES_MAX));
    }
  }

  private static String shownName(String name) {
    return name.isEmpty() ? "a column without a usable name" : Shown.escaped(name);
  }

  private void label() {
    LabelTask task = draft.task();
    if (draft.form().format() != Format.CRITEO_TSV) {
      String why = draft.reason().isEmpty() ? "" : "  # guessed, " + draft.reason();
      line("  label: " + ColumnNames.scalar(draft.label()) + why);
    }
    if (!task.note().isEmpty()) {
      comment("  ", task.note());
    }
    if (task.task() == Task.REGRESSION) {
      line("  task: regression");
    } else {
      line(classes(task.classes()));
    }
  }

  private static String classes(List<String> classes) {
    StringBuilder list = new StringBuilder("  classes: [");
    int line = list.length();
    for (int i = 0; i < classes.size(); i++) {
      String item = ColumnNames.quoted(classes.get(i)) + (i + 1 < classes.size() ? ", " : "]");
      if (line + item.length() > 110) {
        list.append("\n            ");
        line = 12;
      }
      list.append(item);
      line += item.length();
    }
    return list.toString();
  }

  private void history(Past past) {
    comment("", past.note());
    comment(
        "",
        "Each event then has the last label as context. Leave it out if labels come too late for that.");
    line("history:");
    if (!past.key().isEmpty()) {
      line("  key: " + ColumnNames.scalar(past.key()));
    }
    line("  labels: 1");
    line("  changes: " + features.stream().anyMatch(ProposalText::isNumbers));
  }

  private void learning() {
    boolean regression = draft.task().task() == Task.REGRESSION;
    if (tables) {
      comment(
          "",
          "Ids need a model with tables. These rates did best in benchmarks/results/2026-11-23-clicks.");
      line("model:");
      line("  type: wide-and-deep");
      line("  hidden: [64, 32]");
      line("embeddings:");
      line("  dim: " + (regression ? 16 : 8));
      line("  updater: adagrad");
      line("  learning-rate: " + (regression ? "0.05" : "0.02"));
      fit(32, 1, "0.001", 2_000);
      return;
    }
    line("model:");
    line("  type: mlp");
    if (regression) {
      line("  hidden: [64, 32]");
      fit(64, 1, "0.002", 2_000);
      line("selection:");
      line("  replay-budget: 2048");
    } else if (width() <= MEMBERS_WIDTH_MAX) {
      line("  hidden: [32]");
      line(
          "  members: 4  # up to 6 points more accurate than one network, at 2 to 5 times its processor time");
      fit(32, 2, "0.01", 1_000);
      line("selection:");
      line("  replay-budget: 256");
      line("  steady-share: 1");
    } else {
      line("  hidden: [64, 32]");
      fit(32, 2, "0.001", 1_000);
    }
  }

  private int width() {
    return features.stream()
        .mapToInt(it -> it.kind() == Kind.TIME ? 2 * it.parts().size() : Math.max(1, it.size()))
        .sum();
  }

  private void fit(int miniBatch, int epochs, String rate, int weight) {
    line("training:");
    line("  mini-batch: " + miniBatch);
    line("  epochs: " + epochs);
    line("  updater: adam");
    line("  learning-rate: " + rate);
    line("update:");
    line("  rule: adaptive");
    line(
        "  waiting-samples-per-training-second: "
            + weight
            + "  # how many samples that wait a second are worth a second of training");
  }
}
