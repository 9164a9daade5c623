/**
 * The application file: the records with its settings, and the reader that reports every problem at
 * once.
 */
@NullMarked
package io.idlalayer.jobs.settings;

import org.jspecify.annotations.NullMarked;
