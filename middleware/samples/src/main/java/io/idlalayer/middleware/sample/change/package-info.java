/** What a change of a schema does to the samples that were stored before it. */
@NullMarked
package io.idlalayer.middleware.sample.change;

import org.jspecify.annotations.NullMarked;
