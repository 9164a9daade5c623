/** Takagi-Sugeno models fitted from logs. */
@NullMarked
package io.idlalayer.middleware.fuzzy.regression;

import org.jspecify.annotations.NullMarked;
