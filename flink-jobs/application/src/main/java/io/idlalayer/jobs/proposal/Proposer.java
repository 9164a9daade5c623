package io.idlalayer.jobs.proposal;

import io.idlalayer.jobs.events.LastLabel;
import io.idlalayer.jobs.produce.JsonFileCheck;
import io.idlalayer.jobs.proposal.FieldRole.Kind;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.ApplicationSettings.Format;
import io.idlalayer.jobs.settings.SettingsException;
import io.idlalayer.jobs.survey.LastLabelSurvey;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.format.CsvRecordReader;
import io.idlalayer.middleware.sample.format.InputFiles;
import io.idlalayer.middleware.sample.format.LineRecordReader;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.Shown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Looks at events and proposes an application file for them. */
public final class Proposer {
  private static final int FORM_LINES = 1_000;
  private static final int FORM_BYTES_MAX = 4 << 20;
  private static final int EVENT_BYTES_MAX = 1 << 20;
  private static final int NAME_CHARACTERS_MAX = 100;

  /** Least accuracy by which the last label must be better than the commonest class. */
  private static final double ACCURACY_MARGIN = 0.05;

  /** Largest quotient of the errors of the last label and of the mean. */
  private static final double ERROR_QUOTIENT = 0.8;

  private static final long LABELS_MIN = 200;

  private static final List<NumberNotation> NOTATIONS =
      List.of(
          NumberNotation.PLAIN,
          new NumberNotation(",", ""),
          new NumberNotation(",", "."),
          new NumberNotation(",", " "),
          new NumberNotation(".", ","),
          new NumberNotation(".", " "),
          new NumberNotation(".", "'"));

  private final Wishes wishes;
  private final List<String> remarks = new ArrayList<>();

  private Proposer(Wishes wishes) {
    this.wishes = wishes;
  }

  /**
   * Proposes an application file for a file of events.
   *
   * @throws IOException if the file cannot be read
   * @throws NoProposalException if its events cannot be described, or the label is not clear
   */
  public static Proposal ofFile(Path file, Wishes wishes) throws IOException, NoProposalException {
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw new NoProposalException(
          "%s is no file that can be read: it does not exist, is a folder or a pipe, or belongs to another user"
              .formatted(file));
    }
    String name = String.valueOf(file.getFileName());
    if (InputFiles.kind(file) == InputFiles.Kind.IDX) {
      return ImageProposal.of(file, applicationName(wishes, name));
    }
    Proposer proposer = new Proposer(wishes);
    EventForm form;
    try {
      form = proposer.form(file);
    } catch (NoProposalException no) {
      throw new NoProposalException(file + ": " + no.getMessage());
    }
    EventRows rows;
    try (RecordReader reader = open(file, form)) {
      rows = EventRows.read(reader, wishes.rows());
    }
    return proposer.propose(rows, form, applicationName(wishes, name), name, null);
  }

  /**
   * Proposes an application file for events of a topic.
   *
   * @throws NoProposalException if they cannot be described, or the label is not clear
   */
  public static Proposal ofTopic(EventRows events, String topic, Wishes wishes)
      throws NoProposalException {
    List<byte[]> first = events.records().subList(0, Math.min(FORM_LINES, events.front()));
    if (first.isEmpty()) {
      throw new NoProposalException("topic " + topic + " has no events to look at");
    }
    EventForm form = FormGuess.of(first, wishes.encoding(), false, false);
    return new Proposer(wishes)
        .propose(events, form, applicationName(wishes, topic), "topic " + topic, topic);
  }

  private EventForm form(Path file) throws IOException, NoProposalException {
    EventEncoding encoding =
        wishes.encoding() == null ? EventEncoding.UTF_8 : EventEncoding.of(wishes.encoding());
    List<byte[]> first = new ArrayList<>();
    int bytes = 0;
    try (LineRecordReader lines = LineRecordReader.open(file, encoding)) {
      while (first.size() < FORM_LINES && bytes < FORM_BYTES_MAX && lines.next()) {
        first.add(lines.record());
        bytes += lines.record().length;
      }
    }
    if (first.isEmpty()) {
      throw new NoProposalException("the file is empty: there is no event to look at");
    }
    JsonFileCheck.check(file, encoding);
    return FormGuess.of(first, wishes.encoding(), true, wishes.header());
  }

  private static RecordReader open(Path file, EventForm form) throws IOException {
    EventEncoding encoding = EventEncoding.of(form.encoding());
    LineRecordReader lines = LineRecordReader.open(file, encoding);
    if (form.format() != Format.CSV) {
      return lines;
    }
    RecordReader rows =
        new CsvRecordReader(lines, form.text(), form.columns().size(), EVENT_BYTES_MAX);
    if (form.header()) {
      rows.next();
    }
    return rows;
  }

  private static String applicationName(Wishes wishes, String of) {
    String said = wishes.name();
    if (said != null) {
      return said;
    }
    String name =
        of.replaceFirst("(?i)(\\.(gz|zip|csv|tsv|txt|json|jsonl|ndjson|data|log))+$", "")
            .replaceAll("[^A-Za-z0-9._-]+", "-")
            .replaceFirst("^[^A-Za-z0-9]+", "");
    name = name.length() > NAME_CHARACTERS_MAX ? name.substring(0, NAME_CHARACTERS_MAX) : name;
    return name.isEmpty() ? "events" : name;
  }

  private Proposal propose(
      EventRows events, EventForm plain, String name, String source, @Nullable String topic)
      throws NoProposalException {
    EventForm form = withEncoding(plain, events);
    String looked = looked(events);
    remarks.add("L" + looked.substring(1));
    if (events.records().size() < Wishes.LEAST_ROWS) {
      throw new NoProposalException(
          String.format(
              Locale.ROOT,
              "%s has too few events to judge anything: %,d of at least %d",
              source,
              events.records().size(),
              Wishes.LEAST_ROWS));
    }
    remarks.add(described(form));
    ProposalText.Draft draft =
        form.format() == Format.CRITEO_TSV
            ? criteo(events, form, name, source, topic, looked)
            : draft(events, form, name, source, topic, looked);
    String without = ProposalText.of(draft, null);
    ApplicationSettings settings = read(without);
    ProposalText.Past past =
        ProposalText.takesHistory(draft) ? past(settings, events, draft.task()) : null;
    String yaml = past == null ? without : ProposalText.of(draft, past);
    if (past != null) {
      settings = read(yaml);
      remarks.add(past.note());
    }
    sayRefused(settings, events);
    return new Proposal(yaml, remarks);
  }

  private EventForm withEncoding(EventForm form, EventRows events) {
    if (wishes.encoding() != null || EventEncoding.of(form.encoding()).utf16()) {
      return form;
    }
    String ofEvents = FormGuess.encoding(events.records());
    // The header may have bytes that no event has.
    String found = ofEvents.equals(EventEncoding.UTF_8.name()) ? form.encoding() : ofEvents;
    if (!found.equals(EventEncoding.UTF_8.name())) {
      remarks.add(
          "Some events are not UTF-8; the encoding %s is a guess, --encoding NAME says another one."
              .formatted(found));
    }
    return form.withEncoding(found);
  }

  private static String looked(EventRows events) {
    int spread = events.records().size() - events.front();
    return String.format(
        Locale.ROOT,
        "looked at %,d events: the first %,d%s.",
        events.records().size(),
        events.front(),
        spread == 0
            ? ""
            : String.format(
                Locale.ROOT,
                " and %,d spread over the %,d that follow%s",
                spread,
                events.read() - events.front(),
                events.whole() ? "" : " within the first GiB"));
  }

  private static String described(EventForm form) {
    return switch (form.format()) {
      case JSON -> "The events are JSON objects.";
      case CRITEO_TSV -> "The events are rows of the Criteo log.";
      case BINARY -> "The events are images.";
      case CSV ->
          String.format(
              Locale.ROOT,
              "The events are rows of %,d columns with the delimiter %s%s.",
              form.columns().size(),
              Shown.of(form.delimiter()),
              form.header()
                  ? " and a header"
                  : "; the columns have no names, so they are called f1, f2 and so on");
    };
  }

  private ProposalText.Draft criteo(
      EventRows events,
      EventForm form,
      String name,
      String source,
      @Nullable String topic,
      String looked) {
    double[] labels =
        events.records().stream()
            .mapToDouble(it -> it.length > 0 && it[0] == '1' ? 1 : 0)
            .toArray();
    LabelTask task = new LabelTask(Task.CLASSIFICATION, List.of("0", "1"), labels, "");
    return new ProposalText.Draft(
        name, source, topic, looked, form, List.of(), List.of(), "label", task, "");
  }

  private ProposalText.Draft draft(
      EventRows events,
      EventForm written,
      String name,
      String source,
      @Nullable String topic,
      String looked)
      throws NoProposalException {
    EventTable table = EventTable.of(events, written);
    if (table.rows() < Wishes.LEAST_ROWS) {
      throw new NoProposalException(
          String.format(
              Locale.ROOT,
              "%s: only %,d of %,d events have the form that most of the first have",
              source,
              table.rows(),
              events.records().size()));
    }
    if (table.tooMany()) {
      remarks.add(
          String.format(
              Locale.ROOT,
              "Events have more than %,d fields; the others are not looked at.",
              FormGuess.MOST_COLUMNS));
    }
    EventForm form = written.with(notation(table, written));
    List<FieldProfile> fields = profiles(table, form);
    LabelChoice.Chosen chosen =
        LabelChoice.of(fields, wishes.label(), form.header() || form.format() == Format.JSON);
    FieldProfile label = chosen.field();
    LabelTask task = LabelTask.of(label, form.notation(), wishes.task());
    List<FieldRole> roles = new FieldRoles(table, form, fields, label, task).decide();
    if (roles.stream().noneMatch(FieldRole::isFeature)) {
      throw new NoProposalException(
          "%s: no field is left that a model could learn from:%n  %s"
              .formatted(
                  source,
                  roles.stream()
                      .filter(it -> it.kind() != Kind.LABEL)
                      .limit(8)
                      .map(it -> Shown.of(it.name()) + ": " + it.note())
                      .collect(Collectors.joining("\n  "))));
    }
    say(chosen, task, roles, table.nested());
    return new ProposalText.Draft(
        name,
        source,
        topic,
        looked,
        form,
        roles,
        table.nested(),
        label.name(),
        task,
        chosen.reason());
  }

  /** Returns the notation in which most fields are numbers. */
  private static NumberNotation notation(EventTable table, EventForm form) {
    if (form.format() != Format.CSV) {
      return NumberNotation.PLAIN;
    }
    NumberNotation best = NumberNotation.PLAIN;
    long most = -1;
    List<@Nullable String[]> columns = new ArrayList<>();
    for (int i = 0; i < table.names().size(); i++) {
      columns.add(table.column(i));
    }
    for (NumberNotation each : NOTATIONS) {
      if (each.decimal().equals(form.delimiter()) || each.thousands().equals(form.delimiter())) {
        continue;
      }
      long numbers = 0;
      for (@Nullable String[] column : columns) {
        for (int i = 0; i < Math.min(FORM_LINES, column.length); i++) {
          String value = column[i];
          numbers += value != null && !Double.isNaN(each.read(value)) ? 1 : 0;
        }
      }
      if (numbers > most) {
        most = numbers;
        best = each;
      }
    }
    return best;
  }

  private static List<FieldProfile> profiles(EventTable table, EventForm form) {
    List<FieldProfile> fields = new ArrayList<>();
    for (int i = 0; i < table.names().size(); i++) {
      String name = table.names().get(i);
      // A name of a JSON field that an application file cannot say is as good as none.
      boolean sayable = ColumnNames.sayable(name);
      fields.add(new FieldProfile(sayable ? name : "", table.column(i), form.notation()));
    }
    return fields;
  }

  private void say(
      LabelChoice.Chosen chosen, LabelTask task, List<FieldRole> roles, List<String> nested) {
    String what =
        task.task() == Task.REGRESSION
            ? "its number is predicted"
            : String.format(Locale.ROOT, "one of %,d classes is predicted", task.classes().size());
    remarks.add(
        "The label is %s%s; %s."
            .formatted(
                Shown.of(chosen.field().name()),
                chosen.reason().isEmpty() ? "" : ", guessed " + chosen.reason(),
                what));
    if (!task.note().isEmpty()) {
      remarks.add("As to the label: " + task.note() + ".");
    }
    count(roles, Kind.NUMBER, "numbers");
    count(roles, Kind.TIME, "time stamps");
    count(roles, Kind.CATEGORY, "categories of few values");
    count(roles, Kind.ID_FEATURE, "ids of many values");
    roles.stream()
        .filter(it -> it.kind() == Kind.EVENT_ID)
        .forEach(it -> remarks.add("The id of an event is " + Shown.of(it.name()) + "."));
    List<FieldRole> out = roles.stream().filter(it -> it.kind() == Kind.LEFT_OUT).toList();
    out.stream()
        .limit(20)
        .forEach(
            it ->
                remarks.add(
                    "Left out: "
                        + (it.name().isEmpty() ? "a column" : Shown.of(it.name()))
                        + ", because "
                        + it.note()
                        + "."));
    if (out.size() > 20) {
      remarks.add(String.format(Locale.ROOT, "Left out: %,d more.", out.size() - 20));
    }
    if (!nested.isEmpty()) {
      remarks.add(
          String.format(
              Locale.ROOT,
              "Left out: %s%s, because only fields at the top level of an event are read.",
              nested.stream().limit(5).map(Shown::of).collect(Collectors.joining(", ")),
              nested.size() > 5
                  ? String.format(Locale.ROOT, " and %,d more", nested.size() - 5)
                  : ""));
    }
  }

  private void count(List<FieldRole> roles, Kind kind, String what) {
    List<String> names =
        roles.stream().filter(it -> it.kind() == kind).map(FieldRole::name).toList();
    if (!names.isEmpty()) {
      remarks.add(
          String.format(
              Locale.ROOT,
              "Features that are %s: %s%s.",
              what,
              names.stream().limit(8).map(Shown::of).collect(Collectors.joining(", ")),
              names.size() > 8
                  ? String.format(Locale.ROOT, " and %,d more", names.size() - 8)
                  : ""));
    }
  }

  /** Reads a proposed text as the product does. */
  static ApplicationSettings read(String yaml) throws NoProposalException {
    Path file = null;
    try {
      file = Files.createTempFile("idla-init", ".yaml");
      Files.writeString(file, yaml);
      return ApplicationFileReader.read(file, name -> null);
    } catch (SettingsException refused) {
      throw new NoProposalException(
          "no application file could be made of these events, because the reader refuses it:\n  "
              + refused.problems().stream()
                  .map(it -> it.key() + ": " + it.message())
                  .collect(Collectors.joining("\n  ")));
    } catch (IOException unwritten) {
      throw new java.io.UncheckedIOException(unwritten);
    } finally {
      delete(file);
    }
  }

  private static void delete(@Nullable Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException left) {
      throw new java.io.UncheckedIOException(left);
    }
  }

  /** Judges by the first events whether the last label of a key goes with the next one. */
  private static ProposalText.@Nullable Past past(
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
        // Refused events are counted when all are decoded.
      }
    }
    List<LastLabel> known =
        survey.results().stream().filter(it -> it.samples() >= LABELS_MIN).toList();
    return task.task() == Task.REGRESSION ? pastNumber(known, labels) : pastClass(known, labels);
  }

  private static ProposalText.@Nullable Past pastClass(List<LastLabel> known, List<Double> labels) {
    double commonest =
        labels.stream()
            .collect(Collectors.groupingBy(it -> it, Collectors.counting()))
            .values()
            .stream()
            .mapToDouble(it -> (double) it / labels.size())
            .max()
            .orElse(1);
    LastLabel best = null;
    double accuracy = commonest + ACCURACY_MARGIN;
    for (LastLabel each : known) {
      Double value = each.accuracy();
      if (value != null && value > accuracy) {
        accuracy = value;
        best = each;
      }
    }
    return best == null
        ? null
        : new ProposalText.Past(
            best.field(),
            String.format(
                Locale.ROOT,
                "Repeating the last label%s is right in %.1f %% of the first events, the commonest class in %.1f %%: a history is kept.",
                of(best),
                100 * accuracy,
                100 * commonest));
  }

  private static ProposalText.@Nullable Past pastNumber(
      List<LastLabel> known, List<Double> labels) {
    double mean = labels.stream().mapToDouble(it -> it).average().orElse(0);
    double ofMean = labels.stream().mapToDouble(it -> Math.abs(it - mean)).average().orElse(0);
    LastLabel best = null;
    double error = ERROR_QUOTIENT * ofMean;
    for (LastLabel each : known) {
      Double value = each.meanAbsoluteError();
      if (value != null && value < error) {
        error = value;
        best = each;
      }
    }
    return best == null
        ? null
        : new ProposalText.Past(
            best.field(),
            String.format(
                Locale.ROOT,
                "Repeating the last label%s is off by %.4g on average in the first events, the mean by %.4g: a history is kept.",
                of(best),
                error,
                ofMean));
  }

  private static String of(LastLabel best) {
    return best.field().isEmpty() ? "" : " with the same " + Shown.of(best.field());
  }

  /** Says how many of the events the product would refuse, decoded as it decodes them. */
  private void sayRefused(ApplicationSettings settings, EventRows events) {
    SampleDecoder decoder = SampleDecoders.ofInput(settings.input());
    long refused = 0;
    String first = "";
    for (byte[] each : events.records()) {
      try {
        Sample unused = decoder.decode(each);
      } catch (MalformedSampleException malformed) {
        refused++;
        first = first.isEmpty() ? String.valueOf(malformed.getMessage()) : first;
      }
    }
    if (refused > 0) {
      remarks.add(
          String.format(
              Locale.ROOT,
              "%,d of the %,d events will be refused; the first because of %s. 'idla check' says more.",
              refused,
              events.records().size(),
              first));
    }
  }
}
