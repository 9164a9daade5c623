/** Evaluates the samples of each update: contribution, score, new life stage, ageing. */
@NullMarked
package io.idlalayer.datacontroller.evaluation;

import org.jspecify.annotations.NullMarked;
