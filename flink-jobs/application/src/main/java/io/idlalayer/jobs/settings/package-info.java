/** The application file: its records and the reader that reports every problem at once. */
@NullMarked
package io.idlalayer.jobs.settings;

import org.jspecify.annotations.NullMarked;
