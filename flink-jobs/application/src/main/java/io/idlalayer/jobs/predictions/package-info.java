/** The file of what was predicted for each event before it was trained. */
@NullMarked
package io.idlalayer.jobs.predictions;

import org.jspecify.annotations.NullMarked;
