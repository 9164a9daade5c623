package io.idlalayer.jobs.settings;

import io.idlalayer.datacontroller.settings.DefaultLabel;
import io.idlalayer.jobs.records.RecordSchemas;
import io.idlalayer.jobs.start.StartAt;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.text.CsvRow;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.TextForm;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** Reads the section {@code input}: where events and labels come from, and how they are written. */
final class InputReader {
  private static final long EVENT_BYTES = 1 << 20;
  private static final long MOST_EVENT_BYTES = 256 << 20;
  private static final double MILLIS = 1_000;
  private static final Pattern PARTITION = Pattern.compile("[0-9]{1,9}");
  private static final Pattern OFFSET = Pattern.compile("[0-9]{1,18}");

  private final Section root;
  private final Section section;
  private final String name;
  private DefaultLabel byDefault = DefaultLabel.NONE;

  /**
   * @param root the whole file
   * @param name name of the application
   */
  InputReader(Section root, String name) {
    this.root = root;
    section = root.section("input");
    this.name = name;
  }

  /**
   * @param hasTables whether the model has tables, so that categories in format criteo-tsv are ids
   */
  ApplicationSettings.Input read(boolean hasTables) {
    ApplicationSettings.Format format =
        section.choice(
            "format", ApplicationSettings.Format.JSON, ApplicationSettings.Format.values());
    List<String> topics = topics();
    String pattern = pattern();
    topics = pattern == null ? topics : List.of();
    StartAt start = start(section, topics, StartAt.EARLIEST);
    boolean header = header(section, format);
    int eventBytes = (int) section.bytes("max-event-bytes", EVENT_BYTES, 1, MOST_EVENT_BYTES);
    TextForm text = text(section, format);
    SampleSchema schema = new SchemaReader(root, section, format, hasTables).read();
    RecordsReader records = new RecordsReader(section);
    RecordSchemas schemas = records.read(section, format);
    ApplicationSettings.Input input =
        new ApplicationSettings.Input(
            topics.isEmpty() ? "" : topics.get(0),
            topics.isEmpty() ? topics : topics.subList(1, topics.size()),
            format,
            header,
            text,
            schema,
            eventBytes,
            section.choice(
                "control-records",
                ApplicationSettings.ControlRecords.TOPIC,
                ApplicationSettings.ControlRecords.values()),
            section.has("labels")
                ? labels(section.section("labels"), schema, start, records)
                : null,
            start,
            schemas,
            pattern);
    if (pattern != null && input.controlRecords() == ApplicationSettings.ControlRecords.INPUT) {
      section.problem(
          "control-records",
          "'input' needs 'topic' or 'topics', of which the first one takes requests");
    }
    records.finish();
    section.finish();
    return input;
  }

  /**
   * Returns the default label of events whose own label never comes; this method must be called
   * after the input was read.
   */
  DefaultLabel byDefault() {
    return byDefault;
  }

  /** Reads the topics of events, at least one. */
  private List<String> topics() {
    List<String> topics = section.names("topics");
    String one = topic(section, name + "-samples");
    if (!section.has("topics")) {
      return List.of(one);
    }
    if (section.has("topic")) {
      section.problem("topics", "'topic' and 'topics' are given: leave out one of them");
    }
    if (topics.isEmpty()) {
      section.problem("topics", "names no topic: name one, or leave it out");
      return List.of(one);
    }
    for (String topic : topics) {
      if (!ApplicationFileReader.TOPIC.matcher(topic).matches()) {
        section.problem("topics", section.shown(topic) + " is not a Kafka topic name");
      }
    }
    if (Set.copyOf(topics).size() < topics.size()) {
      section.problem("topics", "a topic is named twice");
      return List.copyOf(new LinkedHashSet<>(topics));
    }
    return topics;
  }

  /** Reads the pattern of the names of topics; null if there is none. */
  private @Nullable String pattern() {
    String pattern = section.text("topic-pattern");
    if (pattern == null) {
      return null;
    }
    if (section.has("topic") || section.has("topics")) {
      section.problem(
          "topic-pattern", "'topic' or 'topics' is given too: leave out the pattern or these");
    }
    try {
      Pattern unused = Pattern.compile(pattern);
      return pattern;
    } catch (PatternSyntaxException broken) {
      section.problem(
          "topic-pattern",
          "%s is not a regular expression: %s"
              .formatted(section.shown(pattern), broken.getDescription()));
      return null;
    }
  }

  private String topic(Section of, String otherwise) {
    String topic = of.text("topic", otherwise);
    if (!ApplicationFileReader.TOPIC.matcher(topic).matches() && !name.isEmpty()) {
      of.problem("topic", of.shown(topic) + " is not a Kafka topic name");
    }
    return topic;
  }

  private static boolean header(Section of, ApplicationSettings.Format format) {
    boolean header = of.flag("header", false);
    if (header && format != ApplicationSettings.Format.CSV) {
      of.problem("header", "only csv files have a header line");
    }
    return header;
  }

  /**
   * Reads the setting of where reading of topics begins the first time: a word, a time, or offsets.
   */
  private static StartAt start(Section of, List<String> topics, StartAt otherwise) {
    if (of.isMapping("start")) {
      Section start = of.section("start");
      StartAt offsets = topics.isEmpty() ? noOffsets(start) : offsets(start, topics);
      start.finish();
      return offsets;
    }
    String text = of.text("start");
    try {
      return text == null ? otherwise : StartAt.parse(text);
    } catch (IllegalArgumentException refused) {
      of.problem("start", of.shown(text) + " " + refused.getMessage());
      return otherwise;
    }
  }

  private static StartAt noOffsets(Section start) {
    var unused = start.section("offsets").entries();
    start.problem(
        "offsets",
        "offsets can be given only for topics that 'topic' or 'topics' names; with a pattern, say earliest, latest or a time");
    return StartAt.EARLIEST;
  }

  private static StartAt offsets(Section start, List<String> topics) {
    Section offsets = start.section("offsets");
    SortedMap<String, SortedMap<Integer, Long>> byTopic = new TreeMap<>();
    for (Map.Entry<String, String> each : offsets.entries().entrySet()) {
      String key = each.getKey();
      int dash = key.lastIndexOf('-');
      String topic =
          dash < 0 && topics.size() == 1 ? topics.get(0) : key.substring(0, Math.max(0, dash));
      String partition = key.substring(dash + 1);
      if (!PARTITION.matcher(partition).matches()) {
        offsets.problem(key, "'%s' is not the number of a partition".formatted(partition));
      } else if (!topics.contains(topic)) {
        offsets.problem(
            key,
            "a partition is named as in %s-%s; the topics are %s"
                .formatted(topics.get(0), partition, topics));
      } else if (!OFFSET.matcher(each.getValue()).matches()) {
        offsets.problem(
            key, offsets.shown(each.getValue()) + " is not an offset, a whole number from 0");
      } else if (byTopic
              .computeIfAbsent(topic, name -> new TreeMap<>())
              .put(Integer.valueOf(partition), Long.valueOf(each.getValue()))
          != null) {
        offsets.problem(key, "the partition is given twice");
      }
    }
    if (offsets.entries().isEmpty()) {
      start.problem(
          "offsets", "an offset for each partition is expected, such as {0: 100, 1: 250}");
    }
    return new StartAt.Offsets(byTopic);
  }

  /**
   * @param ofEvents where the events start; offsets hold only for the topics of events, so if
   *     labels have no own start, all labels are read
   */
  private ApplicationSettings.Labels labels(
      Section labels, SampleSchema events, StartAt ofEvents, RecordsReader records) {
    String eventId = events.id();
    if (eventId == null) {
      section.problem(
          "labels", "'input.id' is missing: labels find their events by the field with their id");
    }
    ApplicationSettings.Format format =
        labels.choice(
            "format", ApplicationSettings.Format.JSON, ApplicationSettings.Format.values());
    boolean csv = format == ApplicationSettings.Format.CSV;
    if (!csv && !format.namesFields()) {
      labels.problem("format", "labels are in format json, csv, avro or protobuf");
    }
    String id = labels.text("id", eventId == null ? "id" : eventId);
    String label = labels.text("label", events.label().name());
    List<String> columns = labels.names("columns");
    if (columns.isEmpty() && csv) {
      columns = List.of(id, label);
    } else if (!csv && !columns.isEmpty()) {
      labels.problem("columns", "only labels in format csv have columns");
    }
    if (csv && !columns.contains(id)) {
      labels.problem("id", labels.shown(id) + " is none of the columns");
    }
    if (csv && !columns.contains(label)) {
      labels.problem("label", labels.shown(label) + " is none of the columns");
    }
    if (id.equals(label)) {
      labels.problem(
          "id", labels.shown(id) + " is the label too; each event needs an id of its own");
    }
    SampleSchema.Label own =
        new SampleSchema.Label(
            label, events.label().task(), events.label().classes(), events.label().targets());
    byDefault = byDefault(labels, events.label());
    String topic = topic(labels, name + "-labels");
    ApplicationSettings.Labels read =
        new ApplicationSettings.Labels(
            topic,
            format,
            header(labels, format),
            text(labels, format),
            new SampleSchema(columns, List.of(), List.of(), List.of(), own, id, null),
            start(
                labels,
                List.of(topic),
                ofEvents instanceof StartAt.Offsets ? StartAt.EARLIEST : ofEvents),
            records.read(labels, format));
    labels.finish();
    return read;
  }

  private static DefaultLabel byDefault(Section labels, SampleSchema.Label label) {
    double value = Double.NaN;
    if (label.task() == SampleSchema.Task.REGRESSION) {
      if (labels.has("default")) {
        double least = label.targets() == SampleSchema.Targets.NOT_NEGATIVE ? 0 : -1e30;
        value = labels.number("default", Double.NaN, least, true, 1e30);
      }
    } else {
      String named = labels.text("default");
      int index = named == null ? -1 : label.classes().indexOf(named);
      if (index >= 0) {
        value = index;
      } else if (named != null) {
        labels.problem("default", labels.shown(named) + " is none of the classes");
      }
    }
    double seconds = labels.seconds("after", 0);
    if (labels.has("default") != labels.has("after")) {
      labels.problem(
          labels.has("default") ? "default" : "after",
          "'default' and 'after' belong together: the label that an event gets, and how long it waits for its own label first");
    } else if (labels.has("after") && seconds <= 0) {
      labels.problem("after", "is above 0s");
    }
    return Double.isNaN(value)
        ? DefaultLabel.NONE
        : new DefaultLabel(value, Math.round(MILLIS * seconds));
  }

  private static TextForm text(Section input, ApplicationSettings.Format format) {
    String encoding = encoding(input);
    String delimiter = input.text("delimiter", ",");
    if (!CsvRow.delimits(delimiter)) {
      input.problem("delimiter", "some text is expected, without quotes and line ends");
      delimiter = ",";
    }
    NumberNotation notation = notation(input);
    if (format != ApplicationSettings.Format.CSV) {
      String csv = "'format: csv'";
      input.idle("delimiter", delimiter, ",", csv);
      input.idle("decimal", notation.decimal(), NumberNotation.PLAIN.decimal(), csv);
      input.idle("thousands", notation.thousands(), NumberNotation.PLAIN.thousands(), csv);
    }
    if (format == ApplicationSettings.Format.BINARY || format.ofRecords()) {
      input.idle("encoding", encoding, EventEncoding.UTF_8.name(), "events that are text");
    }
    return new TextForm(encoding, delimiter, notation);
  }

  private static String encoding(Section input) {
    String name = input.text("encoding", EventEncoding.UTF_8.name());
    try {
      return EventEncoding.of(name).name();
    } catch (IllegalArgumentException refused) {
      input.problem("encoding", input.shown(name) + " " + refused.getMessage());
      return EventEncoding.UTF_8.name();
    }
  }

  private static NumberNotation notation(Section input) {
    String decimal = input.text("decimal", NumberNotation.PLAIN.decimal());
    String thousands = input.text("thousands", NumberNotation.PLAIN.thousands());
    try {
      return new NumberNotation(decimal, thousands);
    } catch (IllegalArgumentException refused) {
      boolean ofDecimal = input.has("decimal") || !input.has("thousands");
      input.problem(ofDecimal ? "decimal" : "thousands", String.valueOf(refused.getMessage()));
      return NumberNotation.PLAIN;
    }
  }
}
