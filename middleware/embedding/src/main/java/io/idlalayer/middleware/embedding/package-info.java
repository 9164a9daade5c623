/**
 * Rows of embedding tables. A row belongs to an id; it is weights, the updater's state and what is
 * known of its use, and changes as one.
 */
@NullMarked
package io.idlalayer.middleware.embedding;

import org.jspecify.annotations.NullMarked;
