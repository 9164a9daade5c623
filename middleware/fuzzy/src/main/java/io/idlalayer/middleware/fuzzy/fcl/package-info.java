/** Rule bases in the Fuzzy Control Language: parser, engine and defuzzifiers. */
@NullMarked
package io.idlalayer.middleware.fuzzy.fcl;

import org.jspecify.annotations.NullMarked;
