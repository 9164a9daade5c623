/** The page that shows what keeping models current would have cost on recorded arrivals. */
@NullMarked
package io.idlalayer.jobs.replay.page;

import org.jspecify.annotations.NullMarked;
