/**
 * The processes of a build and what they stand on: broker, clock, disk, files and models, from
 * outside.
 */
@NullMarked
package io.idlalayer.benchmarks.campaign.process;

import org.jspecify.annotations.NullMarked;
