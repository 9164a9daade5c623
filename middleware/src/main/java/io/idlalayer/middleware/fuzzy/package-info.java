/** Fuzzy models: Takagi-Sugeno models fitted from logs, and rule bases written by people. */
@NullMarked
package io.idlalayer.middleware.fuzzy;

import org.jspecify.annotations.NullMarked;
