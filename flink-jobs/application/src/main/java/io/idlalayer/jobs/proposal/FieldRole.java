package io.idlalayer.jobs.proposal;

import java.util.List;

/**
 * The role that a field of events gets in the application file, or the reason why it gets none.
 *
 * @param name its name
 * @param kind its place in an application file
 * @param note the reason for the role, for a comment in the file
 * @param size number of values of an array, most ids of a list, or number of buckets; otherwise 0
 * @param missing share of events that lack the field
 * @param marks texts that stand for a missing number
 * @param parts parts of a time stamp
 */
record FieldRole(
    String name,
    Kind kind,
    String note,
    int size,
    double missing,
    List<String> marks,
    List<String> parts) {
  /** Places of fields in an application file. */
  enum Kind {
    NUMBER,
    TIME,
    CATEGORY,
    ID_FEATURE,
    LABEL,
    EVENT_ID,
    /** No model sees it. */
    LEFT_OUT
  }

  FieldRole {
    marks = List.copyOf(marks);
    parts = List.copyOf(parts);
  }

  static FieldRole of(String name, Kind kind, String note) {
    return new FieldRole(name, kind, note, 0, 0, List.of(), List.of());
  }

  static FieldRole leftOut(String name, String why) {
    return of(name, Kind.LEFT_OUT, why);
  }

  boolean isFeature() {
    return switch (kind) {
      case NUMBER, TIME, CATEGORY, ID_FEATURE -> true;
      case LABEL, EVENT_ID, LEFT_OUT -> false;
    };
  }
}
