/** The topics of applications: they are created here, and files and requests are sent to them. */
@NullMarked
package io.idlalayer.jobs.produce;

import org.jspecify.annotations.NullMarked;
