/**
 * Networks as Deeplearning4j's JSON describes them: read, built and initialised without
 * Deeplearning4j.
 */
@NullMarked
package io.idlalayer.modelcontroller.engine.configuration;

import org.jspecify.annotations.NullMarked;
