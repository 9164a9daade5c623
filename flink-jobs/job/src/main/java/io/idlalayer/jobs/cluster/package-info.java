/** Broker, JobManager and TaskManagers as separate processes on this machine. */
@NullMarked
package io.idlalayer.jobs.cluster;

import org.jspecify.annotations.NullMarked;
