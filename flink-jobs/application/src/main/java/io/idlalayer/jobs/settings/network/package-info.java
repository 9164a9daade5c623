/** Sizes of the networks that application files describe. */
@NullMarked
package io.idlalayer.jobs.settings.network;

import org.jspecify.annotations.NullMarked;
