/**
 * Tables with a fixed number of rows, as CachedEmbeddings has them: all rows in a slow base, hot
 * ones copied to pages in DRAM, one pointer word for each row. For the paper's experiments;
 * learners use {@link io.idlalayer.middleware.embedding.table.RowTables}.
 */
@NullMarked
package io.idlalayer.benchmarks.rows.fixed;

import org.jspecify.annotations.NullMarked;
