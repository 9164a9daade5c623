package io.idlalayer.jobs.proposal;

import io.idlalayer.jobs.proposal.CycleRelation.Cycle;
import io.idlalayer.jobs.proposal.FieldRole.Kind;
import io.idlalayer.jobs.settings.ApplicationSettings.Format;
import io.idlalayer.middleware.sample.text.Shown;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Decides which role each field gets. */
final class FieldRoles {
  private static final Pattern ID_NAME =
      Pattern.compile(
          "(?i)(.*[_ .-])?(id|ids|uid|uuid|guid|key|code|zip|zipcode|sku|isbn|hash|ip)"
              + "|.*(Id|ID|Code|Uuid|Key)|(?i)(user|item|product|customer|device|merchant|session|cookie)");

  /**
   * Least number of different values with which a text becomes a feature with a table instead of
   * one column for each value.
   */
  private static final int MANY_VALUES = 100;

  private static final double NEARLY_ALL = 0.98;

  /**
   * Least additional part of the label's variance that a column must explain as codes to be treated
   * as codes.
   */
  private static final double CODE_GAIN = 0.02;

  /**
   * If there are at least this number of id fields, whole numbers that occur often are treated as
   * codes.
   */
  private static final int SEVERAL_IDS = 3;

  private static final int CATEGORY_CODES_MAX = 64;
  private static final double DAY = 86_400;

  private final EventTable table;
  private final EventForm form;
  private final List<FieldProfile> fields;
  private final FieldProfile label;
  private final LabelTask task;
  private final Relations relations;
  private boolean hasEventId;

  FieldRoles(
      EventTable table,
      EventForm form,
      List<FieldProfile> fields,
      FieldProfile label,
      LabelTask task) {
    this.table = table;
    this.form = form;
    this.fields = fields;
    this.label = label;
    this.task = task;
    relations = new Relations(task, label.values());
  }

  /** Returns the roles of all fields, in their order. */
  List<FieldRole> decide() {
    List<@Nullable FieldRole> decided = new ArrayList<>();
    int many = 0;
    int others = 0;
    for (FieldProfile each : fields) {
      FieldRole role = withoutNumbers(each);
      decided.add(role);
      many += role != null && role.kind() == Kind.ID_FEATURE ? 1 : 0;
      others += role == null || role.kind() == Kind.CATEGORY ? 1 : 0;
    }
    // If several or most fields are ids, their neighbouring fields usually are codes of such things
    // as well.
    boolean codes = many >= SEVERAL_IDS || (many > 0 && many >= others / 2);
    List<FieldRole> roles = new ArrayList<>();
    boolean tables = many > 0;
    for (int i = 0; i < fields.size(); i++) {
      FieldRole role = decided.get(i);
      FieldRole whole = role == null ? number(fields.get(i), codes) : role;
      tables |= whole.kind() == Kind.ID_FEATURE;
      roles.add(whole);
    }
    return tables ? roles.stream().map(FieldRoles::inTable).toList() : roles;
  }

  /**
   * Returns the role of a category as an id: in a table each value has its own row, whereas in
   * buckets values share one.
   */
  private static FieldRole inTable(FieldRole role) {
    return role.kind() == Kind.CATEGORY
        ? new FieldRole(
            role.name(), Kind.ID_FEATURE, role.note(), 1, role.missing(), List.of(), List.of())
        : role;
  }

  /** Returns the role of a field; null for a field of numbers, which is judged later. */
  private @Nullable FieldRole withoutNumbers(FieldProfile field) {
    String name = field.name();
    if (name.isEmpty()) {
      return FieldRole.leftOut(
          "",
          "its name is empty, or that of another column, or cannot be written in an application file");
    }
    if (field == label) {
      return FieldRole.of(name, Kind.LABEL, "");
    }
    EventTable.Shape shape = table.shape(name);
    if (shape != null) {
      return array(field, shape);
    }
    if (field.present() == 0) {
      return FieldRole.leftOut(name, "no event that was looked at has it");
    }
    if (field.distinct() == 1) {
      String value = Shown.of(field.commonest(1).get(0));
      return field.present() == field.rows()
          ? FieldRole.leftOut(name, "it is " + value + " in all events that were looked at")
          : FieldRole.leftOut(name, "it is " + value + " or missing");
    }
    String leak = relations.leak(field);
    if (!leak.isEmpty()) {
      return FieldRole.leftOut(
          name,
          "it "
              + leak
              + ", so it may be known only after the label; if it is known before, make it a feature");
    }
    if (field.countsEvents(table.front())) {
      return FieldRole.leftOut(name, "it counts the events");
    }
    FieldRole id = eventId(field);
    if (id != null) {
      return id;
    }
    if (field.isTime()) {
      return time(field);
    }
    return field.isNumeric() ? null : text(field);
  }

  private static FieldRole array(FieldProfile field, EventTable.Shape shape) {
    String name = field.name();
    if (shape.nested) {
      return FieldRole.leftOut(
          name,
          "it has objects or arrays inside; a path with a position leads to one of their values");
    }
    if (shape.allNumbers && shape.shortest == shape.longest && shape.longest > 1) {
      return new FieldRole(
          name,
          Kind.NUMBER,
          "an array of " + shape.longest + " numbers",
          shape.longest,
          0,
          List.of(),
          List.of());
    }
    if (shape.longest == 0) {
      return FieldRole.leftOut(name, "its arrays are empty");
    }
    return new FieldRole(
        name,
        Kind.ID_FEATURE,
        "lists of up to " + shape.longest + " values",
        2 * shape.longest,
        0,
        List.of(),
        List.of());
  }

  /** Returns the role of the event's id if each value of the field occurs once; else null. */
  private @Nullable FieldRole eventId(FieldProfile field) {
    boolean fraction = field.isNumeric() && !field.isWhole();
    boolean unique = field.distinct() == field.rows();
    boolean nearly = field.distinct() >= NEARLY_ALL * field.present();
    boolean named = ID_NAME.matcher(field.name()).matches();
    if (fraction || !nearly || field.isTime()) {
      return null;
    }
    boolean takesId = form.format() == Format.CSV || form.format().namesFields();
    if (unique && named && takesId && !hasEventId) {
      hasEventId = true;
      return FieldRole.of(
          field.name(),
          Kind.EVENT_ID,
          "no two events that were looked at have the same: a repeated event counts once, and a label"
              + " may come later");
    }
    if (!field.isNumeric() || named) {
      return FieldRole.leftOut(
          field.name(), "nearly every event has another value, from which nothing can be learned");
    }
    return null;
  }

  private FieldRole time(FieldProfile field) {
    List<Cycle> spanned = spanned(field);
    String spans =
        String.format(
            Locale.ROOT,
            "time stamps over %s days",
            Numbers.shown(Math.rint(10 * field.spanSeconds() / DAY) / 10));
    if (spanned.isEmpty()) {
      return FieldRole.leftOut(
          field.name(),
          spans + ", too few to learn from; {name: ..., time: [...]} makes numbers of it");
    }
    CycleRelation relation = new CycleRelation(field, task);
    List<String> parts =
        spanned.stream().filter(cycle -> !relation.saysNothing(cycle)).map(Cycle::reading).toList();
    if (parts.isEmpty()) {
      return FieldRole.leftOut(
          field.name(),
          "%s, whose cycles say nothing of the label: what some days or weeks show does not hold on others; {name: ..., time: [...]} makes numbers of it"
              .formatted(spans));
    }
    return new FieldRole(field.name(), Kind.TIME, spans, 0, field.missingShare(), List.of(), parts);
  }

  /** Returns the cycles that the times of a field cover. */
  private static List<Cycle> spanned(FieldProfile field) {
    double span = field.spanSeconds();
    List<Cycle> cycles = new ArrayList<>();
    if (span >= DAY / 2 && field.hasTimesOfDay()) {
      cycles.add(Cycle.DAY);
    }
    if (span >= 7 * DAY) {
      cycles.add(Cycle.WEEK);
    }
    if (span >= 540 * DAY) {
      cycles.add(Cycle.YEAR);
    }
    return cycles;
  }

  private static FieldRole text(FieldProfile field) {
    if (field.isDateEitherWay()) {
      return FieldRole.leftOut(
          field.name(),
          "day and month of its dates cannot be told apart; write them as year-month-day, and {name: ..., time: [...]} makes numbers of them");
    }
    String note =
        String.format(
            Locale.ROOT,
            "%,d texts, such as %s",
            field.distinct(),
            Shown.of(field.commonest(1).get(0)));
    boolean many =
        field.distinct() > MANY_VALUES || (field.distinct() > MANY_VALUES / 2 && field.grows());
    return many ? id(field, note) : category(field, note);
  }

  private static FieldRole id(FieldProfile field, String note) {
    return new FieldRole(
        field.name(), Kind.ID_FEATURE, note, 1, field.missingShare(), List.of(), List.of());
  }

  private static FieldRole category(FieldProfile field, String note) {
    return new FieldRole(
        field.name(),
        Kind.CATEGORY,
        note,
        CategoryBuckets.of(field.counts().keySet()),
        field.missingShare(),
        List.of(),
        List.of());
  }

  /** Judges whether the size of a number means something. */
  private FieldRole number(FieldProfile field, boolean codes) {
    String range =
        "numbers from " + Numbers.shown(field.least()) + " to " + Numbers.shown(field.most());
    boolean repeats = field.isWhole() && field.distinct() > 2 && field.rowsOfValue() >= 3;
    if (repeats) {
      boolean named = ID_NAME.matcher(field.name()).matches();
      boolean beside = codes && field.distinct() <= field.rows() / 5;
      double gain = named || beside ? 0 : relations.explainedByValue(field);
      if (named || beside || gain >= CODE_GAIN) {
        String why =
            named
                ? "its name is that of an id"
                : beside
                    ? "several fields beside it are ids"
                    : "the label depends more on which value it is than on how large it is";
        String note =
            String.format(Locale.ROOT, "%,d whole numbers, codes: %s", field.distinct(), why);
        return field.distinct() <= CATEGORY_CODES_MAX ? category(field, note) : id(field, note);
      }
    }
    return new FieldRole(
        field.name(),
        Kind.NUMBER,
        field.isFlags() ? "true and false" : range,
        1,
        field.missingShare(),
        field.marks(),
        List.of());
  }
}
