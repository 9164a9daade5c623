/** The notes beside an application's models about the jobs that publish the models. */
@NullMarked
package io.idlalayer.jobs.lineage;

import org.jspecify.annotations.NullMarked;
