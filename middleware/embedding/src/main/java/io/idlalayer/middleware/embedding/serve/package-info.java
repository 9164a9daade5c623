/**
 * The embedding rows of a published version for predictions, on the heap or in a memory-mapped
 * file. Serving processes need this package with {@code plan}, {@code loops} and {@code file}, and
 * none of the others.
 */
@NullMarked
package io.idlalayer.middleware.embedding.serve;

import org.jspecify.annotations.NullMarked;
