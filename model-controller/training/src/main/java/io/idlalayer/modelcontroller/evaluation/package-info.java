/** Scores samples with the model in service, and with a rival, before they are trained. */
@NullMarked
package io.idlalayer.modelcontroller.evaluation;

import org.jspecify.annotations.NullMarked;
