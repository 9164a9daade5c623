/**
 * Texts of events and what they mean: encodings, rows of CSV, numbers, times, and what is wrong
 * with broken JSON.
 */
@NullMarked
package io.idlalayer.middleware.sample.text;

import org.jspecify.annotations.NullMarked;
