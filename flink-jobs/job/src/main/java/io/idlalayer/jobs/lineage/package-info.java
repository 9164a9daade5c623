/** What is noted beside an application's models about the jobs that publish them. */
@NullMarked
package io.idlalayer.jobs.lineage;

import org.jspecify.annotations.NullMarked;
