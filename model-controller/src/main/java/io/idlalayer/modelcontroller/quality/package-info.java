/** Whether the model in service is losing quality: drift detectors on its prequential loss. */
@NullMarked
package io.idlalayer.modelcontroller.quality;

import org.jspecify.annotations.NullMarked;
