/** The course of a run: followed on the decision topic, shown as progress, written as a report. */
@NullMarked
package io.idlalayer.jobs.report;

import org.jspecify.annotations.NullMarked;
