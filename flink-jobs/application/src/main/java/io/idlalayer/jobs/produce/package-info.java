/** Creates the topics of applications, and sends files and requests to them. */
@NullMarked
package io.idlalayer.jobs.produce;

import org.jspecify.annotations.NullMarked;
