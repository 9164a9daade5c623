package io.idlalayer.jobs.proposal;

import io.idlalayer.jobs.proposal.FieldRole.Kind;
import io.idlalayer.jobs.records.AvroFlattening;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.middleware.sample.text.Shown;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The sentences that tell the user about a proposal, in order. */
final class Remarks {
  private final List<String> sentences = new ArrayList<>();

  void add(String sentence) {
    sentences.add(sentence);
  }

  List<String> sentences() {
    return sentences;
  }

  /** Returns a sentence that says which events were read. */
  static String looked(EventRows events) {
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

  /** Returns a sentence that says that events have more fields than were examined. */
  static String moreFields() {
    return String.format(
        Locale.ROOT,
        "Events have more than %,d fields; the others are not looked at.",
        FormGuess.MOST_COLUMNS);
  }

  /** Returns a sentence about the parts of records that were not examined. */
  static List<String> notLookedAt(AvroFlattening records) {
    List<String> sentences = new ArrayList<>();
    if (records.tooMany()) {
      sentences.add(moreFields());
    }
    List<String> names = records.leftOut();
    if (!names.isEmpty()) {
      long further = names.size() - 8 + records.leftOutBeyond();
      sentences.add(
          String.format(
              Locale.ROOT,
              "Not looked at, because they are maps, bytes or nested too deep: %s%s. The values of a map"
                  + " can be named by paths with their keys.",
              names.stream().limit(8).map(Shown::of).collect(Collectors.joining(", ")),
              further > 0 ? String.format(Locale.ROOT, " and %,d more", further) : ""));
    }
    return sentences;
  }

  /** Returns a sentence about the format of the events. */
  static String described(EventForm form) {
    return switch (form.format()) {
      case JSON -> "The events are JSON objects.";
      case CRITEO_TSV -> "The events are rows of the Criteo log.";
      case BINARY -> "The events are images.";
      case AVRO -> "The events are Avro records.";
      case PROTOBUF -> throw new IllegalArgumentException("messages are not looked at");
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

  /** Says what the fields of the events are. */
  void fields(LabelChoice.Chosen chosen, LabelTask task, List<FieldRole> roles) {
    String what =
        task.task() == Task.REGRESSION
            ? "its number is predicted"
            : String.format(Locale.ROOT, "one of %,d classes is predicted", task.classes().size());
    add(
        "The label is %s%s; %s."
            .formatted(
                Shown.of(chosen.field().name()),
                chosen.reason().isEmpty() ? "" : ", guessed " + chosen.reason(),
                what));
    if (!task.note().isEmpty()) {
      add("As to the label: " + task.note() + ".");
    }
    count(roles, Kind.NUMBER, "numbers");
    count(roles, Kind.TIME, "time stamps");
    count(roles, Kind.CATEGORY, "categories with few values");
    count(roles, Kind.ID_FEATURE, "ids with many values");
    roles.stream()
        .filter(it -> it.kind() == Kind.EVENT_ID)
        .forEach(it -> add("The id of an event is " + Shown.of(it.name()) + "."));
    List<FieldRole> out = roles.stream().filter(it -> it.kind() == Kind.LEFT_OUT).toList();
    out.stream()
        .limit(20)
        .forEach(
            it ->
                add(
                    "Left out: "
                        + (it.name().isEmpty() ? "a column" : Shown.of(it.name()))
                        + ", because "
                        + it.note()
                        + "."));
    if (out.size() > 20) {
      add(String.format(Locale.ROOT, "Left out: %,d more.", out.size() - 20));
    }
  }

  private void count(List<FieldRole> roles, Kind kind, String what) {
    List<String> names =
        roles.stream().filter(it -> it.kind() == kind).map(FieldRole::name).toList();
    if (!names.isEmpty()) {
      add(
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

  /**
   * Adds a sentence about how many of the events the product would refuse. The events are decoded
   * in the same way as in a job.
   */
  void refused(ApplicationSettings settings, EventRows events) {
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
      add(
          String.format(
              Locale.ROOT,
              "%,d of the %,d events will be refused; the first because of %s. 'idla check' says more.",
              refused,
              events.records().size(),
              first));
    }
  }
}
