/**
 * The adapter of Deeplearning4j: trains networks that iDlaLayer's engine does not support, those of
 * SameDiff among them. Without this module on the class path, such networks are refused.
 */
@NullMarked
package io.idlalayer.modelcontroller.deeplearning4j;

import org.jspecify.annotations.NullMarked;
