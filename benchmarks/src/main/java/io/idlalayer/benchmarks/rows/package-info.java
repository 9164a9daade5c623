/** Embedding rows: hit rates and lookups per second of the product's tables and of others. */
@NullMarked
package io.idlalayer.benchmarks.rows;

import org.jspecify.annotations.NullMarked;
