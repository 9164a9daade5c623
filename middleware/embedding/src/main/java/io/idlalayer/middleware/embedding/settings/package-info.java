/**
 * What an application file says of its tables: their limits, which ids get a row, and which rows
 * are deleted.
 */
@NullMarked
package io.idlalayer.middleware.embedding.settings;

import org.jspecify.annotations.NullMarked;
