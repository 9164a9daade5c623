/**
 * Published models in Flink SQL: {@code CREATE MODEL ... WITH ('provider' = 'idla')} and {@code
 * ML_PREDICT}. A running query switches to new versions.
 */
@NullMarked
package io.idlalayer.sql;

import org.jspecify.annotations.NullMarked;
