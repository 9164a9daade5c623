/**
 * Settings of embedding tables in an application file: their limits, which ids get a row, and which
 * rows are deleted.
 */
@NullMarked
package io.idlalayer.middleware.embedding.settings;

import org.jspecify.annotations.NullMarked;
