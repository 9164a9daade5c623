package io.idlalayer.jobs.records;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.path.FieldPath;
import io.idlalayer.middleware.sample.path.FoundFields;
import io.idlalayer.middleware.sample.path.PathTree;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/**
 * Converts Avro records to flat JSON events that have all fields that an application file can name.
 * Values are converted by the same rules as in the job. Confined to one thread.
 */
public final class AvroFlattening {
  /** Most steps to a field. */
  private static final int DEPTH_MAX = 8;

  /** Largest number of names of left-out fields; further fields are only counted. */
  private static final int LEFT_OUT_MAX = 1_000;

  /**
   * Largest number of visited fields. The limit is needed because a schema in which types repeat
   * has more paths than fields.
   */
  private static final int VISITS_MAX = 100_000;

  private final int most;
  private final Set<String> names = new LinkedHashSet<>();
  private final Set<String> times = new HashSet<>();
  private final Set<String> leftOut = new LinkedHashSet<>();
  private final Set<String> outerRecords = new HashSet<>();
  private final AvroFields fields;
  private final FoundFields found;
  private boolean tooMany;
  private long leftOutBeyond;
  private int visits;

  /**
   * @param file file whose records are read
   * @param most largest number of fields in an event
   */
  public AvroFlattening(AvroFile file, int most) {
    this.most = most;
    record(file.schema(), List.of());
    PathTree tree = new PathTree(List.copyOf(names));
    fields = new AvroFields(file.schema(), tree, times);
    found = new FoundFields(tree);
  }

  private void record(Schema record, List<FieldPath.Step> outer) {
    outerRecords.add(record.getFullName());
    for (Schema.Field field : record.getFields()) {
      if (visits++ >= VISITS_MAX) {
        tooMany = true;
        break;
      }
      List<FieldPath.Step> steps = new ArrayList<>(outer);
      steps.add(new FieldPath.Step.Name(field.name()));
      field(field.schema(), steps);
    }
    outerRecords.remove(record.getFullName());
  }

  private void field(Schema type, List<FieldPath.Step> steps) {
    String name = new FieldPath(steps).toString();
    switch (type.getType()) {
      case UNION -> type.getTypes().forEach(each -> field(each, steps));
      case RECORD -> {
        if (steps.size() < DEPTH_MAX && !outerRecords.contains(type.getFullName())) {
          record(type, steps);
        } else {
          leaveOut(name);
        }
      }
      case MAP -> leaveOut(name);
      case BYTES, FIXED -> {
        if (type.getLogicalType() instanceof LogicalTypes.Decimal) {
          add(name);
        } else {
          leaveOut(name);
          names.remove(name);
        }
      }
      case NULL -> {}
      default -> {
        add(name);
        LogicalType logical = type.getLogicalType();
        if (logical != null
            && (logical.getName().equals("date") || logical.getName().contains("timestamp"))) {
          times.add(name);
        }
      }
    }
  }

  private void leaveOut(String name) {
    if (leftOut.size() < LEFT_OUT_MAX || leftOut.contains(name)) {
      leftOut.add(name);
    } else {
      leftOutBeyond++;
    }
  }

  private void add(String name) {
    if (leftOut.contains(name)) {
      return;
    }
    if (names.size() < most) {
      names.add(name);
    } else {
      tooMany = true;
    }
  }

  /** Returns whether records have more fields than this number. */
  public boolean tooMany() {
    return tooMany;
  }

  /**
   * Returns the fields that are not in the events, up to 1,000: maps, whose keys are not in the
   * schema, bytes, and records that are nested too deep or within one of their own type.
   */
  public List<String> leftOut() {
    return List.copyOf(leftOut);
  }

  /**
   * Returns the number of left-out fields in addition to the fields that {@link #leftOut} names.
   */
  public long leftOutBeyond() {
    return leftOutBeyond;
  }

  /**
   * Returns a record as a JSON event.
   *
   * @throws MalformedSampleException if the job would refuse the record whatever fields the
   *     application names
   */
  public byte[] event(byte[] record) throws MalformedSampleException {
    found.clear();
    fields.read(record, 0, found);
    return found.event();
  }
}
