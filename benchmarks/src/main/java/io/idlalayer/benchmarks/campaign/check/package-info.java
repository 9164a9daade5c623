/**
 * What was seen of a round, and the invariants that it must meet; knows nothing of the product's
 * code.
 */
@NullMarked
package io.idlalayer.benchmarks.campaign.check;

import org.jspecify.annotations.NullMarked;
