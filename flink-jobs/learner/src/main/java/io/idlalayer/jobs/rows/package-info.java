/**
 * The rows of embedding tables with which versions are published: all rows, or only the changed
 * rows.
 */
@NullMarked
package io.idlalayer.jobs.rows;

import org.jspecify.annotations.NullMarked;
