/** Follows a run on the decision topic, shows its progress, and writes its report. */
@NullMarked
package io.idlalayer.jobs.report;

import org.jspecify.annotations.NullMarked;
