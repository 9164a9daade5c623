/** Click and rating logs: tables of rows against one-hot inputs. */
@NullMarked
package io.idlalayer.benchmarks.clicks;

import org.jspecify.annotations.NullMarked;
