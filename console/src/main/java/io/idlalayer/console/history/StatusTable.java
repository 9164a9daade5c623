package io.idlalayer.console.history;

import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import java.util.List;

/**
 * The numbers of a learner's statuses over time.
 *
 * @param names names of the columns
 * @param atMillis epoch milliseconds of the points, ascending
 * @param values values by column, then by point; NaN where a status has no such number, null in
 *     JSON
 */
public record StatusTable(
    List<String> names,
    long[] atMillis,
    @JsonSerialize(contentUsing = ColumnSerializer.class) List<double[]> values) {}
