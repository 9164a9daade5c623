/** Settings of the comparison of a model with older versions of it. */
@NullMarked
package io.idlalayer.jobs.settings.comparison;

import org.jspecify.annotations.NullMarked;
