/** What experiments have in common: repeated measurements, processor time, folders, options. */
@NullMarked
package io.idlalayer.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
