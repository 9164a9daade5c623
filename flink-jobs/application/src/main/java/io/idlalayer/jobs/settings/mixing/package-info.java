/** The settings by which the partitions of an application learn one model together. */
@NullMarked
package io.idlalayer.jobs.settings.mixing;

import org.jspecify.annotations.NullMarked;
