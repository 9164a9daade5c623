package io.idlalayer.console.history;

import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import java.util.List;

/**
 * Numbers of a learner's statuses over time.
 *
 * @param names of the columns
 * @param atMillis epoch milliseconds of the points, ascending
 * @param values by column, then by point; NaN where a status had no such number, null in JSON
 */
public record StatusTable(
    List<String> names,
    long[] atMillis,
    @JsonSerialize(contentUsing = ColumnSerializer.class) List<double[]> values) {}
