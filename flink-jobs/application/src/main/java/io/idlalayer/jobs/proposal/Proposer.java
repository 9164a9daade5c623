package io.idlalayer.jobs.proposal;

import io.idlalayer.jobs.produce.JsonFileCheck;
import io.idlalayer.jobs.proposal.FieldRole.Kind;
import io.idlalayer.jobs.records.AvroFile;
import io.idlalayer.jobs.records.AvroFlattening;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.ApplicationSettings.Format;
import io.idlalayer.jobs.settings.SettingsException;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.format.CsvRecordReader;
import io.idlalayer.middleware.sample.format.InputFiles;
import io.idlalayer.middleware.sample.format.LineRecordReader;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.Shown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads events and proposes an application file for them. */
public final class Proposer {
  private static final int FORM_LINES = 1_000;
  private static final int FORM_BYTES_MAX = 4 << 20;
  private static final int EVENT_BYTES_MAX = 1 << 20;
  private static final int NAME_CHARACTERS_MAX = 100;

  private final Wishes wishes;
  private final Remarks remarks = new Remarks();

  /** The events as JSON objects, if they are records; null if they are text. */
  private @Nullable EventRows flattened;

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
    InputFiles.Kind kind = InputFiles.kind(file);
    if (kind == InputFiles.Kind.IDX) {
      return ImageProposal.of(file, applicationName(wishes, name));
    }
    Proposer proposer = new Proposer(wishes);
    if (kind == InputFiles.Kind.AVRO) {
      return proposer.ofRecords(AvroFile.of(file), file, name);
    }
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
   * @throws NoProposalException if the events cannot be described, or the label is not clear
   */
  public static Proposal ofTopic(EventRows events, String topic, Wishes wishes)
      throws NoProposalException {
    List<byte[]> first = events.records().subList(0, Math.min(FORM_LINES, events.front()));
    if (first.isEmpty()) {
      throw new NoProposalException("topic " + topic + " has no events to look at");
    }
    if (first.stream().allMatch(each -> each.length > 0 && each[0] == 0)) {
      throw new NoProposalException(
          "the events begin with a zero byte, as records of a schema registry do (Avro, Protobuf):"
              + " init looks at JSON and rows only; write the file with 'input.format' and"
              + " 'input.registry'");
    }
    EventForm form = FormGuess.of(first, wishes.encoding(), false, false);
    return new Proposer(wishes)
        .propose(events, form, applicationName(wishes, topic), "topic " + topic, topic);
  }

  private Proposal ofRecords(AvroFile file, Path path, String name)
      throws IOException, NoProposalException {
    if (wishes.header() != null || wishes.encoding() != null) {
      throw new NoProposalException(
          "%s: Avro records have no header line and no encoding; leave out --header and --encoding"
              .formatted(path));
    }
    EventRows rows;
    try (RecordReader reader = file.open(new byte[0])) {
      rows = EventRows.read(reader, wishes.rows());
    }
    AvroFlattening flattening = new AvroFlattening(file, FormGuess.MOST_COLUMNS);
    flattened = rows.with(event -> flat(flattening, event));
    Remarks.notLookedAt(flattening).forEach(remarks::add);
    EventForm form = EventForm.avro(path.toAbsolutePath().normalize().toString());
    return propose(rows, form, applicationName(wishes, name), name, null);
  }

  /**
   * Returns a record as a JSON object; if the record cannot be read, returns bytes that are no JSON
   * object.
   */
  private static byte[] flat(AvroFlattening flattening, byte[] record) {
    try {
      return flattening.event(record);
    } catch (MalformedSampleException refused) {
      return new byte[0];
    }
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
        of.replaceFirst("(?i)(\\.(gz|zip|csv|tsv|txt|avro|json|jsonl|ndjson|data|log))+$", "")
            .replaceAll("[^A-Za-z0-9._-]+", "-")
            .replaceFirst("^[^A-Za-z0-9]+", "");
    name = name.length() > NAME_CHARACTERS_MAX ? name.substring(0, NAME_CHARACTERS_MAX) : name;
    return name.isEmpty() ? "events" : name;
  }

  private Proposal propose(
      EventRows events, EventForm plain, String name, String source, @Nullable String topic)
      throws NoProposalException {
    EventForm form = withEncoding(plain, events);
    String looked = Remarks.looked(events);
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
    remarks.add(Remarks.described(form));
    ProposalText.Draft draft =
        form.format() == Format.CRITEO_TSV
            ? criteo(events, form, name, source, topic, looked)
            : draft(events, form, name, source, topic, looked);
    String without = ProposalText.of(draft, null);
    ApplicationSettings settings = read(without);
    ProposalText.Past past =
        ProposalText.takesHistory(draft) ? HistoryChoice.of(settings, events, draft.task()) : null;
    String yaml = past == null ? without : ProposalText.of(draft, past);
    if (past != null) {
      settings = read(yaml);
      remarks.add(past.note());
    }
    remarks.refused(settings, events);
    return new Proposal(yaml, remarks.sentences());
  }

  private EventForm withEncoding(EventForm form, EventRows events) {
    if (form.format().ofRecords()
        || wishes.encoding() != null
        || EventEncoding.of(form.encoding()).utf16()) {
      return form;
    }
    String ofEvents = FormGuess.encoding(events.records());
    // The header can have bytes that no event has.
    String found = ofEvents.equals(EventEncoding.UTF_8.name()) ? form.encoding() : ofEvents;
    if (!found.equals(EventEncoding.UTF_8.name())) {
      remarks.add(
          "Some events are not UTF-8; the encoding %s is a guess, --encoding NAME says another one."
              .formatted(found));
    }
    return form.withEncoding(found);
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
    return new ProposalText.Draft(name, source, topic, looked, form, List.of(), "label", task, "");
  }

  private ProposalText.Draft draft(
      EventRows events,
      EventForm written,
      String name,
      String source,
      @Nullable String topic,
      String looked)
      throws NoProposalException {
    EventTable table = EventTable.of(flattened == null ? events : flattened, written);
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
      remarks.add(Remarks.moreFields());
    }
    EventForm form = written.with(NotationGuess.of(table, written));
    List<FieldProfile> fields = profiles(table, form);
    LabelChoice.Chosen chosen =
        LabelChoice.of(fields, wishes.label(), form.header() || form.format().namesFields());
    FieldProfile label = chosen.field();
    LabelTask task = LabelTask.of(label, wishes.task());
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
    remarks.fields(chosen, task, roles);
    return new ProposalText.Draft(
        name, source, topic, looked, form, roles, label.name(), task, chosen.reason());
  }

  private static List<FieldProfile> profiles(EventTable table, EventForm form) {
    List<FieldProfile> fields = new ArrayList<>();
    for (int i = 0; i < table.names().size(); i++) {
      String name = table.names().get(i);
      // A JSON field whose name cannot be written in an application file is treated as if it had no
      // name.
      boolean sayable = ColumnNames.sayable(name);
      fields.add(new FieldProfile(sayable ? name : "", table.column(i), form.notation()));
    }
    return fields;
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
}
