/**
 * Published models in Flink SQL: {@code CREATE MODEL ... WITH ('provider' = 'idla')} and {@code
 * ML_PREDICT}. New versions are taken while a query runs.
 */
@NullMarked
package io.idlalayer.sql;

import org.jspecify.annotations.NullMarked;
