/**
 * What breaks a build, one round at a time: each nemesis, and the faults that an early build had.
 */
@NullMarked
package io.idlalayer.benchmarks.campaign.nemesis;

import org.jspecify.annotations.NullMarked;
