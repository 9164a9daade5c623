/** Settings for memory that processes lend to one another. */
@NullMarked
package io.idlalayer.jobs.settings.lending;

import org.jspecify.annotations.NullMarked;
